// The number of trials of a scenario: its forms, its plan, and refused combinations.
import { expect, it } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { extentDocument, extentText } from "../cli/validate.js";
import { renderPlan } from "../cli/plan.js";
import { parseScenario } from "./loader.js";

const TWO = "name: x\nfactors: { payload: [text, jsonb] }\n";

it("a plan until decided has all blocks that may run, in the order of a fixed number of trials", () => {
  const most = parseScenario(`${TWO}seed: 3\ntrials: { max: 8 }`, "x.yaml");
  expect(most.stopping).toEqual({ min: 5, max: 8, within: 0.05 });
  expect(most.trials).toEqual(parseScenario(`${TWO}seed: 3\ntrials: 8`, "x.yaml").trials);
  expect(parseScenario(`${TWO}trials: 8`, "x.yaml").stopping).toBeUndefined();
  expect(parseScenario(`${TWO}trials: 8\nbudget: 1h`, "x.yaml").stopping).toEqual({
    max: 8,
    within: 0.05,
    budgetMs: 3_600_000,
  });
  const replaced = parseScenario(`${TWO}trials: { max: 8 }`, "x.yaml", { trials: 2 });
  expect([replaced.trials.length, replaced.stopping]).toEqual([4, undefined]);
});

it("a plan until decided states its least and most trials", () => {
  const text = `${TWO}seed: 3\ntrials: { min: 6, max: 12, within: 10% }\nbudget: 2h\ntrial: { drain: false }`;
  const experiment = parseScenario(text, "x.yaml");
  expect(extentText(experiment)).toBe("2 treatments x 1 to 12 trials = 2 to 24 trials, load of 24s to 4m48s");
  expect(extentDocument(experiment)).toMatchObject({ trials: 24, leastTrials: 2, mostSeconds: 288 });
  expect(renderPlan(experiment)).toContain(
    "End\n  once every comparison of interest is a finding or the same within 10 %, looked at after 6, 8, 12 blocks\n" +
      "  no block begins after 2h\n",
  );
});

it.each([
  ["trials: { min: 5 }", "x.yaml:3:9 trials.max: missing; expected a number"],
  ["trials: { min: 3, max: 9 }", "x.yaml:3:16 trials.min: must be at least 5 (seen 3)"],
  ["trials: { min: 9, max: 9 }", "x.yaml:3:24 trials.max: must be greater than trials.min, 9 (seen 9)"],
  ["trials: { max: 9, within: 5 }", "x.yaml:3:27 trials.within: expected 1% to 50%, such as 5% (seen 5)"],
  [
    "trials: { max: 9 }\norder: sequential",
    "x.yaml:4:8 order: trials needs blocks of trials; use order: interleaved",
  ],
  [
    "budget: 2h\norder: sequential",
    "x.yaml:4:8 order: budget needs blocks of trials; use order: interleaved",
  ],
])("a stopping rule %j is refused", (keys, problem) => {
  expect(scenarioProblems(TWO + keys)).toEqual([problem]);
});

const RACE = "order: racing\nobjective: maximise add.events/s\n";

it("a race plans interleaved blocks and ends by its objective", () => {
  const racing = parseScenario(`${TWO}${RACE}seed: 3\ntrials: { max: 8 }`, "x.yaml");
  const objective = { operation: "add", metric: "eventsPerSecond", isMaximised: true };
  expect(racing.stopping).toMatchObject({ min: 5, max: 8, race: objective });
  expect(racing.trials).toEqual(parseScenario(`${TWO}seed: 3\ntrials: 8`, "x.yaml").trials);
  expect(renderPlan(racing)).toContain(
    'End\n  treatments that are surely worse than the best in "maximise add.events/s" leave\n' +
      "  once those that are left are the same within 5 %, looked at after 5, 6, 8 blocks\n",
  );
  // An objective alone does not change a run: only `recommend` uses it.
  const { stopping, objective: kept } = parseScenario(`${TWO}objective: minimise add.p(99)`, "x.yaml");
  expect([stopping, kept?.metric]).toEqual([undefined, "p99"]);
});

it.each([
  [
    "order: racing",
    "x.yaml:1:1 objective: missing; racing needs one, such as maximise add.events/s: treatments that are surely worse leave",
    "x.yaml:1:1 trials: racing needs a least and a most number, such as { min: 5, max: 6 }",
  ],
  [
    `${RACE}trials: 9`,
    "x.yaml:5:9 trials: racing needs a least and a most number, such as { min: 5, max: 9 }",
  ],
  [
    "order: racing\nobjective: faster\ntrials: { max: 9 }",
    "x.yaml:4:12 objective: expected maximise or minimise, and a metric, such as maximise add.events/s (seen faster)",
  ],
  [
    "objective: maximise cycle.events/s",
    "x.yaml:3:12 objective: nothing measures __cycle__ here: it takes cycle (seen maximise cycle.events/s)",
  ],
])("a race or objective %j is refused", (keys, ...problems) => {
  expect(scenarioProblems(TWO + keys)).toEqual(problems);
});

it("a stopping rule is refused for a single treatment", () => {
  expect(scenarioProblems("name: x\ntrials: { max: 9 }")).toEqual([
    "x.yaml:2:9 trials: one treatment has nothing to decide; add a factor, or give a number",
  ]);
});
