// The predicted number of trials compared with experiments that are simulated with the program's test.
import { expect, test } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { familyPValues } from "./family-test.js";
import type { Difference } from "./place-effect.js";
import { trialsToDecide, PLANNED_TRIALS_MAX } from "./trials-to-decide.js";

function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());
}

/** Ratios with exactly this mean and standard deviation. */
function logRatiosAround(centre: number, spread: number): number[] {
  return [centre - spread, centre, centre + spread];
}

const EXPERIMENTS = 60;

/** Share of experiments in which the first question, which has a true difference, is a finding. */
function foundShare(effect: number, trials: number, questions: number): number {
  const prng = new Prng(32);
  let found = 0;
  for (let i = 0; i < EXPERIMENTS; i++) {
    const series = Array.from({ length: questions }, (_, q) => {
      const shift = q === 0 ? effect : 0;
      const difference = (_block: unknown, block: number): [number, Difference] => [
        block,
        { logarithm: shift + normal(prng), places: block % 2 === 0 ? 1 : -1 },
      ];
      return new Map(Array.from({ length: trials }, difference));
    });
    if ((familyPValues(series, prng)[0] ?? 1) <= 0.05) found++;
  }
  return found / EXPERIMENTS;
}

test.each([
  [2.5, 1],
  [1, 1],
  [3, 6],
  [1.2, 6],
])(
  "predicted trials find a difference of %d spreads among %i questions in about 4 of 5 experiments",
  (effect, questions) => {
    const trials = trialsToDecide(logRatiosAround(effect * 0.1, 0.1), questions) ?? 0;
    expect(trials).toBeGreaterThanOrEqual(5);
    const share = foundShare(effect, trials, questions);
    expect(share).toBeGreaterThan(0.65);
    if (trials > 6) expect(share).toBeLessThan(0.95);
  },
);

test("more questions, a wider spread and a smaller difference need more trials", () => {
  const base = trialsToDecide(logRatiosAround(0.2, 0.15), 4) ?? 0;
  expect(trialsToDecide(logRatiosAround(0.2, 0.15), 40)).toBeGreaterThan(base);
  expect(trialsToDecide(logRatiosAround(0.2, 0.25), 4)).toBeGreaterThan(base);
  expect(trialsToDecide(logRatiosAround(0.1, 0.15), 4)).toBeGreaterThan(base);
  expect(trialsToDecide(logRatiosAround(-0.2, 0.15), 4)).toBe(base);
});

test("no number is predicted without a spread, from one trial, or beyond the largest plan", () => {
  expect(trialsToDecide([0.3], 1)).toBeUndefined();
  expect(trialsToDecide([0.3, 0.3], 1)).toBeUndefined();
  expect(trialsToDecide(logRatiosAround(0.001, 0.3), 1)).toBeUndefined();
  expect(trialsToDecide(logRatiosAround(0.03, 0.1), 1)).toBeLessThanOrEqual(PLANNED_TRIALS_MAX);
});
