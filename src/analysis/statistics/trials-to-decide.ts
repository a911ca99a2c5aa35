// Assumes normal logarithms of ratios and a t-test at 5 % shared out over all questions: the answer is a plan, not a promise.
import { BLOCKS_MIN, SIGNIFICANCE_LEVEL } from "./limits.js";
import { mean } from "./quantiles.js";
import { normalCdf, rootOf, studentQuantile } from "./statistics.js";

/** Largest number of trials that is planned. */
export const PLANNED_TRIALS_MAX = 100;
const TARGET_POWER = 0.8;
/** Largest effect that is tried, in standard deviations: more than any experiment needs. */
const EFFECT_MAX_DEVIATIONS = 1000;

/**
 * Power: the share of experiments of `trials` trials in which the t-test at `level` finds a difference of `effect` standard
 * deviations.
 */
function powerOf(effect: number, trials: number, level: number): number {
  const degrees = trials - 2;
  // If the number of blocks is odd, one place occurs once more than the other.
  const information = trials % 2 === 0 ? trials : trials - 1 / trials;
  const t = studentQuantile(level, degrees);
  // The noncentral t, approximated by a normal number (Johnson and Welch 1940).
  const shift = effect * Math.sqrt(information) - t * (1 - 1 / (4 * degrees));
  return normalCdf(shift / Math.sqrt(1 + (t * t) / (2 * degrees)));
}

/**
 * Trials of each treatment with which 4 of 5 experiments that ask `questions` would find a difference of `effect` standard
 * deviations of the log ratio by block; undefined if more than `PLANNED_TRIALS_MAX` are needed.
 */
export function trialsToFind(effect: number, questions: number): number | undefined {
  const level = SIGNIFICANCE_LEVEL / Math.max(1, questions);
  for (let trials = BLOCKS_MIN; trials <= PLANNED_TRIALS_MAX; trials++)
    if (powerOf(effect, trials, level) >= TARGET_POWER) return trials;
  return undefined;
}

/**
 * Smallest effect, in standard deviations, that 4 of 5 experiments of this many trials find; all questions share `level`.
 */
export function effectFound(trials: number, questions: number, level = SIGNIFICANCE_LEVEL): number {
  const questionLevel = level / Math.max(1, questions);
  return rootOf((effect) => TARGET_POWER - powerOf(effect, trials, questionLevel), 0, EFFECT_MAX_DEVIATIONS);
}

/**
 * Trials of each treatment that would find the observed difference; undefined if these are too many, with fewer than two
 * blocks, or without a spread.
 */
export function trialsToDecide(logRatios: readonly number[], questions: number): number | undefined {
  const centre = mean(logRatios);
  const deviation = deviationOf([logRatios]);
  if (deviation === undefined || deviation === 0) return undefined;
  return trialsToFind(Math.abs(centre) / deviation, questions);
}

/**
 * Standard deviation that several series have in common, each around its own mean; undefined if no series has two values.
 */
export function deviationOf(all: readonly (readonly number[])[]): number | undefined {
  const degrees = all.reduce((sum, values) => sum + Math.max(0, values.length - 1), 0);
  if (degrees === 0) return undefined;
  const squares = all.flatMap((values) => values.map((value) => (value - mean(values)) ** 2));
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / degrees);
}
