// Thresholds on ratios in the loader: the treatments that they pair, and thresholds that would not be
// checked.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { parseScenario } from "./loader.js";
import type { Experiment } from "./settings.js";

const FACTORS = "factors: { payload: [text, jsonb], pool: [direct, { strategy: pg-pool, size: 9 }] }";

const scenarioOf = (thresholds: string, rest = FACTORS): string =>
  `name: x\nseed: 1\n${rest}\nthresholds: ${thresholds}`;
const load = (thresholds: string, rest?: string): Experiment =>
  parseScenario(scenarioOf(thresholds, rest), "x.yaml");
const problems = (thresholds: string, rest?: string): string[] =>
  scenarioProblems(scenarioOf(thresholds, rest));

function pairs(metric: string, rest?: string): string[] {
  const [ratio] = load(`{ '${metric}': ['max<1'] }`, rest).ratioThresholds;
  return (ratio?.pairs ?? []).map(({ treatment, against }) => `${treatment} / ${against}`);
}

describe("a threshold on a ratio", () => {
  test("has two metrics with selectors, and conditions that may use the whole interval", () => {
    const experiment = load(
      "{ 'add{payload:text} / add{payload:jsonb}': ['events/s surely >= 1.2', 'p(95)<0.8'], add: [max<9] }",
    );
    const side = { source: "add", aggregate: "eventsPerSecond" };
    expect(experiment.ratioThresholds).toEqual([
      {
        metric: "add{payload:text} / add{payload:jsonb}",
        expression: "events/s surely >= 1.2",
        operator: ">=",
        bound: 1.2,
        isSure: true,
        abortOnFail: false,
        over: side,
        under: side,
        pairs: [
          { treatment: "text-direct", against: "jsonb-direct" },
          { treatment: "text-pg-pool-9", against: "jsonb-pg-pool-9" },
        ],
      },
      expect.objectContaining({
        isSure: false,
        over: { source: "add", aggregate: "p", percentile: 95 },
      }),
    ]);
    expect(experiment.thresholds).toHaveLength(1);
    expect(parseScenario(experiment.yaml, "again.yaml")).toEqual(experiment);
  });

  test.each([
    [
      "add{payload:text} / add{payload:jsonb}",
      ["text-direct / jsonb-direct", "text-pg-pool-9 / jsonb-pg-pool-9"],
    ],
    ["add{payload:text,pool:direct}/add{payload:jsonb}", ["text-direct / jsonb-direct"]],
    ["add{payload:text} / add{payload:jsonb,pool:direct}", ["text-direct / jsonb-direct"]],
    ["add{treatment:text-pg-pool-9} / add{payload:jsonb}", ["text-pg-pool-9 / jsonb-pg-pool-9"]],
    ["add{treatment:text-pg-pool-9} / add{treatment:jsonb-direct}", ["text-pg-pool-9 / jsonb-direct"]],
    [
      "process / add",
      ["text-direct", "text-pg-pool-9", "jsonb-direct", "jsonb-pg-pool-9"].map((id) => `${id} / ${id}`),
    ],
  ])(
    "pairs treatments that agree in all factors except those that both sides select: %s",
    (metric, expected) => {
      expect(pairs(metric)).toEqual(expected);
    },
  );

  test("selects A/A pairs by name, and levels that contain a slash", () => {
    expect(pairs("add{payload:text-b} / add{payload:text-a}", "factors: { payload: [text, text] }")).toEqual([
      "text-b / text-a",
    ]);
    const rest =
      "factors: { pool: [direct, { strategy: pgbouncer, url: 'postgresql://app@pool.example:6432/app' }] }";
    const level = "pgbouncer-postgresql://app@pool.example:6432/app";
    expect(pairs(`add{pool:${level}} / add{pool:direct}`, rest)).toHaveLength(1);
  });

  test.each([
    ["add.poolwait", "p(99)<1"],
    ["lifecycle.completed", "avg<1"],
    ["__all__", "transactions/s>1"],
    ["database", "sizeBytes<1.2"],
    ["database.perEvent", "walBytes<0.9"],
    ["add", "failedShare<1"],
  ])("accepts metric %s with the condition %s", (source, condition) => {
    expect(problems(`{ '${source}{payload:text} / ${source}{payload:jsonb}': ['${condition}'] }`)).toEqual(
      [],
    );
  });
});

describe("a threshold on a ratio that would never be checked", () => {
  const over = (condition: string): string => `{ 'add{payload:text} / add{payload:jsonb}': [${condition}] }`;
  test.each([
    ["an unknown denominator", "{ 'add / ad': [max<1] }", /no metric ad; did you mean add\?$/],
    ["no denominator", "{ 'add / ': [max<1] }", /not a metric in k6's syntax/],
    ["three metrics", "{ 'add / add / add': [max<1] }", /not a metric in k6's syntax/],
    ["an unknown level", "{ 'add{payload:text} / add{payload:jsnb}': [max<1] }", /did you mean jsonb\?$/],
    ["an unknown factor", "{ 'add{paylod:text} / add{payload:jsonb}': [max<1] }", /did you mean payload\?$/],
    ["equal sides", "{ 'add / add': [max<1] }", /both sides are the same treatment; name a factor on both/],
    [
      "a factor selected on one side only",
      "{ 'add{payload:text} / add': [max<1] }",
      /both sides are the same treatment/,
    ],
    ["an aggregate that one metric lacks", "{ 'process / integrity': [lost<1] }", /integrity has no ratio/],
    ["an aggregate that both metrics lack", over("medium<1"), /add has no medium; did you mean med\?/],
    ["an operation that is not measured", "{ 'read / add': [max<1] }", /nothing measures read here/],
    ["arrivals of a closed loop", over("dropped<1"), /only an arrival rate has arrivals/],
    ["an interval that equals a number", over("max surely==1"), /surely takes < <= > >=/],
    [
      "delayAbortEval",
      over("{ threshold: max<1, abortOnFail: true, delayAbortEval: 1s }"),
      /a ratio is judged after whole trials; remove delayAbortEval/,
    ],
    ["surely without a ratio", "{ add: ['max surely<1'] }", /surely is for ratios, such as/],
    ["surely without a quantity", over("surely<1"), /add has no surely/],
  ])("is refused for %s", (_, thresholds, expected) => {
    expect(problems(thresholds)).toEqual([expect.stringMatching(expected)]);
  });

  test("is refused at its place if a treatment has no counterpart", () => {
    const rest = `${FACTORS}\nexclude: [{ payload: jsonb, pool: direct }]`;
    const expected = /^x\.yaml:5:\d+ .*text-direct has no counterpart on the other side; select levels/;
    expect(problems("{ 'add{payload:text} / add{payload:jsonb}': [max<1] }", rest)).toEqual([
      expect.stringMatching(expected),
    ]);
    expect(problems("{ 'add{payload:jsonb} / add{payload:text}': [max<1] }", rest)).toEqual([
      expect.stringMatching(/text-direct has no counterpart/),
    ]);
    expect(pairs("add{payload:text,pool:pg-pool-9} / add{payload:jsonb}", rest)).toHaveLength(1);
    expect(problems("{ 'add{payload:text,pool:direct} / add{payload:jsonb}': [max<1] }", rest)).toEqual([
      expect.stringMatching(/text-direct has no counterpart/),
    ]);
  });

  test("is refused if only one side has an included level", () => {
    const rest = `${FACTORS}\ninclude: [{ payload: text, statementShape: row-by-row }]`;
    expect(problems("{ 'add{payload:text} / add{payload:jsonb}': [max<1] }", rest)).toEqual([
      expect.stringMatching(/text-\S+ has no counterpart/),
    ]);
    expect(problems("{ 'add{payload:jsonb} / add{payload:text}': [max<1] }", rest)).toEqual([
      expect.stringMatching(/jsonb-\S+ has no counterpart/),
    ]);
  });

  test("is refused without the password of a level", () => {
    const level = "postgresql://app:s3cret@db.example:5432/x";
    const [problem = ""] = problems(`{ "add{payload:${level}} / add{payload:text}": [max<1] }`);
    expect(problem).toContain("has no level postgresql://app@db.example:5432/x");
    expect(problem).not.toContain("s3cret");
  });
});
