// How many trials would decide what a few leave open. It assumes that the logarithms of ratios by block are normal with the mean
// and the spread seen, and that the test is a t-test of their mean, at 5 % shared out over all questions (Bonferroni's bound).
// From three trials the spread is known within a factor of two or so: the answer is a plan, not a promise.
import { BLOCKS_MIN, SIGNIFICANCE } from "./limits.js";
import { mean } from "./quantiles.js";
import { normalCdf } from "./statistics.js";

/** More are not planned for. */
export const TRIALS_MOST = 100;
/** How often an experiment of that size would find a difference that is there. */
const POWER = 0.8;

/** By bisection. */
function normalQuantile(p: number): number {
  let [low, high] = [-10, 10];
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return low;
}

/** The t that is as improbable as the normal number `z` (Wallace 1959), as in `family-test.ts`. */
function tOf(z: number, degrees: number): number {
  const scaled = (z * (8 * degrees + 3)) / (8 * degrees + 1);
  return Math.sqrt(degrees * Math.expm1((scaled * scaled) / degrees));
}

/** Share of experiments of `trials` in which the t-test finds a difference of `effect` standard deviations. */
function powerOf(effect: number, trials: number, criticalZ: number): number {
  const degrees = trials - 1;
  const t = tOf(criticalZ, degrees);
  // The noncentral t as a normal number (Johnson and Welch 1940).
  const shift = effect * Math.sqrt(trials) - t * (1 - 1 / (4 * degrees));
  return normalCdf(shift / Math.sqrt(1 + (t * t) / (2 * degrees)));
}

/**
 * Trials of each treatment at which 4 of 5 experiments would find the difference seen; undefined with fewer than two blocks,
 * without a spread, and where more than `TRIALS_MOST` would not suffice. `questions` are asked of the experiment.
 */
export function trialsToDecide(logRatios: readonly number[], questions: number): number | undefined {
  const centre = mean(logRatios);
  const squares = logRatios.reduce((sum, each) => sum + (each - centre) ** 2, 0);
  if (logRatios.length < 2 || squares === 0) return undefined;
  const effect = Math.abs(centre) / Math.sqrt(squares / (logRatios.length - 1));
  const criticalZ = normalQuantile(1 - SIGNIFICANCE / 2 / Math.max(1, questions));
  for (let trials = BLOCKS_MIN; trials <= TRIALS_MOST; trials++)
    if (powerOf(effect, trials, criticalZ) >= POWER) return trials;
  return undefined;
}
