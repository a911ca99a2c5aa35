import { expect, test } from "vitest";
import { scenarioProblems } from "../../../test/support/scenario-problems.js";
import { lint } from "../../analysis/lint/lint.js";
import { operationsOf } from "../../results/operation-results.js";
import { parseScenario } from "../../scenario/loader.js";
import { DISPATCHER_ONLY_WEIGHTS, READ_KINDS, READ_OPERATIONS } from "./settings.js";

const READERS = "actors: { producers: false, consumers: false, archivers: false, readers: {} }";
const scenario = (...lines: string[]): string => ["name: x", "seed: 1", ...lines].join("\n");

function settingsOf(...lines: string[]) {
  const [treatment] = parseScenario(scenario(...lines), "x.yaml").treatments;
  if (!treatment) throw new Error("a scenario has a treatment");
  return treatment.settings;
}

test("readers without weights do the dispatcher's read only", () => {
  const settings = settingsOf(READERS);
  expect(settings.reads).toEqual(DISPATCHER_ONLY_WEIGHTS);
  expect(operationsOf(settings)).toEqual(["read"]);
});

test("kinds of reads without a weight are left out", () => {
  const settings = settingsOf(READERS, "reads: { path: 2, byType: 0.5 }");
  expect(settings.reads).toEqual({ ...DISPATCHER_ONLY_WEIGHTS, dispatcher: 0, path: 2, byType: 0.5 });
  expect(operationsOf(settings)).toEqual(["readPath", "readByType"]);
});

test("every kind of read is a separate operation, in the order of its key", () => {
  const all = `reads: { ${READ_KINDS.map((kind) => `${kind}: 1`).join(", ")} }`;
  expect(operationsOf(settingsOf(READERS, all))).toEqual(Object.values(READ_OPERATIONS));
});

test("the weight of a kind of read may be a factor", () => {
  const { treatments } = parseScenario(
    scenario(READERS, "reads: { id: 1 }", "factors: { reads.path: [0, 1] }"),
    "x.yaml",
  );
  const operations = treatments.map(({ settings }) => operationsOf(settings));
  expect(operations).toEqual([["readId"], ["readId", "readPath"]]);
});

test("the cycle topology may have readers", () => {
  const settings = settingsOf("topology: cycle", "actors: { readers: {} }", "reads: { newest: 1 }");
  expect(operationsOf(settings)).toEqual(["add", "process", "archive", "readNewest", "__cycle__"]);
});

test.each([
  ["no weight above 0", "reads: { id: 0 }", /reads: all weights are 0: readers would ask for nothing$/],
  ["an unknown kind", "reads: { key: 1 }", /reads\.key: unknown key/],
  ["a threshold of a read of weight 0", "thresholds: { readId: [max<1] }", /no client runs it$/],
])("reads are refused with %s", (_, line, expected) => {
  expect(scenarioProblems(scenario(READERS, line))).toEqual([expect.stringMatching(expected)]);
});

test("lint warns of weights without readers", () => {
  const rulesOf = (...lines: string[]): string[] =>
    lint(parseScenario(scenario(...lines), "x.yaml")).map(({ rule }) => rule);
  expect(rulesOf("reads: { id: 1 }")).toContain("no-readers");
  expect(rulesOf("reads: { id: 1 }", READERS)).not.toContain("no-readers");
  expect(rulesOf()).not.toContain("no-readers");
});

test("refuses documentEvolution: new-member without preloaded documents, which lack the member", () => {
  const evolving = scenario("documentEvolution: new-member");
  expect(scenarioProblems(evolving)).toEqual([
    expect.stringContaining("documentEvolution: new-member needs"),
  ]);
  expect(scenarioProblems(`${evolving}\npreload: 100`)).toEqual([]);
});
