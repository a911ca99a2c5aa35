// Thresholds in the loader: their resolved form, and thresholds that would not be checked.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { OPERATIONS, WORKLOADS } from "../workloads/registry.js";
import { LATENCIES } from "../metrics/metric-lists.js";
import { parseScenario } from "./loader.js";
import type { Experiment } from "./settings.js";
import { workloadOf } from "../workloads/registry.js";
import { thresholdMetrics } from "./threshold-metrics.js";
import { isSelected } from "./thresholds.js";

const FACTORS = "factors: { payload: [text, jsonb], pool: [direct, { strategy: pg-pool, size: 9 }] }";

const scenarioOf = (thresholds: string, rest = FACTORS): string =>
  `name: x\nseed: 1\n${rest}\nthresholds: ${thresholds}`;

function load(thresholds: string, rest?: string): Experiment {
  return parseScenario(scenarioOf(thresholds, rest), "x.yaml");
}

const problems = (thresholds: string, rest?: string): string[] =>
  scenarioProblems(scenarioOf(thresholds, rest));

describe("a threshold", () => {
  test("has a metric, a selector and a condition", () => {
    const [threshold] = load(
      "{ 'add.poolwait{payload:text, pool:pg-pool-9}': 'p(99.9) <= 12.5' }",
    ).thresholds;
    expect(threshold).toEqual({
      metric: "add.poolwait{payload:text, pool:pg-pool-9}",
      source: "add.poolwait",
      selector: { payload: "text", pool: "pg-pool-9" },
      expression: "p(99.9) <= 12.5",
      aggregate: "p",
      percentile: 99.9,
      operator: "<=",
      bound: 12.5,
      abortOnFail: false,
      delayAbortEvalMs: 0,
    });
  });

  test("has a long form, which loads again from the resolved text", () => {
    const long = "{ threshold: 'failures===0', abortOnFail: true, delayAbortEval: 10s }";
    const experiment = load(`{ add: [avg<20, ${long}], process: ${long} }`);
    const brief = experiment.thresholds.map((each) => [each.source, each.operator, each.delayAbortEvalMs]);
    expect(brief).toEqual([
      ["add", "<", 0],
      ["add", "==", 10_000],
      ["process", "==", 10_000],
    ]);
    expect(parseScenario(experiment.yaml, "again.yaml")).toEqual(experiment);
  });

  test.each([
    ["add", "avg<1", "min>0", "med<1", "max<1", "p(95)<1", "count>1", "rate>50", "eventsPerSecond>1"],
    ["process", "failures==0", "retries<5", "emptyPolls<9"],
    ["process.service", "p(99)<5"],
    ["lifecycle.completed", "p(50)<1000"],
    ["integrity", "violations==0", "lost==0"],
    ["verdict", "tainted==0"],
    ["database", "sizeBytes<1000", "hotRatio>0.5"],
    ["__all__", "rate>1", "transactions/s>1", "failedShare<1"],
  ])("accepts the metric %s", (metric, ...conditions) => {
    const list = conditions.map((condition) => `'${condition}'`).join(", ");
    expect(load(`{ '${metric}': [${list}] }`).thresholds).toHaveLength(conditions.length);
  });

  test("selects a level whose name contains colons", () => {
    const pools =
      "factors: { pool: [direct, { strategy: pgbouncer, url: 'postgresql://app@pool.example:6432/app' }] }";
    const level = "pgbouncer-postgresql://app@pool.example:6432/app";
    const { thresholds, treatments } = load(`{ 'add{pool: ${level}}': [max<1] }`, pools);
    expect(thresholds[0]?.selector).toEqual({ pool: level });
    expect(treatments.map((one) => isSelected(thresholds[0] ?? { selector: {} }, one))).toEqual([
      false,
      true,
    ]);
    expect(
      problems("{ 'add{pool:pgbouncer-postgresql://app@pool.example:643/app}': [max<1] }", pools),
    ).toEqual([
      expect.stringMatching(/did you mean pgbouncer-postgresql:\/\/app@pool\.example:6432\/app\?$/),
    ]);
  });

  test("applies to treatments that have all levels of its selector", () => {
    const { thresholds, treatments } = load(
      "{ 'add{payload:text}': [max<1], 'add{treatment:jsonb-direct}': [max<1] }",
    );
    const selected = thresholds.map((each) =>
      treatments.filter((one) => isSelected(each, one)).map(({ id }) => id),
    );
    expect(selected).toEqual([["text-direct", "text-pg-pool-9"], ["jsonb-direct"]]);
  });
});

test("thresholds on arrivals require an open loop of the role's first operation or of the cycle", () => {
  const load = "{ executor: constant-arrival-rate, rate: 20, maxClients: 5 }";
  const producers = `actors: { producers: { load: ${load} } }`;
  const cycle = `topology: cycle\nactors: { cycle: { load: ${load} } }`;
  expect(problems("{ add: [dropped==0, offered>1], add.startdelay: [max<9] }", producers)).toEqual([]);
  expect(problems("{ __cycle__: [dropped==0] }", cycle)).toEqual([]);
  const refused = [
    expect.stringMatching(/is not started by a schedule here: only an arrival rate has arrivals/),
  ];
  expect(problems("{ process: [dropped==0] }", producers)).toEqual(refused);
  expect(problems("{ add: [dropped==0] }", cycle)).toEqual(refused);
  expect(problems("{ add.startdelay: [max<9] }")).toEqual(refused);
});

describe("a threshold that would never be checked", () => {
  test.each([
    ["an unknown metric", "{ ad: [max<1] }", /ad: no metric ad; did you mean add\?$/],
    ["an unknown measure", "{ add.poolwaits: [max<1] }", /did you mean add\.poolwait\?$/],
    [
      "an unknown aggregate",
      "{ add: [medium<1] }",
      /add has no medium; did you mean med\? \(seen "medium<1"\)$/,
    ],
    [
      "a percentile of a count",
      "{ integrity: ['p(9)<1'] }",
      /integrity has no p\(9\); it has violations, lost/,
    ],
    ["a rate of a latency", "{ add.service: [rate<1] }", /add\.service has no rate/],
    [
      "an unknown factor",
      "{ 'add{paylod:text}': [max<1] }",
      /paylod is not a factor .* did you mean payload\?$/,
    ],
    [
      "an unknown level",
      "{ 'add{payload:jsnb}': [max<1] }",
      /payload has no level jsnb; did you mean jsonb\?$/,
    ],
    ["a factor twice", "{ 'add{payload:text,payload:jsonb}': [max<1] }", /selects payload twice$/],
    [
      "an operation of weight 0",
      "{ insert: [max<1] }",
      /nothing measures insert here: no client runs it$/,
      "workload: documents",
    ],
    [
      "an operation of a role without clients",
      "{ read: [max<1] }",
      /nothing measures read here: it takes readers$/,
    ],
    ["a condition in no syntax", "{ add: [{ threshold: p99<1 }] }", /not a threshold in k6's syntax/],
    [
      "a long form with an unknown key",
      "{ add: { threshold: max<1, abort: true } }",
      /unknown key; valid keys: threshold, abortOnFail/,
    ],
  ])("is refused for %s", (_, thresholds, expected, more?: string) => {
    expect(problems(thresholds, more)).toEqual([expect.stringMatching(expected)]);
  });

  test("is refused if no treatment has all its levels", () => {
    const rest = `${FACTORS}\nexclude: [{ payload: text, pool: direct }]`;
    expect(problems("{ 'add{payload:text,pool:direct}': [max<1] }", rest)).toEqual([
      expect.stringMatching(/no treatment has these levels together$/),
    ]);
  });

  test("is refused with all its reasons", () => {
    expect(problems("{ __cycle__: [retries==0] }")).toEqual([
      expect.stringMatching(/nothing measures __cycle__ here: it takes cycle$/),
      expect.stringMatching(/__cycle__ has no retries/),
    ]);
  });

  test("is refused in addition to other problems", () => {
    expect(problems("{ ad: [max<1], add: [medium<1] }", "batch: { min: 9, max: 3 }")).toHaveLength(3);
  });
});

describe("metrics of thresholds", () => {
  test("are the workload's operations with their latencies, and all operations together", () => {
    const plain = [...thresholdMetrics([workloadOf({})]).keys()];
    expect(
      plain.filter(
        (name) => !name.includes(".") && !["integrity", "verdict", "database", "audit"].includes(name),
      ),
    ).toEqual([...OPERATIONS, "__all__"]);
    const measures = plain.filter((name) => name.startsWith("add.")).map((name) => name.slice(4));
    expect(measures).toEqual(LATENCIES.map(({ id }) => id));
  });

  test("name the roles that perform each operation", () => {
    for (const own of WORKLOADS) {
      const { name, roles, operations } = own;
      for (const operation of Object.keys(operations)) {
        const { workloads, roles: known } = thresholdMetrics([own]).get(operation) ?? {};
        const performing = Object.keys(roles).filter((role) => roles[role]?.operations.includes(operation));
        expect([workloads?.map((each) => each.name), known], operation).toEqual([[name], performing]);
      }
    }
  });
});
