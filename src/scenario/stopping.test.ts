// How many trials a scenario asks for: the ways to write it, what it plans, and every combination that is refused.
import { expect, it } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { extentDocument, extentText } from "../cli/validate.js";
import { renderPlan } from "../cli/plan.js";
import { parseScenario } from "./loader.js";

const TWO = "name: x\nfactors: { payload: [text, jsonb] }\n";

it("plans all blocks that may run, in an order that does not depend on where it ends", () => {
  const most = parseScenario(`${TWO}seed: 3\ntrials: { max: 8 }`, "x.yaml");
  expect(most.stopping).toEqual({ min: 5, max: 8, within: 0.05 });
  expect(most.trials).toEqual(parseScenario(`${TWO}seed: 3\ntrials: 8`, "x.yaml").trials);
  expect(parseScenario(`${TWO}trials: 8`, "x.yaml").stopping).toBeUndefined();
  expect(parseScenario(`${TWO}trials: 8\nbudget: 1h`, "x.yaml").stopping).toEqual({
    ...{ max: 8, within: 0.05, budgetMs: 3_600_000 },
  });
  const replaced = parseScenario(`${TWO}trials: { max: 8 }`, "x.yaml", { trials: 2 });
  expect([replaced.trials.length, replaced.stopping]).toEqual([4, undefined]);
});

it("is told with its least and its most", () => {
  const text = `${TWO}seed: 3\ntrials: { min: 6, max: 12, within: 10% }\nbudget: 2h\ntrial: { drain: false }`;
  const experiment = parseScenario(text, "x.yaml");
  expect(extentText(experiment)).toBe("2 treatments x 1 to 12 trials = 2 to 24 trials, 24s, up to 4m48s");
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
  ["trials: { max: 9, within: 5 }", "x.yaml:3:27 trials.within: expected 1% to 50%, as 5% (seen 5)"],
  [
    "trials: { max: 9 }\norder: sequential",
    "x.yaml:4:8 order: trials needs blocks of trials; use order: interleaved",
  ],
  [
    "budget: 2h\norder: sequential",
    "x.yaml:4:8 order: budget needs blocks of trials; use order: interleaved",
  ],
])("%j is refused", (keys, problem) => {
  expect(scenarioProblems(TWO + keys)).toEqual([problem]);
});

it("needs something to decide", () => {
  expect(scenarioProblems("name: x\ntrials: { max: 9 }")).toEqual([
    "x.yaml:2:9 trials: one treatment has nothing to decide; add a factor, or give a number",
  ]);
});
