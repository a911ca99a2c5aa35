import { expect, it } from "vitest";
import { readSqlFile } from "../sql-file/read-sql-file.js";
import { readPgbench, type PgbenchScripts } from "./read-pgbench.js";
import { toSqlFile } from "./to-sql-file.js";

function importScripts(scripts: PgbenchScripts["scripts"], define: PgbenchScripts["define"] = {}) {
  const read = readPgbench({ scripts, scale: 2, define }, "pgbench");
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return { program: read.program, printed: toSqlFile(read.program) };
}

it("a printed SQL file is read back as the same transactions, tables and invariants", () => {
  const own =
    "\\set n random(1, :top)\n-- a comment\nUPDATE pgbench_tellers\n  SET tbalance = :n::int WHERE filler = ':m' OR tid = :n";
  const { program, printed } = importScripts(["builtin:tpcb-like@3", "builtin:select-only"], {
    top: 5,
    word: "a b",
  });
  const mine = importScripts([{ script: "mine.sql", sql: own }], { top: 5 });
  for (const [before, after] of [
    [program, printed],
    [mine.program, mine.printed],
  ] as const) {
    if ("problems" in after) throw new Error(JSON.stringify(after.problems));
    const read = readSqlFile(after.text, "x.sql");
    if ("problems" in read) throw new Error(JSON.stringify(read.problems));
    const again = read.program;
    const settings = (each: typeof again) => each.settings.map(({ name, value }) => [name, value]);
    const texts = (
      each: readonly { readonly pieces: readonly string[]; readonly variables: readonly string[] }[],
    ) => each.map(({ pieces, variables }) => [pieces, variables]);
    expect(settings(again)).toEqual(settings(before));
    for (const part of ["schema", "preload"] as const)
      expect(texts(again[part])).toEqual(texts(before[part]));
    expect(texts(again.invariants.map(({ sql }) => sql))).toEqual(
      texts(before.invariants.map(({ sql }) => sql)),
    );
    for (const [i, { name, weight, isReadOnly, parameters, steps }] of again.transactions.entries()) {
      const one = before.transactions[i] ?? expect.fail("more transactions than before");
      expect({ name, weight, isReadOnly }).toMatchObject({
        name: one.name,
        weight: one.weight,
        isReadOnly: one.isReadOnly,
      });
      expect(parameters).toEqual(
        one.parameters.map(({ variable, expression }) => ({ variable, expression })),
      );
      const sql = (all: typeof steps) => texts(all.filter((step) => step.kind === "sql"));
      expect(sql(steps)).toEqual(sql(one.steps));
    }
  }
});

it("prints transactions one after the other, and pauses between and inside them, as parts", () => {
  const claim =
    "BEGIN;\nUPDATE a SET s = 1;\nSELECT 2;\n\\sleep 3 ms\nSELECT 3;\nEND;\n\\sleep :n us\nDELETE FROM a;\nSELECT 4;";
  const { printed } = importScripts([{ script: "claim.sql", sql: claim }], { n: 5 });
  const text = "text" in printed ? printed.text : JSON.stringify(printed.problems);
  expect(text.slice(text.indexOf("-- name"))).toBe(
    "-- name: claim\nUPDATE a SET s = 1;\nSELECT 2;\n-- sleep: 3000us\nSELECT 3;\n-- commit\n-- sleep: :n us\nDELETE FROM a;\n-- commit\nSELECT 4;\n",
  );
  const read = readSqlFile(text, "x.sql");
  const [transaction] = "program" in read ? read.program.transactions : [];
  expect(transaction?.isWhole).toBe(false);
  expect(transaction?.steps.map((step) => ("does" in step ? step.does : step.kind))).toEqual([
    ...["begin", "sql", "sql", "sleep", "sql", "commit", "sleep", "sql", "sql"],
  ]);
});

it("a SQL file from other than built-in scripts contains no tables", () => {
  const { printed } = importScripts([{ script: "mine.sql", sql: "SELECT 1" }]);
  expect("text" in printed ? printed.text : "").not.toContain("pgbench_accounts");
});

it.each([
  ["\\set a 1\n\\set a :a + 1\nSELECT :a;", "2:1 a has a value already"],
  ["SELECT 1;\n\\set a 1\n", "2:1 \\set behind a statement"],
  ["\\sleep 1 ms\nSELECT 1;", "1:1 \\sleep above or below all statements; remove it"],
  ["\\if 1\nSELECT 1;\n\\endif", "1:1 \\if; write each branch"],
  ["SELECT 1 AS a \\gset", "1:1 \\gset takes every column"],
  ["SELECT 1 \\; SELECT 2;", "1:1 statements joined by \\;"],
  ["\\set a 1\nDO $$ BEGIN PERFORM :a; END $$;", "2:1 statements joined by \\;, or variables in quotes"],
  ["BEGIN;\nSELECT 1;\nSAVEPOINT a;\nEND;", "3:1 SAVEPOINT"],
  [
    "BEGIN ISOLATION LEVEL SERIALIZABLE;\nSELECT 1;\nEND;",
    "1:1 BEGIN ISOLATION LEVEL SERIALIZABLE: use isolation",
  ],
  ["BEGIN;\nSELECT 1;\nROLLBACK;", "3:1 ROLLBACK: a file of SQL commits each transaction"],
  ["SELECT 1;\n\\sleep 1 ms", "2:1 \\sleep above or below all statements"],
  ["SELECT 1;\n-- or end\nSELECT 2;", "3:1 or end below the first transaction"],
])("refuses to print %j as a SQL file and names the place", (sql, problem) => {
  const { printed } = importScripts([{ script: "mine.sql", sql }]);
  const [first] = "problems" in printed ? printed.problems : [];
  expect(first && `${first.file}:${first.place.line}:${first.place.column} ${first.message}`).toContain(
    `mine.sql:${problem}`,
  );
});
