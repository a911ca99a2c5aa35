import { describe, expect, it } from "vitest";
import type { SqlText, Step } from "../script/program.js";
import { BUILTINS } from "./builtin.js";
import { readScript } from "./read-script.js";

/** The text with its variables as written. */
function textOf({ pieces, variables }: Pick<SqlText, "pieces" | "variables">): string {
  return pieces.reduce((text, piece, i) => `${text}<${variables[i - 1] ?? ""}>${piece}`);
}

function read(text: string, given: string[] = ["scale"]) {
  const { script, problems } = readScript(text, "x.sql", given);
  expect(problems).toEqual([]);
  return script;
}

/** Each step as a line. */
function linesOf(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if (step.kind === "sql")
      return [`${textOf(step)}${step.columns ? ` -> ${step.columns.prefix}*, ${step.columns.of}` : ""}`];
    if (step.kind === "control") return [`${step.does}: ${step.text}`];
    if (step.kind === "set") return [`set ${step.variable}`];
    if (step.kind === "sleep") return [`sleep ${JSON.stringify(step.forMs)}`];
    if (step.kind === "pipeline") return [`pipeline: ${step.does}`];
    return step.branches.flatMap(({ condition, steps: inner }) => [
      condition ? "when" : "else",
      ...linesOf(inner).map((line) => `  ${line}`),
    ]);
  });
}

/** Problems as `line:column message`. */
function problemsOf(text: string): string[] {
  return readScript(text, "x.sql", ["scale"]).problems.map(
    ({ file, place, message }) => `${file}:${place.line}:${place.column} ${message}`,
  );
}

it("reads each built-in script as parameters and a transaction or a single statement", () => {
  const read3 = BUILTINS.map(({ text }) => read(text));
  expect(read3.map(({ parameters }) => parameters.map(({ variable }) => variable).join(" "))).toEqual([
    "aid bid tid delta",
    "aid bid tid delta",
    "aid",
  ]);
  expect(read3.map(({ steps }) => linesOf(steps).length)).toEqual([7, 5, 1]);
  expect(read3[0]?.parameters[0]?.text).toBe("random(1, 100000 * :scale)");
});

it("makes \\set above the first statement a parameter, and \\set below a step", () => {
  const { parameters, steps } = read(
    "-- a comment\n\\set a 1\n\\set b \\\n  :a + \\\n  1\nSELECT :a, :b;\n\\set c 3\nSELECT :c",
  );
  expect(parameters.map(({ variable, text }) => [variable, text])).toEqual([
    ["a", "1"],
    ["b", ":a + 1"],
  ]);
  expect(linesOf(steps)).toEqual(["SELECT <a>, <b>", "set c", "SELECT <c>"]);
});

it("ends a statement at a meta command, and ignores meta commands in quotes and comments", () => {
  const { steps } = read(
    "SELECT 1 -- \\shell\n\\set a 1\nSELECT ':b', $$ \\if :b $$, :a::int /* :a */, x[1\\:2];",
  );
  expect(linesOf(steps)).toEqual([
    "SELECT 1",
    "set a",
    "SELECT ':b', $$ \\if :b $$, <a>::int /* :a */, x[1:2]",
  ]);
});

it("reads every form of transaction control", () => {
  const { steps } = read(
    "START TRANSACTION ISOLATION LEVEL SERIALIZABLE; SAVEPOINT a; ROLLBACK TO a; RELEASE a; COMMIT WORK; BEGIN; ABORT; BEGIN; END; BEGIN; ROLLBACK;",
  );
  expect(linesOf(steps)).toEqual([
    "begin: START TRANSACTION ISOLATION LEVEL SERIALIZABLE",
    "SAVEPOINT a",
    "ROLLBACK TO a",
    "RELEASE a",
    "commit: COMMIT WORK",
    "begin: BEGIN",
    "rollback: ABORT",
    "begin: BEGIN",
    "commit: END",
    "begin: BEGIN",
    "rollback: ROLLBACK",
  ]);
});

it("accepts variables from \\gset and \\aset, whose names are unknown before the run", () => {
  const { steps } = read(
    "SELECT 1 AS a \\gset\nSELECT 2 AS b \\gset p_\nSELECT 3 AS c;\n\\gset q_\nSELECT 4 AS d \\; SELECT 5 AS e \\aset r_\nSELECT :anything, :p_b, :r_d;",
  );
  expect(linesOf(steps)).toEqual([
    "SELECT 1 AS a -> *, only row",
    "SELECT 2 AS b -> p_*, only row",
    "SELECT 3 AS c -> q_*, only row",
    "SELECT 4 AS d -> r_*, last row",
    "SELECT 5 AS e -> r_*, last row",
    "SELECT <anything>, <p_b>, <r_d>",
  ]);
});

it("joins statements into one message unless one of them controls a transaction", () => {
  const { steps } = read("\\set a 1\nSELECT :a \\; SELECT 2 \\; SELECT :a;\nBEGIN \\; SELECT 1 \\; END;");
  expect(linesOf(steps)).toEqual([
    "SELECT <a>; SELECT 2; SELECT <a>",
    "begin: BEGIN",
    "SELECT 1",
    "commit: END",
  ]);
  expect(steps[0]).toMatchObject({ isMessage: true });
});

it("nests \\if, \\elif and \\else", () => {
  const { parameters, steps } = read(
    "\\set a 1\n\\if :a > 0\n\\set b 2\n\\if :b = 2\nSELECT 1;\n\\endif\n\\elif :a = 0\nSELECT 2;\n\\else\nSELECT 3\n\\endif\n".replace(
      /:\w+ [>=] /g,
      ":a + ",
    ),
  );
  expect(parameters.map(({ variable }) => variable)).toEqual(["a"]);
  expect(linesOf(steps)).toEqual([
    "when",
    "  set b",
    "  when",
    "    SELECT 1",
    "when",
    "  SELECT 2",
    "else",
    "  SELECT 3",
  ]);
});

it.each([
  ["\\sleep 2", { kind: "constant", value: 2000 }],
  ["\\sleep 20 ms", { kind: "constant", value: 20 }],
  ["\\sleep 500us", { kind: "constant", value: 0.5 }],
  [
    "\\sleep :scale ms",
    {
      kind: "call",
      name: "*",
      arguments: [
        { kind: "variable", name: "scale" },
        { kind: "constant", value: 1n },
      ],
    },
  ],
])("reads %s in milliseconds", (text, forMs) => {
  expect(read(`${text}\nSELECT 1;`).steps[0]).toMatchObject({ kind: "sleep", forMs });
});

it("finds variables in quotes and in the body of DO", () => {
  const { steps } = read(
    "\\set a 1\nDO $x$ BEGIN b := :a; c := d[1:n]::int; END $x$;\nSELECT :a, '::a :a :b' \\; SELECT :a, ':a';",
  );
  expect(linesOf(steps)).toEqual([
    "DO $x$ BEGIN b := <a>; c := d[1:n]::int; END $x$",
    "SELECT <a>, '::a <a> :b'; SELECT <a>, '<a>'",
  ]);
  expect(steps.map((step) => step.kind === "sql" && step.quoted)).toEqual([undefined, [1, 3]]);
});

it("reads names of commands and units in upper case", () => {
  const { parameters, steps } = read("\\SET a 1\n\\Sleep 1 MS\n\\IF :a\nSELECT 1;\n\\ENDIF");
  expect(parameters).toHaveLength(1);
  expect(steps.map(({ kind }) => kind)).toEqual(["sleep", "if"]);
});

describe("reading a script", () => {
  const T = "SELECT 1;\n";
  it.each([
    ["", ["x.sql:1:1 the script has no statement"]],
    ["\\set a 1", ["x.sql:1:1 the script has no statement"]],
    [`${T}\\shell date`, ["x.sql:2:1 \\shell is refused: it runs a program"]],
    [`\\setshell a date\n${T}`, ["x.sql:1:1 \\setshell is refused: it runs a program"]],
    [`\\startpipeline\n${T}`, ["x.sql:1:1 \\startpipeline has no \\endpipeline"]],
    [`${T}\\syncpipeline`, ["x.sql:2:1 \\syncpipeline without \\startpipeline"]],
    [`${T}\\endpipeline`, ["x.sql:2:1 \\endpipeline without \\startpipeline"]],
    [
      `\\startpipeline\n${T}\\startpipeline\n\\endpipeline`,
      ["x.sql:3:1 \\startpipeline within a pipeline, which begins in line 1"],
    ],
    [
      `\\startpipeline\n\\if 1\n${T}\\endpipeline\n\\endif`,
      ["x.sql:4:1 \\endpipeline must stand in the same branch of \\if"],
    ],
    [`\\startpipeline\nSELECT 1 AS a \\gset\n\\endpipeline`, ["x.sql:2:15 \\gset needs an answer"]],
    [`${T}SELECT $$:scale$$;`, ["x.sql:2:1 :scale within $$:scale$$; a variable is a value"]],
    [`${T}SELECT ":scale";`, ["x.sql:2:1 :scale within"]],
    [`${T}\\sett a 1`, ["x.sql:2:1 \\sett is not a command of pgbench; did you mean \\set?"]],
    [`${T}  \\`, ["x.sql:2:3 \\ is not a command of pgbench"]],
    [`\\set a\n${T}`, ["x.sql:1:1 expected \\set name expression"]],
    [`\\set a unifrom(1, 2)\n${T}`, ["x.sql:1:8 "]],
    [`\\set a :b\n${T}`, ["x.sql:1:8 b has no value"]],
    [`\\set a 1 + \\\n  :b +\n${T}`, ["x.sql:"]],
    ["SELECT :a,\n  :b;", ["x.sql:1:1 a has no value; write \\set a ... above", "x.sql:1:1 b has no value"]],
    ["SELECT :a \\gset p_\nSELECT :q;", ["x.sql:1:1 a has no value", "x.sql:2:1 q has no value"]],
    [`${T}\\sleep`, ["x.sql:2:1 expected \\sleep number"]],
    [`${T}\\sleep 1 min`, ["x.sql:2:1 expected \\sleep number"]],
    [`${T}\\sleep :x ms`, ["x.sql:2:1 x has no value"]],
    ["\\gset\nSELECT 1;", ["x.sql:1:1 \\gset follows no statement"]],
    ["SELECT 1 \\gset a-b", ["x.sql:1:10 a-b is not the beginning of a name"]],
    ["SELECT 1 \\gset\n\\aset", ["x.sql:2:1 \\aset follows no statement"]],
    ["BEGIN \\gset\nEND;", ["x.sql:1:1 BEGIN returns no row"]],
    [`\\if\n${T}\\endif`, ["x.sql:1:1 \\if has no condition"]],
    [`\\if 1\n${T}`, ["x.sql:1:1 \\if has no \\endif"]],
    [
      `${T}\\elif 1\n\\else\n\\endif`,
      ["x.sql:2:1 \\elif without \\if", "x.sql:3:1 \\else", "x.sql:4:1 \\endif"],
    ],
    [`\\if 1\n${T}\\else\n\\elif 1\n\\else\n\\endif`, ["x.sql:4:1 \\elif behind \\else", "x.sql:5:1 \\else"]],
    [
      `\\if 1\n${T}\\else 1\n\\endif x`,
      ["x.sql:3:1 \\else takes nothing", "x.sql:4:1 \\endif takes nothing"],
    ],
    ["BEGIN;\nSELECT 1;", ["x.sql:1:1 the script may end inside of the transaction"]],
    ["BEGIN;\nBEGIN;\nSELECT 1; END;", ["x.sql:2:1 a transaction may be open here: it began in line 1"]],
    [
      "BEGIN;\nSELECT 1;\n\\if 1\nEND;\n\\endif",
      ["x.sql:1:1 the script may end inside of the transaction that begins here"],
    ],
    ["BEGIN; SELECT 1; COMMIT AND CHAIN;", ["x.sql:1:18 AND CHAIN is not supported"]],
    ["BEGIN ISOLATION LEVEL :scale; SELECT 1; END;", ["x.sql:1:1 BEGIN takes no variable"]],
    ["BEGIN; SELECT 1; PREPARE TRANSACTION 'x'; END;", ["x.sql:1:18 PREPARE TRANSACTION"]],
    [`${T}DROP SCHEMA public;`, ["x.sql:2:1 DROP SCHEMA reaches beyond"]],
    [`${T}SELECT 'x`, ["x.sql:2:8 ' begins here and does not end"]],
  ])("names each problem of %j with its place", (text, problems) => {
    const found = problemsOf(text);
    expect(found, found.join("\n")).toHaveLength(problems.length);
    for (const [i, problem] of problems.entries()) expect(found[i]).toContain(problem);
  });

  it("accepts a script of a megabyte", () => {
    const { script } = readScript("SELECT 1;\n".repeat(2000) + `-- ${"x".repeat(900_000)}`, "x.sql", []);
    expect(script.steps).toHaveLength(2000);
  });
});
