// Seeded if they draw at random, and checked against published examples and SciPy. The caller decides what a replicate is.
import type { Prng } from "../../foundation/prng.js";
import { SIGNIFICANCE_LEVEL } from "./limits.js";
import type { MeanEstimate } from "./place-effect.js";
import { mean, median, quantile, quantileOfSorted, type Numbers } from "./quantiles.js";

export { mean, median, quantile };

export function medianOfSorted(ascending: Numbers): number {
  return quantileOfSorted(ascending, 0.5);
}

/** Logarithms nearer to 0 than this count as 0. */
const ROUNDING_TOLERANCE = 1e-12;
/** Largest number of arrangements of two samples that are all tried; if there are more, arrangements are sampled. */
const EXACT_ARRANGEMENTS_MAX = 200_000;
const RANDOM_PERMUTATIONS = 20_000;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Maximum number of values whose resamples are numbered: 7 ** 6 numbers. */
const NUMBERED_SIZE_MAX = 6;
/** How often each resample was drawn, by its number; all 0 between two calls. */
const numberedCounts = new Uint32Array((NUMBERED_SIZE_MAX + 1) ** NUMBERED_SIZE_MAX);

/** Percentile bootstrap interval of `statistic`, which receives the values drawn with replacement, in ascending order. */
export function bootstrapInterval(
  values: readonly number[],
  statistic: (sample: Numbers) => number,
  prng: Prng,
  confidence = 0.95,
  resamples = 10_000,
): Interval {
  const size = values.length;
  const ascending = Float64Array.from(values).sort();
  const sortedIndices = Uint32Array.from(values, (value) => ascending.indexOf(value));
  const placeValues = Float64Array.from(sortedIndices, (sortedIndex) => (size + 1) ** sortedIndex);
  const sample = new Float64Array(size);
  const drawCounts = new Uint32Array(size);
  const resampledStatistics: number[] = [];
  const numbers: number[] = [];
  for (let i = 0; i < resamples; i++) {
    drawCounts.fill(0);
    let number = 0;
    for (let j = 0; j < size; j++) {
      const index = prng.intBetween(0, size - 1);
      const sortedIndex = sortedIndices[index] as number;
      drawCounts[sortedIndex] = (drawCounts[sortedIndex] as number) + 1;
      number += placeValues[index] as number;
    }
    // Few values have few different resamples, so the statistic of each is computed once.
    if (size <= NUMBERED_SIZE_MAX) {
      const count = (numberedCounts[number] as number) + 1;
      numberedCounts[number] = count;
      if (count > 1) continue;
      numbers.push(number);
    }
    let filledCount = 0;
    for (let sortedIndex = 0; sortedIndex < size; sortedIndex++)
      for (let j = drawCounts[sortedIndex] as number; j > 0; j--)
        sample[filledCount++] = ascending[sortedIndex] as number;
    resampledStatistics.push(statistic(sample));
  }
  const weights = numbers.map((number) => numberedCounts[number] as number);
  for (const number of numbers) numberedCounts[number] = 0;
  const distribution = weightedAscending(resampledStatistics, weights);
  const tail = (1 - confidence) / 2;
  return {
    low: quantileOfSorted(distribution, tail),
    high: quantileOfSorted(distribution, 1 - tail),
  };
}

/** The values in ascending order, each as often as its weight says; once, if there are no weights. */
function weightedAscending(values: readonly number[], weights: readonly number[]): Float64Array {
  if (weights.length === 0) return Float64Array.from(values).sort();
  const ascendingIndices = values
    .map((_, i) => i)
    .sort((a, b) => (values[a] as number) - (values[b] as number));
  const distribution = new Float64Array(weights.reduce((sum, weight) => sum + weight, 0));
  let end = 0;
  for (const index of ascendingIndices)
    distribution.fill(values[index] as number, end, (end += weights[index] as number));
  return distribution;
}

/**
 * Chance that all `n` values lie on one side of the true median: the error rate of the interval from the least to the
 * largest value.
 */
export function rangeMissChance(n: number): number {
  return Math.min(1, 2 / 2 ** n);
}

function binomialCoefficient(n: number, k: number): number {
  let combinationCount = 1;
  for (let i = 1; i <= k; i++) combinationCount = (combinationCount * (n - k + i)) / i;
  return Math.round(combinationCount);
}

/** Moves `chosenIndices`, ascending indices below n, on to the next combination; returns false after the last. */
function advanceCombination(chosenIndices: number[], n: number): boolean {
  const k = chosenIndices.length;
  let i = k - 1;
  while (i >= 0 && chosenIndices[i] === n - k + i) i--;
  if (i < 0) return false;
  chosenIndices[i] = (chosenIndices[i] as number) + 1;
  for (let j = i + 1; j < k; j++) chosenIndices[j] = (chosenIndices[j - 1] as number) + 1;
  return true;
}

/**
 * Two-sided p-value of a difference of means: the share of permutations whose means are at least as far apart as the
 * observed means.
 */
export function twoSamplePValue(a: readonly number[], b: readonly number[], prng: Prng): number {
  const n = a.length + b.length;
  if (a.length === 0 || b.length === 0) return 1;
  const centre = mean([...a, ...b]);
  const values = [...a, ...b].map((value) => value - centre);
  const absoluteSum = values.reduce((sum, value) => sum + Math.abs(value), 0);
  const observedSum = Math.abs(values.slice(0, a.length).reduce((sum, value) => sum + value, 0));
  const bound = observedSum - 1e-12 * absoluteSum;
  const sumOf = (indices: readonly number[]): number =>
    indices.reduce((sum, index) => sum + (values[index] as number), 0);
  let extremeCount = 0;
  const arrangementCount = binomialCoefficient(n, a.length);
  if (arrangementCount <= EXACT_ARRANGEMENTS_MAX) {
    const chosenIndices = a.map((_, i) => i);
    do if (Math.abs(sumOf(chosenIndices)) >= bound) extremeCount++;
    while (advanceCombination(chosenIndices, n));
    return extremeCount / arrangementCount;
  }
  const order = values.map((_, i) => i);
  for (let i = 0; i < RANDOM_PERMUTATIONS; i++)
    if (Math.abs(sumOf(prng.shuffle(order).slice(0, a.length))) >= bound) extremeCount++;
  return (extremeCount + 1) / (RANDOM_PERMUTATIONS + 1);
}

/** P(Z <= z) of the standard normal distribution (Abramowitz and Stegun 26.2.17, error below 8e-8). */
export function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (polynomial * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
  return z < 0 ? tail : 1 - tail;
}

/** P(|T| <= t) of Student's t with a whole number of degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4). */
function studentChanceWithin(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const areDegreesOdd = degrees % 2 === 1;
  let term = areDegreesOdd ? Math.cos(angle) : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let i = areDegreesOdd ? 3 : 2; i < degrees; i += 2) {
    term *= ((i - 1) / i) * Math.cos(angle) ** 2;
    sum += term;
  }
  return areDegreesOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}

/**
 * The t outside of which, on both sides together, the share `level` of Student's distribution lies; `degrees` is a whole
 * number from 1.
 */
export function studentQuantile(level: number, degrees: number): number {
  return rootOf((t) => 1 - level - studentChanceWithin(t, degrees), 0, 1e4);
}

/** Student's interval of a mean, which misses the true mean in `level` of all cases if values are normal. */
export function studentInterval({ mean: centre, error, degrees }: MeanEstimate, level: number): Interval {
  const halfWidth = studentQuantile(level, degrees) * error;
  return { low: centre - halfWidth, high: centre + halfWidth };
}

/** Two-sided p-value of a mean under the hypothesis that it is 0 (Student's t). A mean within rounding of 0 counts as 0. */
export function studentPValue({ mean: centre, error, degrees }: MeanEstimate): number {
  return Math.abs(centre) < ROUNDING_TOLERANCE
    ? 1
    : Math.max(0, 1 - studentChanceWithin(Math.abs(centre) / error, degrees));
}

export function rootOf(f: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (f(middle) > 0) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Confidence to ask of a percentile bootstrap of `n` values (5 or more), so that its interval misses in about `level` of
 * all cases: resamples of few values spread too little (Hesterberg 2015, the expanded percentile interval). `degrees` is
 * smaller if an estimate has cost a degree of freedom.
 */
export function expandedConfidence(n: number, level = SIGNIFICANCE_LEVEL, degrees = n - 1): number {
  return 1 - 2 * normalCdf(-Math.sqrt(n / degrees) * studentQuantile(level, degrees));
}

/** P-values of a family of tests, adjusted by Holm's step-down method, in the order given. */
export function holmAdjusted(pValues: readonly number[]): number[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjustedPValues = new Array<number>(pValues.length).fill(1);
  let highest = 0;
  order.forEach(({ p, index }, rank) => {
    highest = Math.max(highest, Math.min(1, p * (pValues.length - rank)));
    adjustedPValues[index] = highest;
  });
  return adjustedPValues;
}
