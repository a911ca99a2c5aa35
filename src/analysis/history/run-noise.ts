// Neighbouring runs may resemble each other, and a series may drift slowly: a change has to stand out from both.
import { mean } from "../statistics/quantiles.js";
import { likeliestLevels } from "./levels.js";

/** Correlations between a run and the next one that are tried as an explanation of a series. */
const TRIED_CORRELATIONS = [0, 0.2, 0.4, 0.55, 0.7];
const CORRELATION_MAX = 0.7;
/** Largest drift from the first run to the last that counts as noise, in standard deviations between runs. */
const DRIFT_MAX_DEVIATIONS = 1;
/** Smallest share of the squares that may stay unexplained: an exact fit would count as infinitely likely. */
const UNEXPLAINED_SHARE_MIN = 1e-12;

/** Model of the noise around one level: each value keeps a share of the value before it. */
export interface RunNoise {
  readonly correlation: number;
  /** Drift: rise from one run to the next. */
  readonly slope: number;
  /** Part of each run's value that is independent of the run before; the mean is 0. */
  readonly innovations: Float64Array;
}

function middleOf(values: Float64Array): number {
  return (values.length - 1) / 2;
}

function residualsAboutMean(values: Float64Array): Float64Array {
  const centre = mean(values);
  return values.map((value) => value - centre);
}

/**
 * Sums of products of two series. `same` pairs values of the same run, `neighbours` pairs runs next to each other in both
 * orders, and `inner` is `same` without the first and the last run.
 */
interface ProductSums {
  readonly same: number;
  readonly neighbours: number;
  readonly inner: number;
}

function productsOf(a: Float64Array, b: Float64Array): ProductSums {
  const last = a.length - 1;
  let [same, neighbours] = [(a[0] as number) * (b[0] as number), 0];
  for (let i = 1; i <= last; i++) {
    same += (a[i] as number) * (b[i] as number);
    neighbours += (a[i] as number) * (b[i - 1] as number) + (a[i - 1] as number) * (b[i] as number);
  }
  const endProducts = (a[0] as number) * (b[0] as number) + (a[last] as number) * (b[last] as number);
  return { same, neighbours, inner: same - endProducts };
}

function decorrelatedSum({ same, neighbours, inner }: ProductSums, correlation: number): number {
  return same - correlation * neighbours + correlation ** 2 * inner;
}

/** Sums of products of the values, measured from their mean, and of time, measured from the middle of the series. */
interface Moments {
  readonly values: ProductSums;
  readonly timeAndValues: ProductSums;
  readonly time: ProductSums;
  /** Steepest drift that counts as noise, in rise from run to run. */
  readonly steepestSlope: number;
}

function momentsOf(centred: Float64Array): Moments {
  const [n, middle] = [centred.length, middleOf(centred)];
  const runs = centred.map((_, i) => i - middle);
  const [values, timeAndValues, time] = [
    productsOf(centred, centred),
    productsOf(runs, centred),
    productsOf(runs, runs),
  ];
  const unexplainedSquares = Math.max(0, values.same - timeAndValues.same ** 2 / time.same);
  const steepestSlope = (DRIFT_MAX_DEVIATIONS * Math.sqrt(unexplainedSquares / (n - 2))) / (n - 1);
  return { values, timeAndValues, time, steepestSlope };
}

function clamp(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

/**
 * Correlation of neighbours in the residuals of a fit, corrected for its bias of `fitted` / n. Neighbours that alternate
 * count as uncorrelated before the correction, so that a single outlying run does not make the noise look smaller.
 */
function correlationOf(residuals: Float64Array, fitted: number): number {
  const n = residuals.length;
  const { same, neighbours } = productsOf(residuals, residuals);
  const rawCorrelation = neighbours > 0 ? ((neighbours / 2 / same) * n) / (n - 1) : 0;
  return Math.min(CORRELATION_MAX, (n * rawCorrelation + fitted) / (n - 4));
}

/** Differences of the values from the two levels that explain them best. */
function residualsAboutLevels(values: Float64Array): Float64Array {
  const [cut = 0] = likeliestLevels(values, 1).cuts;
  return Float64Array.of(
    ...residualsAboutMean(values.subarray(0, cut)),
    ...residualsAboutMean(values.subarray(cut)),
  );
}

/**
 * Estimates the noise of a series of five values or more. Correlated neighbours and a change of level look alike, so the
 * smaller correlation of two fits counts, with one level and with two: a change does not pass for noise.
 */
export function noiseOf(values: Float64Array): RunNoise {
  const [middle, centred] = [middleOf(values), residualsAboutMean(values)];
  const { timeAndValues, time, steepestSlope } = momentsOf(centred);
  const slope = clamp(timeAndValues.same / time.same, steepestSlope);
  const residuals = centred.map((value, i) => value - slope * (i - middle));
  const correlation = Math.min(correlationOf(residuals, 2), correlationOf(residualsAboutLevels(values), 4));
  const innovations = residuals.map((value, i) =>
    i === 0 ? value * Math.sqrt(1 - correlation ** 2) : value - correlation * (residuals[i - 1] as number),
  );
  return { correlation, slope, innovations: residualsAboutMean(innovations) };
}

/** Noise model of the values if runs do not depend on each other. */
export function independentNoiseOf(values: Float64Array): RunNoise {
  return { correlation: 0, slope: 0, innovations: residualsAboutMean(values) };
}

/** Writes a simulated series of one level with that noise into `output`; `order` is the order of the innovations. */
export function simulateNoise(
  { correlation, slope, innovations }: RunNoise,
  order: readonly number[],
  output: Float64Array,
): void {
  const middle = middleOf(output);
  let value = 0;
  for (let i = 0; i < output.length; i++) {
    const innovation = innovations[order[i] as number] as number;
    value = i === 0 ? innovation / Math.sqrt(1 - correlation ** 2) : correlation * value + innovation;
    output[i] = value + slope * (i - middle);
  }
}

/** Gain of correlated runs with a slow drift over independent runs: twice the logarithm of the likelihood ratio. */
export function gainOfNoise(series: Float64Array): number {
  const [n, centred] = [series.length, residualsAboutMean(series)];
  const { values, timeAndValues, time, steepestSlope } = momentsOf(centred);
  const endSum = (centred[0] as number) + (centred[n - 1] as number);
  let largestGain = 0;
  for (const correlation of TRIED_CORRELATIONS) {
    const timeSquares = decorrelatedSum(time, correlation);
    const timeValueProduct = decorrelatedSum(timeAndValues, correlation);
    // The mean of the series is not 0 once its correlation is taken out, so its part is subtracted; the mean of time is
    // 0.
    const meanSquares = (correlation * (1 - correlation) * endSum) ** 2;
    const weight = n - 2 * correlation * (n - 1) + correlation ** 2 * (n - 2);
    const slope = clamp(timeValueProduct / timeSquares, steepestSlope);
    const driftSquares = slope * (2 * timeValueProduct - slope * timeSquares);
    const unexplainedSquares = decorrelatedSum(values, correlation) - meanSquares / weight - driftSquares;
    const unexplainedShare = Math.max(unexplainedSquares / values.same, UNEXPLAINED_SHARE_MIN);
    largestGain = Math.max(largestGain, Math.log(1 - correlation ** 2) - n * Math.log(unexplainedShare));
  }
  return largestGain;
}
