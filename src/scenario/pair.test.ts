// Two scenarios as two treatments of one scenario: each keeps its file and settings, also a setting that the other
// lacks.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { firstTreatment, parseScenario } from "./loader.js";
import { pairedScenario } from "./pair.js";

const directory = mkdtempSync(join(tmpdir(), "train-sim-pair-"));
afterAll(() => rmSync(directory, { recursive: true }));
const file = join(directory, "scenario.yaml");

const sqlOf = (...transactions: string[]): string =>
  "-- workload: load\n-- schema\nCREATE TABLE item (id int);\n" +
  transactions.map((name) => `-- name: ${name}\nSELECT id FROM item;\n`).join("");
writeFileSync(join(directory, "one.sql"), sqlOf("look"));
writeFileSync(join(directory, "two.sql"), sqlOf("look", "see"));

function pairScenarios(one: string, other: string): ReturnType<typeof parseScenario> {
  const [a, b] = [one, other].map((yaml) => firstTreatment(`name: n\n${yaml}`, file, {}));
  const yaml = pairedScenario(a ?? {}, b ?? {}, { name: "pair", seed: 7, trials: { max: 9 } });
  const experiment = parseScenario(yaml, file);
  // The stored text loads to the same treatments.
  expect(parseScenario(experiment.yaml, file).treatments).toEqual(experiment.treatments);
  for (const [i, each] of [one, other].entries())
    expect(experiment.treatments[i]?.settings).toEqual(
      parseScenario(`name: n\n${each}`, file).treatments[0]?.settings,
    );
  return experiment;
}

it("a pair has the workload file of each scenario, named by file and content", () => {
  const { treatments, stopping } = pairScenarios(
    "workload: ./one.sql\n",
    "workload: ./two.sql\nprepared: false\n",
  );
  expect(treatments.map(({ id }) => id)).toEqual([
    expect.stringMatching(/^one\.sql-[0-9a-f]{7}$/),
    expect.stringMatching(/^two\.sql-[0-9a-f]{7}-prepared-false$/),
  ]);
  expect(treatments[0]?.levels["workload"]).toMatch(/^one\.sql@[0-9a-f]{7}$/);
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
  const [a, b] = ["payload: text", "payload: jsonb"].map((each) =>
    firstTreatment(`name: n\n${url}${each}\n`, file, {}),
  );
  const experiment = parseScenario(pairedScenario(a ?? {}, b ?? {}, { name: "p", seed: 1 }), file);
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

it.each([
  ["include: [{ workload: accounts }]", "workload: ./one.sql", /include\[0\].*among your own files/],
  [
    "include: [{ workload: ./one.sql }]",
    "payload: text",
    /include\[0\].*one of which the scenario names above/,
  ],
  [
    "include: [{ workload: ./two.sql }]",
    "workload: ./one.sql",
    /include: leaves one treatment, and the scenario's own workload in none; add an entry for that/,
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
  ["factors: { workload: [./one.sql, ./two.sql] }", "prepared: true", /varies through include alone/],
])("an inclusion is refused: %s with %s", (more, first, message) => {
  expect(() => parseScenario(`name: n\n${first}\n${more}\n`, file)).toThrow(message);
});
