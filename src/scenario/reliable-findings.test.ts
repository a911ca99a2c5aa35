// Every rule still reports its problem if the schema refuses other keys, unless the rule reads them: one scenario that
// breaks each rule, with an unrelated mistake.
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { REFUSED_EXAMPLES } from "../cli/reference/reference-refused.js";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { isMapping, type Mapping } from "../syntax/paths.js";
import { resolveTreatment } from "./resolve.js";
import { readScenario, rulesOf } from "./rules.js";

const daily = "executor: daily-arrival-rate, rate: 20, maxClients: 16, profile: { name: streaming-day";

/** One violation for each rule that no refused example of the reference breaks. */
const VIOLATIONS = [
  "batch: { min: 100, max: 10 }",
  "appDelay: { min: 20ms, max: 10ms }",
  "dialect: cockroachdb\npayload: text",
  "prepared: simple",
  "target: { settings: { port: 5433 } }",
  "target: { standbys: 1 }\npool: pgbouncer",
  "target: { settings: { max_connections: 5 } }",
  "trial: { coldCache: true }",
  "target: { url: postgresql://a@b/c }\npool: { strategy: pgbouncer, url: postgresql://a@b/c, urls: [postgresql://a@b/c] }",
  "actors: { producers: { load: { thinkTime: { min: 20ms, max: 10ms } } } }",
  "retry: { base: 2s, ceiling: 1s }",
  `actors: { consumers: { load: { ${daily} } } } }`,
  `documentSize: 1MB\nactors: { producers: { load: { ${daily}, sizes: { large: 1000 } } } } }`,
  "advance: { claim: 0 }",
  "documentEvolution: new-member",
  "actors: { producers: false, consumers: false, archivers: false }",
  "clients: 64\nactors: { producers: { workers: 64 }, consumers: { workers: 64 }, archivers: { workers: 64 }, readers: { workers: 64 } }",
  "storage: unlogged",
  "workload: connections\nstorage: unlogged",
  "workload: connections\nweights: { account: 0, script: 0 }",
  "workload: accounts\nstorage: unlogged",
  "workload: documents\nstorage: unlogged",
  "workload: documents\ncolumn: relational\nshape: complex",
  "workload: documents\nmix: { insert: 0, read: 0, update: 0, slice: 0 }",
  "workload: documents\nshape: large\nbytes: 100B",
  "workload: documents\nshape: small\nmix: { slice: 1 }",
  "workload: calls\nstorage: hash-sharded",
  "workload: calls\nanalyze: false",
  "workload: calls\nindexes: brin\nstorage: pax\ndialect: cloudberry",
  "workload: calls\nactors: { loaders: false, probes: false }",
  "workload: calls\npool: { strategy: pgbouncer, mode: statement }",
  `workload: calls\ncommit: once\nactors: { loaders: { load: { ${daily} } } } }`,
];

/** The rules that a scenario breaks; empty if the schema refuses the scenario, or its workload is a file. */
function brokenRules(yaml: string): ReturnType<typeof rulesOf> {
  const raw = parse(yaml) as Mapping;
  if (isMapping(raw["workload"]) || String(raw["workload"]).includes("/")) return [];
  const found = readScenario({ seed: 1, ...raw });
  if ("findings" in found) return [];
  const settings = resolveTreatment(found.scenario);
  return rulesOf(found.scenario).filter((rule) => rule(found.scenario, settings).length > 0);
}

const SCENARIOS = [
  ...VIOLATIONS.map((yaml) => `name: x\n${yaml}`),
  ...REFUSED_EXAMPLES.map(({ yaml }) => yaml),
];
const BREAKING = SCENARIOS.filter((yaml) => brokenRules(yaml).length > 0);

it.each(["train-events", "connections", "accounts", "documents", "calls"])(
  "each rule of workload %s is broken by a scenario of this test",
  (workload) => {
    const found = readScenario({ name: "x", seed: 1, workload });
    if ("findings" in found) throw new Error("the scenario is sound");
    const broken = new Set(BREAKING.flatMap(brokenRules));
    const unbroken = rulesOf(found.scenario).filter((rule) => !broken.has(rule));
    expect(unbroken.map(String)).toEqual([]);
  },
);

/** Places and messages of problems, without line and column. */
const wordsOf = (yaml: string): string[] => scenarioProblems(yaml).map((text) => text.replace(/^\S+ /, ""));

describe.each(BREAKING)("%s", (yaml) => {
  const own = wordsOf(yaml);

  it.each([
    ["an invalid value", "log: 5"],
    ["a misspelt key", "lgo: { level: info }"],
    ["a key of the experiment", "orderSeed: -1"],
    ["a key in another mapping", "evidence: { evry: 1s }"],
  ])("keeps its problems if the scenario also has %s", (_, fault) => {
    const [key = ""] = fault.split(":");
    const found = wordsOf(`${yaml}\n${fault}`);
    expect(found.filter((words) => !words.startsWith(key)).sort()).toEqual([...own].sort());
    expect(found).toHaveLength(own.length + 1);
  });
});

test("swapped bounds of a batch are reported in addition to a misspelt locking", () => {
  expect(wordsOf("name: x\nbatch: { min: 100, max: 10 }\nlocking: nowiat")).toEqual([
    expect.stringMatching(/^batch\.min: min must not be greater than max/),
    expect.stringMatching(/^locking: not one of/),
  ]);
});

describe("a rule that reads a refused or misspelt key", () => {
  it.each([
    ["a refused value", "batch: { min: 200, max: many }", "batch.max"],
    ["the default of a misspelt key", "batch: { min: 200, maks: 300 }", "batch.maks"],
    ["a key that an unknown key may mean", "batch: { min: 200, upper: 300 }", "batch.upper"],
    ["a kind implied by a refused key", "dialect: cockroachdb\ntarget: { url: 5 }", "target.url"],
    ["a refused list", "faults: [{ at: 20m, kind: postgres-kill }, { at: 5 }]", "faults[1]"],
    [
      "levels of misspelt factors",
      "batch: { min: 100, max: 10 }\nfactrs: { batch.max: [200, 300] }",
      "factrs",
    ],
  ])("reports nothing for %s", (_, yaml, place) => {
    const found = wordsOf(`name: x\n${yaml}`);
    expect(found.filter((words) => !words.startsWith(place))).toEqual([]);
    expect(found.length).toBeGreaterThan(0);
  });
});

describe("rules of thresholds, objective and stopping", () => {
  it("report their problems even if another key is refused", () => {
    const found = wordsOf(
      "name: x\nlog: 5\nthresholds: { ad: ['p(99)<5'] }\norder: racing\nobjective: maximise ad.events/s",
    );
    const places = found.map((words) => words.split(":")[0]);
    expect(places.sort()).toEqual(["log", "objective", "thresholds.ad", "trials"]);
  });

  it("report nothing if a level is refused", () => {
    const found = wordsOf(
      "name: x\nfactors: { payload: [jsonb, txt] }\nthresholds: { 'add{payload:text}': [max<5] }",
    );
    expect(found).toHaveLength(1);
  });
});
