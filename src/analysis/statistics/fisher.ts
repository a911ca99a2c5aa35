// Fisher's exact test and the interval of the odds ratio that agrees with it (Fay 2010).
import { rootOf } from "./statistics.js";

/** Events among possible events: `before` of `ofBefore` on the first side, `after` of `ofAfter` on the second. */
export interface EventCounts {
  readonly before: number;
  readonly ofBefore: number;
  readonly after: number;
  readonly ofAfter: number;
}

/** Logarithm of the odds ratio at which the search for an end of the interval stops. */
const LOG_ODDS_MAX = 60;
const ROUNDING_TOLERANCE = 1e-12;

function lnChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}

/** Smallest and largest value that `after` can have if the sum of both counts is fixed. */
function rangeOfAfter({ before, ofBefore, after, ofAfter }: EventCounts): [fewest: number, most: number] {
  const sum = before + after;
  return [Math.max(0, sum - ofBefore), Math.min(sum, ofAfter)];
}

/**
 * Chances of `after` or more events, and of `after` or fewer, if the sum of both counts is fixed and `logOdds` is the
 * logarithm of the odds ratio.
 */
function tailsOf(counts: EventCounts, logOdds: number): { upper: number; lower: number } {
  const { before, ofBefore, after, ofAfter } = counts;
  const [fewest, most] = rangeOfAfter(counts);
  const logarithms = Array.from({ length: most - fewest + 1 }, (_, i) => {
    const k = fewest + i;
    return lnChoose(ofAfter, k) + lnChoose(ofBefore, before + after - k) + k * logOdds;
  });
  const largest = Math.max(...logarithms);
  const weights = logarithms.map((logarithm) => Math.exp(logarithm - largest));
  const sumOf = (part: readonly number[]): number => part.reduce((sum, weight) => sum + weight, 0);
  const all = sumOf(weights);
  const afterIndex = after - fewest;
  return {
    upper: sumOf(weights.slice(afterIndex)) / all,
    lower: sumOf(weights.slice(0, afterIndex + 1)) / all,
  };
}

/** Two-sided p-value under the hypothesis that the odds are the same before and after. */
export function fisherPValue(counts: EventCounts): number {
  const { upper, lower } = tailsOf(counts, 0);
  return Math.min(1, 2 * Math.min(upper, lower));
}

/** Smallest p-value that any split of the sum of both counts between the two sides could give. */
export function leastFisherPValue(counts: EventCounts): number {
  return Math.min(
    ...rangeOfAfter(counts).map((after) =>
      fisherPValue({ ...counts, after, before: counts.before + counts.after - after }),
    ),
  );
}

/**
 * Interval of the odds ratio, after to before, that misses the true ratio in at most `level` of all cases; an end may be 0
 * or Infinity.
 */
export function oddsInterval(counts: EventCounts, level: number): [low: number, high: number] {
  const [fewest, most] = rangeOfAfter(counts);
  // A p-value equal to the level rejects; the margin keeps rounding from changing that.
  const tail = (level / 2) * (1 + ROUNDING_TOLERANCE);
  const oddsRatioAtRoot = (excess: (logOdds: number) => number): number =>
    Math.exp(rootOf(excess, -LOG_ODDS_MAX, LOG_ODDS_MAX));
  return [
    counts.after === fewest ? 0 : oddsRatioAtRoot((logOdds) => tail - tailsOf(counts, logOdds).upper),
    counts.after === most
      ? Number.POSITIVE_INFINITY
      : oddsRatioAtRoot((logOdds) => tailsOf(counts, logOdds).lower - tail),
  ];
}
