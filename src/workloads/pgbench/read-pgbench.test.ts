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
