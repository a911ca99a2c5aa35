// Fisher's exact test and the interval of the odds ratio that agrees with it (Fay 2010).
import { rootOf } from "./statistics.js";

/** Events and possible events, on either side. */
export interface Counts {
  readonly before: number;
  readonly ofBefore: number;
  readonly after: number;
  readonly ofAfter: number;
}

/** Logarithm of the odds at which the search for an interval's end stops. */
const LOG_ODDS_MAX = 60;
const ROUNDING = 1e-12;

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}

/** The fewest and the most that `after` can be while the sum of both counts stays. */
function reachOf({ before, ofBefore, after, ofAfter }: Counts): [fewest: number, most: number] {
  const sum = before + after;
  return [Math.max(0, sum - ofBefore), Math.min(sum, ofAfter)];
}

/** Chances of `after` or more, and of `after` or fewer, while the sum of both counts stays. */
function tailsOf(counts: Counts, logOdds: number): { upper: number; lower: number } {
  const { before, ofBefore, after, ofAfter } = counts;
  const [fewest, most] = reachOf(counts);
  const logs = Array.from({ length: most - fewest + 1 }, (_, i) => {
    const k = fewest + i;
    return logChoose(ofAfter, k) + logChoose(ofBefore, before + after - k) + k * logOdds;
  });
  const largest = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - largest));
  const sumOf = (part: readonly number[]): number => part.reduce((sum, weight) => sum + weight, 0);
  const all = sumOf(weights);
  const place = after - fewest;
  return { upper: sumOf(weights.slice(place)) / all, lower: sumOf(weights.slice(0, place + 1)) / all };
}

/** Two-sided p-value under the hypothesis that the odds are the same on both sides. */
export function fisherPValue(counts: Counts): number {
  const { upper, lower } = tailsOf(counts, 0);
  return Math.min(1, 2 * Math.min(upper, lower));
}

/** The least p-value that any distribution of the sum of both counts could give. */
export function leastFisherPValue(counts: Counts): number {
  return Math.min(
    ...reachOf(counts).map((after) =>
      fisherPValue({ ...counts, after, before: counts.before + counts.after - after }),
    ),
  );
}

/** Interval of the odds ratio, after to before, that misses in at most `level` of all cases; it may end at 0 or Infinity. */
export function oddsInterval(counts: Counts, level: number): [low: number, high: number] {
  const [fewest, most] = reachOf(counts);
  // A p-value that is the level itself rejects, whatever rounding makes of it.
  const tail = (level / 2) * (1 + ROUNDING);
  const solved = (excess: (logOdds: number) => number): number =>
    Math.exp(rootOf(excess, -LOG_ODDS_MAX, LOG_ODDS_MAX));
  return [
    counts.after === fewest ? 0 : solved((logOdds) => tail - tailsOf(counts, logOdds).upper),
    counts.after === most
      ? Number.POSITIVE_INFINITY
      : solved((logOdds) => tailsOf(counts, logOdds).lower - tail),
  ];
}
