// The statistics that comparisons are made of, on plain arrays of numbers. They are few, seeded where they draw at
// random, and checked in the tests against published examples and against SciPy. None of them knows what its
// numbers mean; whoever calls decides what a replicate is (here: a trial, never a request).
import type { Prng } from "../foundation/prng.js";

/** Differences up to this many are tested exactly, all 2^n signs; more are sampled. */
const EXACT_DIFFERENCES_MAX = 16;
const PERMUTATIONS = 20_000;

/** Numbers in any array; typed ones are what resampling uses, thousands of times. */
type Numbers = ArrayLike<number>;

/** NaN for no values. */
export function mean(values: Numbers): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum / values.length;
}

/** The `q`-quantile, 0 .. 1, interpolated linearly (R's type 7, NumPy's default); NaN for no values. */
export function quantile(values: Numbers, q: number): number {
  return quantileOfSorted(Float64Array.from(values).sort(), q);
}

function quantileOfSorted(ascending: Float64Array, q: number): number {
  const position = (ascending.length - 1) * q;
  const below = ascending[Math.floor(position)] ?? Number.NaN;
  const above = ascending[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export function median(values: Numbers): number {
  return quantile(values, 0.5);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Percentile bootstrap interval of `statistic`, resampling `values` with replacement. */
export function bootstrapInterval(
  values: readonly number[],
  statistic: (sample: Numbers) => number,
  prng: Prng,
  confidence = 0.95,
  resamples = 10_000,
): Interval {
  const sample = new Float64Array(values.length);
  const statistics = new Float64Array(resamples);
  for (let i = 0; i < resamples; i++) {
    for (let j = 0; j < values.length; j++)
      sample[j] = values[prng.intBetween(0, values.length - 1)] as number;
    statistics[i] = statistic(sample);
  }
  statistics.sort();
  const tail = (1 - confidence) / 2;
  return { low: quantileOfSorted(statistics, tail), high: quantileOfSorted(statistics, 1 - tail) };
}

/**
 * Two-sided p-value of paired differences under the hypothesis that each is as likely with its sign turned round:
 * the share of all sign patterns whose mean is at least as far from zero as the one seen. Its least value is
 * 2 / 2^n, so fewer than six differences cannot reach 0.05.
 */
export function signFlipPValue(differences: readonly number[], prng: Prng): number {
  const n = differences.length;
  if (n === 0) return 1;
  const seen = Math.abs(differences.reduce((sum, difference) => sum + difference, 0));
  // Sums that differ by rounding alone are the same sum.
  const bound = seen - 1e-12 * Math.max(1, seen);
  const isExact = n <= EXACT_DIFFERENCES_MAX;
  const patterns = isExact ? 2 ** n : PERMUTATIONS;
  let extreme = 0;
  for (let i = 0; i < patterns; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) {
      const turned = isExact ? (i >>> j) & 1 : prng.uint32() & 1;
      sum += turned ? -(differences[j] as number) : (differences[j] as number);
    }
    if (Math.abs(sum) >= bound) extreme++;
  }
  return isExact ? extreme / patterns : (extreme + 1) / (patterns + 1);
}

/** The least p-value that `signFlipPValue` can give for n differences. */
export function leastPValue(n: number): number {
  return Math.min(1, 2 / 2 ** n);
}

/** Holm's step-down adjustment for a family of tests, in the order given. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let highest = 0;
  order.forEach(({ p, index }, rank) => {
    highest = Math.max(highest, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = highest;
  });
  return adjusted;
}
