// The interval allows for runs that resemble their neighbours.
import { varianceInflation } from "../statistics/change-tests.js";
import { SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";
import { studentQuantile } from "../statistics/statistics.js";
import { deviationOf } from "../statistics/trials-to-decide.js";

/** The later level minus the earlier one, and the ends of its 95 % interval. */
export interface LevelDifference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** Difference of two levels, each with two values or more, oldest run first. */
export function levelDifference(earlier: readonly number[], later: readonly number[]): LevelDifference {
  const levels = [earlier, later];
  const residuals = levels.flatMap((level) => level.map((value) => value - mean(level)));
  const deviation = (deviationOf(levels) ?? 0) * Math.sqrt(varianceInflation(residuals));
  const error = deviation * Math.sqrt(1 / earlier.length + 1 / later.length);
  const halfWidth = error * studentQuantile(SIGNIFICANCE_LEVEL, residuals.length - levels.length);
  const difference = mean(later) - mean(earlier);
  return { difference, low: difference - halfWidth, high: difference + halfWidth };
}

/** True if the interval of the difference excludes 0: one of the two levels is surely the higher one. */
export function isSignificant({ low, high }: LevelDifference): boolean {
  return low > 0 || high < 0;
}
