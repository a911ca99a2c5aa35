// Mann-Kendall, Pettitt and MSER-5; both tests allow for seconds that resemble their neighbours (Yue and Wang 2004).
import { mean, median } from "./quantiles.js";
import { normalCdf } from "./statistics.js";

type Numbers = readonly number[];

/** Ranks from 1; equal values share a rank. */
function ranks(values: Numbers): number[] {
  const order = values.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const result = new Array<number>(values.length).fill(0);
  for (let first = 0; first < order.length;) {
    let last = first;
    while (values[order[last + 1] ?? -1] === values[order[first] ?? -1] && last + 1 < order.length) last++;
    for (let i = first; i <= last; i++) result[order[i] as number] = (first + last) / 2 + 1;
    first = last + 1;
  }
  return result;
}

/** Correlation of neighbours that fitting a change removes from the residuals of n values, in units of 1/n. */
const FIT_CORRELATION_BIAS = 4;
const CORRELATION_MAX = 0.95;

/**
 * Factor by which similar neighbours increase the variance of a rank statistic: (1 + r) / (1 - r), where r is the
 * correlation of the ranks of `residuals` with the ranks a second later, corrected for its bias. At least 1: apparent
 * alternation would otherwise make a test sharper than it is.
 */
export function varianceInflation(residuals: Numbers): number {
  const n = residuals.length;
  const r = ranks(residuals);
  const middle = (n + 1) / 2;
  const variance = r.reduce((sum, rank) => sum + (rank - middle) ** 2, 0);
  if (variance === 0 || n <= 2 * FIT_CORRELATION_BIAS) return 1;
  const product = r.slice(1).reduce((sum, rank, i) => sum + (rank - middle) * ((r[i] ?? 0) - middle), 0);
  const rawCorrelation = product / variance;
  const corrected = Math.min(
    CORRELATION_MAX,
    Math.max(0, (rawCorrelation * n + FIT_CORRELATION_BIAS / 2) / (n - FIT_CORRELATION_BIAS)),
  );
  return (1 + corrected) / (1 - corrected);
}

/**
 * Result of a test for a change from level `from` to level `to`, so that its size can be judged together with its p-value.
 */
export interface Change {
  readonly pValue: number;
  readonly from: number;
  readonly to: number;
}

/** Mann-Kendall test for a trend, with ties; `from` and `to` are the ends of the Theil-Sen line. */
export function trendTest(values: Numbers): Change {
  const n = values.length;
  let s = 0;
  const slopes: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const difference = (values[j] ?? 0) - (values[i] ?? 0);
      s += Math.sign(difference);
      slopes.push(difference / (j - i));
    }
  }
  const slope = median(slopes);
  const residuals = values.map((value, i) => value - slope * i);
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const tieCorrection = [...counts.values()].reduce((sum, t) => sum + t * (t - 1) * (2 * t + 5), 0);
  const variance = ((n * (n - 1) * (2 * n + 5) - tieCorrection) / 18) * varianceInflation(residuals);
  const z = variance > 0 ? Math.max(0, Math.abs(s) - 1) / Math.sqrt(variance) : 0;
  const centre = median(residuals);
  return { pValue: Math.min(1, 2 * normalCdf(-z)), from: centre, to: centre + slope * (n - 1) };
}

/**
 * Pettitt's test for a change of level between the values `at - 1` and `at`; `from` and `to` are the medians before and
 * after.
 */
export function levelTest(values: Numbers): Change & { readonly at: number } {
  const n = values.length;
  const r = ranks(values);
  let sum = 0;
  let most = 0;
  let at = 1;
  for (let t = 1; t < n; t++) {
    sum += r[t - 1] ?? 0;
    const u = Math.abs(2 * sum - t * (n + 1));
    if (u > most) [most, at] = [u, t];
  }
  const from = median(values.slice(0, at));
  const to = median(values.slice(at));
  const residuals = values.map((value, i) => value - (i < at ? from : to));
  const exponent = (-6 * most * most) / ((n ** 3 + n ** 2) * varianceInflation(residuals));
  return { pValue: Math.min(1, 2 * Math.exp(exponent)), from, to, at };
}

const MSER_BATCH_SIZE = 5;

/**
 * Number of values to leave off at the start by MSER-5: it makes the standard error of the mean of the rest least. Only the
 * first half is searched, since the last few batches may agree by chance; undefined if the error still falls at its end,
 * because nothing settled.
 */
export function mser5(values: Numbers): number | undefined {
  const batchMeans = Array.from({ length: Math.floor(values.length / MSER_BATCH_SIZE) }, (_, i) => {
    return mean(values.slice(i * MSER_BATCH_SIZE, (i + 1) * MSER_BATCH_SIZE));
  });
  let best = { left: 0, error: Number.POSITIVE_INFINITY };
  const most = Math.floor(batchMeans.length / 2);
  for (let left = 0; left <= most; left++) {
    const remainingBatches = batchMeans.slice(left);
    const centre = mean(remainingBatches);
    const error =
      remainingBatches.reduce((sum, value) => sum + (value - centre) ** 2, 0) / remainingBatches.length ** 2;
    if (error < best.error) best = { left, error };
  }
  return best.left === most ? undefined : best.left * MSER_BATCH_SIZE;
}
