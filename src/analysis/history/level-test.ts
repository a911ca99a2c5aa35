// The gain of levels is compared with the largest gain in simulated series of one level, all metrics together.
import type { Prng } from "../../foundation/prng.js";
import { mean } from "../statistics/quantiles.js";
import { gainAt, likeliestLevels } from "./levels.js";
import { gainOfNoise, independentNoiseOf, noiseOf, simulateNoise, type RunNoise } from "./run-noise.js";

const NOISE_SIMULATIONS = 1000;
const ROUNDING_TOLERANCE = 1e-9;
/** Minimum number of runs that are tested: with fewer, no order of the runs is rare enough to be significant. */
export const RUNS_MIN = 10;
/** Sum of squares below which a metric counts as constant, because the rest is rounding. */
const SUM_OF_SQUARES_MIN = 1e-18;

/** A metric's values, as logarithms, oldest run first; NaN if a run has none. */
export type MetricValues = readonly number[];

export interface NoiseModel {
  readonly fit: (values: Float64Array) => RunNoise;
  /** Gain of the noise alone over independent runs, in the unit of the gain of levels. */
  readonly explainedGain: (values: Float64Array) => number;
}

export const ESTIMATED_NOISE: NoiseModel = { fit: noiseOf, explainedGain: gainOfNoise };
export const INDEPENDENT_NOISE: NoiseModel = { fit: independentNoiseOf, explainedGain: () => 0 };

/** One metric: its values and the indices of the runs that have it. */
export interface MetricColumn {
  readonly metric: number;
  readonly values: Float64Array;
  readonly runs: readonly number[];
}

export function columnsOf(metrics: readonly MetricValues[]): MetricColumn[] {
  return metrics.flatMap((metricValues, metric) => {
    const runs = metricValues.flatMap((value, run) => (Number.isNaN(value) ? [] : [run]));
    const values = Float64Array.from(runs, (run) => metricValues[run] as number);
    const centre = mean(values);
    const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
    return values.length < RUNS_MIN || squares < SUM_OF_SQUARES_MIN ? [] : [{ metric, values, runs }];
  });
}

interface LevelTestSettings {
  readonly model: NoiseModel;
  readonly changesMost: number;
  readonly level: number;
}

/** Indices, among the metric's own values, of the runs in `order`; runs without the metric are left out. */
function indicesInOrder(order: readonly number[], indexByRun: ReadonlyMap<number, number>): number[] {
  const indices: number[] = [];
  for (const run of order) {
    const index = indexByRun.get(run);
    if (index !== undefined) indices.push(index);
  }
  return indices;
}

/**
 * Simulates series of one level by random orders of the innovations of whole runs. Returns the largest gain beyond the
 * noise over all columns, for each simulation; undefined as soon as more than the share `level` of them reach the gain
 * `observedGain`.
 */
function simulateGains(
  columns: readonly MetricColumn[],
  observedGain: number,
  { model, changesMost, level }: LevelTestSettings,
  prng: Prng,
): Float64Array | undefined {
  const sources = columns.map(({ values, runs }) => ({
    noise: model.fit(values),
    own: new Map(runs.map((run, index) => [run, index])),
    series: new Float64Array(values.length),
  }));
  const order = [...new Set(columns.flatMap(({ runs }) => runs))];
  const largest = new Float64Array(NOISE_SIMULATIONS);
  let asLargeCount = 0;
  for (let i = 0; i < NOISE_SIMULATIONS; i++) {
    prng.shuffle(order);
    let largestGain = Number.NEGATIVE_INFINITY;
    for (const { noise, own, series } of sources) {
      simulateNoise(noise, indicesInOrder(order, own), series);
      largestGain = Math.max(
        largestGain,
        likeliestLevels(series, changesMost).gain - model.explainedGain(series),
      );
    }
    largest[i] = largestGain;
    if (largestGain >= observedGain - ROUNDING_TOLERANCE) asLargeCount++;
    if (asLargeCount + 1 > level * (NOISE_SIMULATIONS + 1)) return undefined;
  }
  return largest;
}

/**
 * Searches for the metric whose levels stand out most. Returns these levels if they are significant; cuts are indices of
 * runs.
 */
export function outstandingLevels(
  columns: readonly MetricColumn[],
  test: LevelTestSettings,
  prng: Prng,
): { readonly column: MetricColumn; readonly cuts: readonly number[] } | undefined {
  const candidates = columns.map((column) => {
    const { gain, cuts } = likeliestLevels(column.values, test.changesMost);
    return { column, cuts, beyondNoise: gain - test.model.explainedGain(column.values) };
  });
  const [best] = candidates.toSorted((a, b) => b.beyondNoise - a.beyondNoise);
  if (!best || !simulateGains(columns, best.beyondNoise, test, prng)) return undefined;
  const { column, cuts } = best;
  return { column, cuts: cuts.map((cut) => column.runs[cut] as number) };
}

export interface ChangeTest {
  /** Amount by which the change gains more than the noise explains, in the metric that shows the change most. */
  readonly beyondNoise: number;
  /** Metrics in which the change is significant, with p-values that are corrected for all metrics and cuts. */
  readonly metrics: readonly { readonly metric: number; readonly pValue: number }[];
}

export function testChange(
  columns: readonly MetricColumn[],
  at: number,
  level: number,
  prng: Prng,
): ChangeTest {
  const gains = columns.map(({ metric, values, runs }) => {
    const cut = runs.filter((run) => run < at).length;
    return { metric, beyondNoise: gainAt(values, cut) - ESTIMATED_NOISE.explainedGain(values) };
  });
  const beyondNoise = Math.max(Number.NEGATIVE_INFINITY, ...gains.map((each) => each.beyondNoise));
  if (beyondNoise === Number.NEGATIVE_INFINITY) return { beyondNoise, metrics: [] };
  const gainsByChance = simulateGains(
    columns,
    beyondNoise,
    { model: ESTIMATED_NOISE, changesMost: 1, level },
    prng,
  );
  const metrics = gains.map(({ metric, beyondNoise: gain }) => {
    const asLargeCount =
      gainsByChance?.filter((each) => each >= gain - ROUNDING_TOLERANCE).length ?? NOISE_SIMULATIONS;
    return { metric, pValue: (asLargeCount + 1) / (NOISE_SIMULATIONS + 1) };
  });
  return { beyondNoise, metrics: metrics.filter(({ pValue }) => pValue <= level) };
}
