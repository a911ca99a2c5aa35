import { expect, it } from "vitest";
import { readPgbench, type PgbenchScripts } from "./read-pgbench.js";

const scriptsOf = (
  scripts: PgbenchScripts["scripts"],
  define: PgbenchScripts["define"] = {},
): PgbenchScripts => ({
  scripts,
  define,
  scale: 3,
});

function programOf(scripts: PgbenchScripts["scripts"], define?: PgbenchScripts["define"]) {
  const read = readPgbench(scriptsOf(scripts, define), "workload.pgbench");
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.program;
}

function problemsOf(scripts: PgbenchScripts["scripts"], define?: PgbenchScripts["define"]): string[] {
  const read = readPgbench(scriptsOf(scripts, define), "workload.pgbench");
  return "problems" in read ? read.problems.map(({ file, message }) => `${file}: ${message}`) : [];
}

it("makes a weighted operation of each script, and settings of the scale and the defined variables", () => {
  const program = programOf(
    ["builtin:tpcb@9", "builtin:select-only", { script: "a/b@c/my.sql@4", sql: "SELECT :n;" }],
    { n: 5 },
  );
  expect(program.transactions.map(({ name, weight, isReadOnly }) => [name, weight, isReadOnly])).toEqual([
    ["tpcb-like", 9, false],
    ["select-only", 1, true],
    ["my", 4, false],
  ]);
  expect(program.settings.map(({ name, value }) => [name, value])).toEqual([
    ["scale", 3],
    ["n", 5],
  ]);
  expect(program.schema).toHaveLength(4);
});

it("states invariants of the built-in scripts, and none if another script runs", () => {
  const names = (...scripts: PgbenchScripts["scripts"]): string[] =>
    programOf(scripts).invariants.map(({ name }) => name);
  expect(names("builtin:tpcb-like", "builtin:select-only")).toHaveLength(3);
  expect(names("builtin:simple-update", "builtin:tpcb-like")).toEqual([
    "accounts add up to the history",
    "branches add up to the tellers",
  ]);
  expect(names("builtin:select-only")).toEqual([]);
  expect(names("builtin:tpcb-like", { script: "x.sql", sql: "SELECT 1" })).toEqual([]);
});

it.each([
  [["builtin:tpcb-lick"], {}, ["workload.pgbench: no built-in script tpcb-lick; did you mean tpcb-like?"]],
  [["builtin:s"], {}, ["workload.pgbench: no built-in script s; "]],
  [["builtin:tpcb-like@0"], {}, ["workload.pgbench: builtin:tpcb-like@0: weight 0 is not"]],
  [["builtin:tpcb-like@x"], {}, ["workload.pgbench: builtin:tpcb-like@x: weight x is not"]],
  [["x.sql"], {}, ["workload.pgbench: x.sql was not read"]],
  [[{ script: "1 2.sql", sql: "SELECT 1" }], {}, ["workload.pgbench: 1 2.sql: the file's name becomes"]],
  [["builtin:tpcb", "builtin:tpcb-like"], {}, ["workload.pgbench: two scripts tpcb-like"]],
  [["builtin:tpcb"], { scale: 2 }, ["workload.pgbench: scale is defined twice"]],
  [
    [
      { script: "a.sql", sql: "SELECT :x" },
      { script: "b.sql@2", sql: "\\shell" },
    ],
    {},
    ["a.sql: x has no value", "b.sql: \\shell is refused"],
  ],
])("refuses scripts %j with definitions %j", (scripts, define, problems) => {
  const found = problemsOf(scripts, define);
  expect(found).toHaveLength(problems.length);
  for (const [i, problem] of problems.entries()) expect(found[i]).toContain(problem);
});

it("takes tables, rows and invariants from a file, and names problems with its name", () => {
  const read = (sql: string) =>
    readPgbench(
      {
        scripts: [{ script: "a.sql", sql: "SELECT 1 FROM jobs;" }],
        scale: 2,
        define: {},
        tables: { file: "t.sql", sql },
      },
      "workload.pgbench",
    );
  const good = read(
    "CREATE SCHEMA q;\nCREATE TABLE q.jobs (id int);\n-- preload\nINSERT INTO jobs SELECT generate_series(1, :scale);\n-- invariant: i\nSELECT true",
  );
  if ("problems" in good) throw new Error(JSON.stringify(good.problems));
  const { schema, preload, invariants } = good.program;
  expect(schema.map(({ pieces, place }) => [pieces, place])).toEqual([
    [['CREATE TABLE "jobs" (id int)'], { line: 2, column: 1, file: "t.sql" }],
  ]);
  expect(preload.map(({ variables }) => variables)).toEqual([["scale"]]);
  expect(invariants).toMatchObject([{ name: "i", sql: { place: { line: 6, file: "t.sql" } } }]);
  const bad = read("DROP DATABASE x;\n-- name: t\nSELECT :n;");
  expect(
    "problems" in bad && bad.problems.map(({ file, place, message }) => `${file}:${place.line} ${message}`),
  ).toEqual([
    expect.stringContaining("t.sql:1 DROP DATABASE reaches beyond") as string,
    expect.stringContaining("t.sql:2 name belongs to a file of SQL") as string,
    expect.stringContaining("t.sql:3 n is no setting") as string,
  ]);
});
