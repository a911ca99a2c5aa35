// Two scenarios as two treatments of one scenario: each keeps its file and settings, also a setting that the other
// lacks.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { parseScenario, singleTreatments } from "./loader.js";
import { listedScenario } from "./pair.js";
import type { Overrides } from "./plan/overrides.js";

const directory = mkdtempSync(join(tmpdir(), "train-sim-pair-"));
afterAll(() => rmSync(directory, { recursive: true }));
const file = join(directory, "scenario.yaml");

const sqlOf = (...transactions: string[]): string =>
  "-- workload: load\n-- schema\nCREATE TABLE item (id int);\n" +
  transactions.map((name) => `-- name: ${name}\nSELECT id FROM item;\n`).join("");
writeFileSync(join(directory, "one.sql"), sqlOf("look"));
writeFileSync(join(directory, "two.sql"), sqlOf("look", "see"));
writeFileSync(join(directory, "three.sql"), `-- setting: rows = 1\n${sqlOf("look")}`);
mkdirSync(join(directory, "new"));
writeFileSync(join(directory, "new", "one.sql"), sqlOf("look"));
writeFileSync(
  join(directory, "index.sql"),
  `${sqlOf("look")}-- variant: none\n-- variant: full\n-- schema\nCREATE INDEX ON item (id);\n`,
);

function pairScenarios(one: string, other: string): ReturnType<typeof parseScenario> {
  const [a, b] = [one, other].map((yaml) => singleTreatments(`name: n\n${yaml}`, file, {})[0]?.scenario);
  const yaml = listedScenario([a ?? {}, b ?? {}], { name: "pair", seed: 7, trials: { max: 9 } });
  const experiment = parseScenario(yaml, file);
  // The stored text loads to the same treatments.
  expect(parseScenario(experiment.yaml, file).treatments).toEqual(experiment.treatments);
  for (const [i, each] of [one, other].entries())
    expect(experiment.treatments[i]?.settings).toEqual(
      parseScenario(`name: n\n${each}`, file).treatments[0]?.settings,
    );
  return experiment;
}

it("a pair has the workload file of each scenario, named by file", () => {
  const { treatments, stopping } = pairScenarios(
    "workload: ./one.sql\n",
    "workload: ./two.sql\nprepared: false\n",
  );
  expect(treatments.map(({ id }) => id)).toEqual(["one.sql", "two.sql-prepared-false"]);
  expect(treatments[0]?.levels["workload"]).toBe("one.sql");
  expect(stopping).toMatchObject({ min: 5, max: 9 });
});

it("a pair has the settings of each scenario, also settings that one of them lacks", () => {
  pairScenarios("payload: text\n", "payload: jsonb\n");
  pairScenarios("payload: text\n", "payload: text\nprepared: false\n");
  pairScenarios(
    "factors: { payload: [text], pool.size: [4] }\npool: { strategy: pg-pool }\n",
    "payload: text\n",
  );
  pairScenarios("payload: text\nprepared: false\npool: { strategy: pg-pool, size: 4 }\n", "payload: text\n");
});

it("a pair keeps the password of a URL for the run, but not in the stored text", () => {
  const url = "target: { url: 'postgresql://u:secret@h:5432/d' }\n";
  const [a, b] = ["payload: text", "payload: jsonb"].map(
    (each) => singleTreatments(`name: n\n${url}${each}\n`, file, {})[0]?.scenario,
  );
  const experiment = parseScenario(listedScenario([a ?? {}, b ?? {}], { name: "p", seed: 1 }), file);
  expect(JSON.stringify(experiment.treatments[1]?.settings.target)).toContain("secret");
  expect(experiment.yaml).not.toContain("secret");
});

it("include may list the user's workload files, relative to the scenario", () => {
  const yaml = "name: n\nworkload: ./one.sql\ninclude: [{ workload: ./one.sql }, { workload: ./two.sql }]\n";
  const { treatments, yaml: stored } = parseScenario(yaml, file);
  expect(treatments.map(({ settings }) => settings.workload)).toEqual([
    { file: "one.sql", sql: sqlOf("look") },
    { file: "two.sql", sql: sqlOf("look", "see") },
  ]);
  expect((parse(stored) as { include: unknown[] }).include[1]).toHaveProperty("workload.sql");
});

/** Ids of the treatments; the stored text loads to the same ones. */
function idsOf(yaml: string, overrides: Overrides = {}): string[] {
  const { treatments, yaml: stored } = parseScenario(`name: n\n${yaml}\n`, file, overrides);
  expect(parseScenario(stored, file).treatments).toEqual(treatments);
  return treatments.map(({ id }) => id);
}

it("files of the user are levels of a factor, named by label or file, and by content if two share a name", () => {
  expect(idsOf("factors: { workload: [./one.sql, ./two.sql], clients: [2, 8] }")).toEqual([
    "one.sql-clients-2",
    "one.sql-clients-8",
    "two.sql-clients-2",
    "two.sql-clients-8",
  ]);
  expect(idsOf("include: [{ workload: ./one.sql }, { workload: ./two.sql }]")).toEqual([
    "one.sql",
    "two.sql",
  ]);
  const labelled = "{ label: before, file: ./one.sql }";
  expect(idsOf(`factors: { workload: [${labelled}, ./two.sql] }`)).toEqual(["before", "two.sql"]);
  expect(idsOf("factors: { workload: [./one.sql, ./new/one.sql] }")).toEqual(["one.sql-a", "one.sql-b"]);
  writeFileSync(join(directory, "new", "one.sql"), sqlOf("look", "see"));
  expect(idsOf("factors: { workload: [./one.sql, ./new/one.sql] }")).toEqual([
    expect.stringMatching(/^one\.sql-[0-9a-f]{7}$/),
    expect.stringMatching(/^one\.sql-[0-9a-f]{7}$/),
  ]);
});

const tablesOf = (index: string): string =>
  `CREATE TABLE item (id int);\n${index}-- preload\nINSERT INTO item VALUES (1);\n`;
writeFileSync(join(directory, "look.sql"), "\\set id random(1, 9)\nSELECT id FROM item WHERE id = :id;\n");
writeFileSync(join(directory, "no-index.sql"), tablesOf(""));
writeFileSync(join(directory, "with-index.sql"), tablesOf("CREATE INDEX ON item (id);\n"));
writeFileSync(
  join(directory, "variants.sql"),
  `${tablesOf("")}-- variant: a\n-- variant: b\nCREATE INDEX ON item (id);\n`,
);
const scripts = "workload: { pgbench: [./look.sql] }\n";

it("tables and scripts of pgbench may vary, each a file relative to the scenario", () => {
  const ids = ["no-index.sql", "with-index.sql"];
  const files = "[./no-index.sql, ./with-index.sql]";
  expect(idsOf(`${scripts}factors: { workload.tables: ${files} }`)).toEqual(ids);
  expect(
    idsOf(`${scripts}factors: { workload.tables: ${files}, clients: [2, 8] }
exclude: [{ workload.tables: ./no-index.sql, clients: 8 }]`),
  ).toHaveLength(3);
  expect(
    idsOf(`${scripts}include: [{ workload.tables: ./no-index.sql }, { workload.tables: ./with-index.sql }]`),
  ).toEqual(ids);
  const set = [`factors.workload.tables=[${ids.map((each) => join(directory, each)).join(", ")}]`];
  expect(idsOf(scripts, { set })).toEqual(ids);
  expect(
    idsOf("workload: { pgbench: [./look.sql], tables: ./variants.sql }\nfactors: { clients: [2] }"),
  ).toEqual(["clients-2-a", "clients-2-b"]);
  expect(
    idsOf(
      'workload: { pgbench: [./look.sql], tables: ./no-index.sql }\nfactors: { workload.pgbench: [[./look.sql], [./look.sql@2, "builtin:select-only"]] }',
    ),
  ).toHaveLength(2);
});

it("the guide's scenario that varies the tables of scripts loads", () => {
  const guide = readFileSync(new URL("../../docs/guide/your-workload.md", import.meta.url), "utf8");
  const yaml = /```yaml\n([^`]*workload\.tables[^`]*)```/.exec(guide)?.[1] ?? "";
  const read = (path: string): string => (/index/.test(path) ? tablesOf(`-- ${path}\n`) : "SELECT 1;\n");
  expect(parseScenario(yaml, file, { read }).treatments.map(({ id }) => id)).toEqual([
    "no-index.sql",
    "index.sql",
  ]);
});

it("a level of the workload may be excluded, have settings that others lack, and be named by --set", () => {
  const yaml = "factors: { workload: [./one.sql, ./two.sql], clients: [2, 8] }\n";
  expect(idsOf(`${yaml}exclude: [{ workload: ./two.sql, clients: 8 }]`)).toHaveLength(3);
  expect(idsOf("include: [{ workload: ./one.sql }, { workload: ./three.sql, rows: 5 }]")).toEqual([
    "one.sql",
    "three.sql-rows-5",
  ]);
  const set = [`factors.workload=[${join(directory, "one.sql")}, ${join(directory, "three.sql")}]`];
  expect(idsOf("workload: ./one.sql", { set })).toEqual(["one.sql", "three.sql"]);
});

it("thresholds may name operations that only one of the files has", () => {
  const threshold = (selector: string): string =>
    `factors: { workload: [./one.sql, ./two.sql] }\nthresholds: { "see${selector}": ["p(99)<50"] }\n`;
  expect(idsOf(threshold("{workload:two.sql}"))).toHaveLength(2);
  expect(() => idsOf(threshold("{workload:one.sql}"))).toThrow(/nothing measures see here/);
});

it("--against compares the scenario's own file with another one", () => {
  const against = join(directory, "two.sql");
  expect(idsOf("workload: ./one.sql", { against })).toEqual(["one.sql", "two.sql"]);
  expect(idsOf("workload: ./one.sql\nfactors: { clients: [2, 8] }", { against })).toHaveLength(4);
  expect(() => idsOf("payload: text", { against })).toThrow(/--against needs one file of yours/);
  expect(() => idsOf("workload: ./one.sql", { against: "accounts" })).toThrow(/no file of SQL/);
});

it("variants of a file are a factor unless the scenario names one", () => {
  expect(idsOf("workload: ./index.sql")).toEqual(["none", "full"]);
  expect(idsOf("workload: ./index.sql\nvariant: full")).toEqual(["base"]);
  expect(idsOf("workload: ./index.sql", { set: ["variant=full"] })).toEqual(["base"]);
  expect(idsOf("workload: ./index.sql\nfactors: { clients: [1, 2] }")).toHaveLength(4);
  expect(() => idsOf("workload: ./index.sql\nvariant: ful")).toThrow(/variant: .*full/);
  expect(() => idsOf("workload: ./index.sql\ninclude: [{ clients: 1 }, { clients: 2 }]")).toThrow(/variant/);
});

it.each([
  ["include: [{ workload: accounts }]", "workload: ./one.sql", /include\[0\].*among your own files/],
  ["include: [{ workload: ./one.sql }]", "payload: text", /payload: unknown key/],
  [
    "include: [{ workload: ./one.sql }, { clients: 2 }]",
    "trials: 5",
    /include\[1\]: names no workload; name it here or above/,
  ],
  [
    "include: [{ workload: ./two.sql }]",
    "workload: ./one.sql",
    /include: leaves one treatment, and the scenario's own workload in none; list both files in factors.workload/,
  ],
  [
    "factors: { clients: [2, 8] }\ninclude: [{ workload: ./one.sql }, { workload: ./two.sql }]",
    "workload: ./one.sql",
    /include\[0\]: a later entry sets workload of the same combinations; leave factors out/,
  ],
  [
    "factors: { clients: [2, 8] }\ninclude: [{ workload: ./two.sql }]",
    "workload: ./one.sql",
    /include\[0\]\.workload: replaces the workload above in every treatment/,
  ],
  [
    "include: [{ workload: ./none.sql }]",
    "workload: ./one.sql",
    /include\[0\]\.workload.*cannot read .*none\.sql/,
  ],
  [
    "factors: { workload: [./one.sql, accounts] }",
    "prepared: true",
    /factors\.workload\[1\].*your own files alone/,
  ],
  [
    "factors: { workload.tables: [./no-index.sql, ./none.sql] }",
    scripts,
    /1 problem[^]*factors\."workload\.tables"\[1\].*cannot read .*none\.sql: it does not exist/,
  ],
  ["factors: { workload.tables: [./no-index.sql, ./one.sql] }", scripts, /problem.*one\.sql[^]*name belongs/],
  ["factors: { workload.define.scale: [1, 2] }", scripts, /workload.pgbench:1: scale is defined twice/],
  [
    "include: [{ workload: { tables: ./no-index.sql } }]",
    scripts,
    /include\[0\]\.workload: is no whole workload; .*workload\.tables/,
  ],
  [
    "factors: { workload: [./one.sql, { label: 1 2, file: ./two.sql }] }",
    "trials: 5",
    /1 problem[^]*factors\.workload\[1\]: expected a label: a letter/,
  ],
  ["factors: { workload: [./one.sql, ./two.sql] }", "workload: ./three.sql", /set above and varies here/],
])("an inclusion is refused: %s with %s", (more, first, message) => {
  expect(() => parseScenario(`name: n\n${first}\n${more}\n`, file)).toThrow(message);
});
