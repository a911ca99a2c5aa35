// The gain of levels is compared with the largest gain in simulated series of one level, all metrics together.
import type { Prng } from "../../foundation/prng.js";
import { mean } from "../statistics/quantiles.js";
import { gainAt, likeliestLevels } from "./levels.js";
import { explainedByNoise, independentNoiseOf, noiseOf, simulate, type RunNoise } from "./run-noise.js";

const NOISE_SIMULATIONS = 1000;
const ROUNDING_TOLERANCE = 1e-9;
/** Fewest runs that are tested: with fewer, no order of the runs is rare enough to be significant. */
export const RUNS_MIN = 10;
/** Sum of squares below which a metric counts as constant, because the rest is rounding. */
const SQUARES_MIN = 1e-18;

/** A metric's values, as logarithms, oldest run first; NaN if a run has none. */
export type Values = readonly number[];

export interface NoiseModel {
  readonly fit: (values: Float64Array) => RunNoise;
  /** Gain of the noise alone over independent runs, in the unit of the gain of levels. */
  readonly explained: (values: Float64Array) => number;
}

export const ESTIMATED_NOISE: NoiseModel = { fit: noiseOf, explained: explainedByNoise };
export const INDEPENDENT_NOISE: NoiseModel = { fit: independentNoiseOf, explained: () => 0 };

/** One metric: its values and the indices of the runs that have it. */
export interface Column {
  readonly metric: number;
  readonly values: Float64Array;
  readonly runs: readonly number[];
}

export function columnsOf(metrics: readonly Values[]): Column[] {
  return metrics.flatMap((own, metric) => {
    const runs = own.flatMap((value, run) => (Number.isNaN(value) ? [] : [run]));
    const values = Float64Array.from(runs, (run) => own[run] as number);
    const centre = mean(values);
    const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
    return values.length < RUNS_MIN || squares < SQUARES_MIN ? [] : [{ metric, values, runs }];
  });
}

interface LevelTest {
  readonly model: NoiseModel;
  readonly changesMost: number;
  readonly level: number;
}

/** Indices, among the metric's own values, of the runs in `order`; runs without the metric are left out. */
function ownOrder(order: readonly number[], own: ReadonlyMap<number, number>): number[] {
  const indices: number[] = [];
  for (const run of order) {
    const index = own.get(run);
    if (index !== undefined) indices.push(index);
  }
  return indices;
}

/**
 * Simulates series of one level by random orders of the innovations of whole runs. Returns the largest gain beyond the
 * noise over all columns, for each simulation; undefined as soon as more than the share `level` of them reach the gain
 * `seen`.
 */
function chanceGains(
  columns: readonly Column[],
  seen: number,
  { model, changesMost, level }: LevelTest,
  prng: Prng,
): Float64Array | undefined {
  const sources = columns.map(({ values, runs }) => ({
    noise: model.fit(values),
    own: new Map(runs.map((run, index) => [run, index])),
    series: new Float64Array(values.length),
  }));
  const order = [...new Set(columns.flatMap(({ runs }) => runs))];
  const largest = new Float64Array(NOISE_SIMULATIONS);
  let reached = 0;
  for (let i = 0; i < NOISE_SIMULATIONS; i++) {
    prng.shuffle(order);
    let most = Number.NEGATIVE_INFINITY;
    for (const { noise, own, series } of sources) {
      simulate(noise, ownOrder(order, own), series);
      most = Math.max(most, likeliestLevels(series, changesMost).gain - model.explained(series));
    }
    largest[i] = most;
    if (most >= seen - ROUNDING_TOLERANCE) reached++;
    if (reached + 1 > level * (NOISE_SIMULATIONS + 1)) return undefined;
  }
  return largest;
}

/**
 * Searches for the metric whose levels stand out most. Returns these levels if they are significant; cuts are indices of
 * runs.
 */
export function outstandingLevels(
  columns: readonly Column[],
  test: LevelTest,
  prng: Prng,
): { readonly column: Column; readonly cuts: readonly number[] } | undefined {
  const candidates = columns.map((column) => {
    const { gain, cuts } = likeliestLevels(column.values, test.changesMost);
    return { column, cuts, beyondNoise: gain - test.model.explained(column.values) };
  });
  const [best] = candidates.toSorted((a, b) => b.beyondNoise - a.beyondNoise);
  if (!best || !chanceGains(columns, best.beyondNoise, test, prng)) return undefined;
  const { column, cuts } = best;
  return { column, cuts: cuts.map((cut) => column.runs[cut] as number) };
}

export interface ChangeTest {
  /** Amount by which the change gains more than the noise explains, in the metric that shows the change most. */
  readonly beyondNoise: number;
  /** Metrics in which the change is significant, with p-values that are corrected for all metrics and cuts. */
  readonly metrics: readonly { readonly metric: number; readonly pValue: number }[];
}

export function testChange(columns: readonly Column[], at: number, level: number, prng: Prng): ChangeTest {
  const gains = columns.map(({ metric, values, runs }) => {
    const cut = runs.filter((run) => run < at).length;
    return { metric, beyondNoise: gainAt(values, cut) - ESTIMATED_NOISE.explained(values) };
  });
  const beyondNoise = Math.max(Number.NEGATIVE_INFINITY, ...gains.map((each) => each.beyondNoise));
  if (beyondNoise === Number.NEGATIVE_INFINITY) return { beyondNoise, metrics: [] };
  const byChance = chanceGains(columns, beyondNoise, { model: ESTIMATED_NOISE, changesMost: 1, level }, prng);
  const metrics = gains.map(({ metric, beyondNoise: gain }) => {
    const reached = byChance?.filter((each) => each >= gain - ROUNDING_TOLERANCE).length ?? NOISE_SIMULATIONS;
    return { metric, pValue: (reached + 1) / (NOISE_SIMULATIONS + 1) };
  });
  return { beyondNoise, metrics: metrics.filter(({ pValue }) => pValue <= level) };
}
