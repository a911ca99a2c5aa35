// The ratio of two series that share no blocks. Ratio, interval and test are of one model: the means of logarithms.
import {
  pValueOfDeviate,
  deviateAtLevel,
  deviateOf,
  shiftOf,
  shiftInterval,
  type MeanDifference,
} from "../statistics/welch.js";
import type { LogarithmSeries } from "../steady-state/series.js";
import { BLOCKS_MIN, SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";

export interface UnpairedRatio {
  readonly trials: number;
  readonly ratio: number;
  /** Difference between the means of the logarithms; null with too few trials, like interval and p-value. */
  readonly shift: MeanDifference | null;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly pValue: number | null;
}

/** Interval of the ratios that lie at most `deviate` normal deviates away from the shift. */
export function ratioInterval(shift: MeanDifference, deviate: number): [low: number, high: number] {
  const [low, high] = shiftInterval(shift, deviate);
  return [Math.exp(low), Math.exp(high)];
}

/**
 * Ratio of the unpaired trials of two sides, with its test and an interval that misses in `level` of all cases; undefined
 * if a side has no trial.
 */
export function unpairedRatio(
  reference: LogarithmSeries,
  values: LogarithmSeries,
  level = SIGNIFICANCE_LEVEL,
): UnpairedRatio | undefined {
  const [before, after] = [[...reference.values()], [...values.values()]];
  const trials = Math.min(before.length, after.length);
  if (trials === 0) return undefined;
  const ratio = Math.exp(mean(after) - mean(before));
  if (trials < BLOCKS_MIN) return { trials, ratio, shift: null, ciLow: null, ciHigh: null, pValue: null };
  const shift = shiftOf(before, after);
  const [ciLow, ciHigh] = ratioInterval(shift, deviateAtLevel(level));
  return { trials, ratio, shift, ciLow, ciHigh, pValue: pValueOfDeviate(deviateOf(shift)) };
}
