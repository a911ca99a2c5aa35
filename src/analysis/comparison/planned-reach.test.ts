// Differences that a plan can find, from a result whose spread is known: compared with the same test on simulated
// experiments.
import { expect, it } from "vitest";
import { exampleResult } from "../../../test/support/example-result.js";
import { trialsToFind } from "../statistics/trials-to-decide.js";
import { plannedReach } from "./planned-reach.js";

/** Two treatments whose ratio by block alternates: e^0.1 up and down, a deviation of 0.1 x sqrt(8/7) over 8 blocks. */
function spreadResult() {
  const result = exampleResult(8, 1);
  for (const trial of result.treatments[1]?.trials ?? [])
    for (const operation of Object.values(trial.operations))
      if (operation.responseTimeMs)
        operation.responseTimeMs.mean *= Math.exp(trial.block % 2 === 0 ? 0.1 : -0.1);
  return result;
}

it("a plan has the spread of ratios, the smallest difference it finds, and the trials for given differences", () => {
  const deviation = 0.1 * Math.sqrt(8 / 7);
  const plan = { trials: 8, compared: 1, level: 0.05 };
  const [found, ...others] = plannedReach(spreadResult(), plan).filter(
    ({ operation }) => operation === "add",
  );
  expect(others).toEqual([]);
  expect(found).toMatchObject({ operation: "add", metric: "mean" });
  expect(found?.spread).toBeCloseTo(Math.expm1(deviation), 6);
  // Two operations are two questions. An effect that 8 trials find needs 8 trials.
  const size = Math.log1p(found?.finds ?? 0) / deviation;
  expect(trialsToFind(size * 1.0001, 2)).toBe(8);
  expect(trialsToFind(size * 0.999, 2)).toBe(9);
  expect(found?.trials).toEqual(
    [0.05, 0.1, 0.2].map((share) => trialsToFind(Math.log1p(share) / deviation, 2)),
  );
});

it("a plan finds only larger differences with more treatments or looks, and none with four trials", () => {
  const finds = (plan: Partial<Parameters<typeof plannedReach>[1]>): number | undefined =>
    plannedReach(spreadResult(), { trials: 8, compared: 1, level: 0.05, ...plan })[0]?.finds;
  const alone = finds({}) ?? Number.NaN;
  expect(finds({ compared: 5 })).toBeGreaterThan(alone);
  expect(finds({ level: 0.02 })).toBeGreaterThan(alone);
  expect(finds({ trials: 20 })).toBeLessThan(alone);
  expect(finds({ trials: 4 })).toBeUndefined();
});

it("a plan from a pilot with one treatment has a larger spread for ratios", () => {
  const { treatments } = exampleResult(8, 1);
  const [only] = treatments;
  const spread = plannedReach({ treatments: only ? [only] : [] }, { trials: 8, compared: 1, level: 0.05 });
  expect(
    spread.find(({ operation, metric }) => operation === "add" && metric === "mean")?.spread,
  ).toBeGreaterThan(0.2);
  expect(
    plannedReach({ treatments: exampleResult(1).treatments }, { trials: 8, compared: 1, level: 0.05 }),
  ).toEqual([]);
});
