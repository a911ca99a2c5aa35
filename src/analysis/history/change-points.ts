// Where a series of runs changes its level. Each run is one value for each metric. Of all stretches of runs the one that stands
// out most in some metric (circular binary segmentation, Olshen and others 2004: what became worse and was made good again
// is found, too) is held against what stands out most in the same runs in random orders: all metrics together, so that the
// chance of any false change is 5 % however many metrics there are, and however wild a single run is. What lies before,
// in and after such a stretch is searched in the same way, at its share of the 5 %.
import type { Prng } from "../../foundation/prng.js";
import { SIGNIFICANCE } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";

const ORDERS = 1000;
const ROUNDING = 1e-9;
/** Fewer can be in no order that is rare enough. */
export const RUNS_MIN = 10;
/** At either level. */
const LEVEL_MIN = 2;

/** A metric's values, as logarithms, oldest run first; NaN where a run has none. */
export type Values = readonly number[];

export interface ChangePoint {
  /** Index of the first run at the new level. */
  readonly at: number;
  /** Where the level before began, and the first run after the new one; both without further changes. */
  readonly from: number;
  readonly to: number;
  /** The metrics that changed there, by their indices; the p-value is corrected for all metrics and cuts. */
  readonly metrics: readonly { readonly metric: number; readonly pValue: number }[];
}

/** One metric's values about a mean of 0, how many there are, and the sum of their squares. */
interface Column {
  readonly values: Values;
  readonly known: number;
  readonly squares: number;
}

/** Rounding of values that are all the same. */
const SQUARES_MIN = 1e-18;

function columnOf(values: Values): Column | undefined {
  const known = values.filter((value) => !Number.isNaN(value));
  const centre = mean(known);
  const squares = known.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  if (known.length < RUNS_MIN || squares < SQUARES_MIN) return undefined;
  return { values: values.map((value) => value - centre), known: known.length, squares };
}

/** Runs from `from` until before `to`, as a level of their own among the others. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Neither it nor what is left on either side of it is a single run. */
function isLevel({ from, to }: Stretch, runs: number): boolean {
  const sides = [from, runs - to].every((side) => side === 0 || side >= LEVEL_MIN);
  return sides && to - from >= LEVEL_MIN && from + runs - to >= LEVEL_MIN;
}

/** Stretches that end with the last run, or before it: what lies on both sides of them may be one level. */
function stretchesOf(runs: number): Stretch[] {
  const all: Stretch[] = [];
  for (let from = 1; from < runs; from++)
    for (let to = from + 1; to <= runs; to++) if (isLevel({ from, to }, runs)) all.push({ from, to });
  return all;
}

/** For each stretch the share of the column's spread that it explains as a level of its own, 0 to 1, into `shares`. */
function fillShares(
  { values, known, squares }: Column,
  order: readonly number[],
  stretches: readonly Stretch[],
  shares: Float64Array,
): void {
  // How many values there are before each run, and their sum.
  const [counts, sums] = [new Float64Array(order.length + 1), new Float64Array(order.length + 1)];
  for (let i = 0; i < order.length; i++) {
    const value = values[order[i] as number] as number;
    const isKnown = !Number.isNaN(value);
    counts[i + 1] = (counts[i] as number) + (isKnown ? 1 : 0);
    sums[i + 1] = (sums[i] as number) + (isKnown ? value : 0);
  }
  for (let i = 0; i < stretches.length; i++) {
    const { from, to } = stretches[i] as Stretch;
    const inside = (counts[to] as number) - (counts[from] as number);
    const outside = known - inside;
    const sum = (sums[to] as number) - (sums[from] as number);
    const isCompared = inside >= LEVEL_MIN && outside >= LEVEL_MIN;
    shares[i] = isCompared ? (sum * sum * known) / (inside * outside) / squares : 0;
  }
}

function largestOf(shares: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < shares.length; i++) largest = Math.max(largest, shares[i] as number);
  return largest;
}

/** The stretch that stands out most, and the metrics in which it surely does. */
function standingOut(
  metrics: readonly Values[],
  level: number,
  prng: Prng,
): (Stretch & Pick<ChangePoint, "metrics">) | undefined {
  const columns = metrics.map(columnOf);
  const known = columns.filter((column): column is Column => column !== undefined);
  const runs = Array.from({ length: metrics[0]?.length ?? 0 }, (_, i) => i);
  const stretches = stretchesOf(runs.length);
  const sharesOf = (column: Column, order: readonly number[], into: Float64Array): Float64Array => {
    fillShares(column, order, stretches, into);
    return into;
  };
  const fresh = (): Float64Array => new Float64Array(stretches.length);
  const seen = columns.map((column) => column && sharesOf(column, runs, fresh()));
  const most = seen.map((shares) => (shares ? largestOf(shares) : 0));
  const best = most.indexOf(Math.max(...most));
  const place = seen[best]?.indexOf(most[best] as number) ?? -1;
  const stretch = stretches[place];
  if (!stretch) return undefined;
  const [order, shares] = [[...runs], fresh()];
  const byChance = Array.from({ length: ORDERS }, () => {
    prng.shuffle(order);
    return Math.max(...known.map((column) => largestOf(sharesOf(column, order, shares))));
  });
  const found = seen.flatMap((own, metric) => {
    const share = own?.[place] ?? 0;
    const pValue = (byChance.filter((each) => each >= share - ROUNDING).length + 1) / (ORDERS + 1);
    return pValue <= level ? [{ metric, pValue }] : [];
  });
  return found.length > 0 ? { ...stretch, metrics: found } : undefined;
}

/** The changes of level, oldest first. All metrics have a place for every run; seeded, so that the same runs give the same. */
export function changePoints(metrics: readonly Values[], prng: Prng): ChangePoint[] {
  const all = metrics[0]?.length ?? 0;
  const found: Pick<ChangePoint, "at" | "metrics">[] = [];
  const search = (from: number, to: number): void => {
    if (to - from < RUNS_MIN) return;
    const stretch = standingOut(
      metrics.map((values) => values.slice(from, to)),
      (SIGNIFICANCE * (to - from)) / all,
      prng,
    );
    if (!stretch) return;
    const [first, last] = [from + stretch.from, from + stretch.to];
    search(from, first);
    found.push({ at: first, metrics: stretch.metrics });
    search(first, last);
    if (last === to) return;
    found.push({ at: last, metrics: stretch.metrics });
    search(last, to);
  };
  search(0, all);
  return found.map((cut, i) => ({ ...cut, from: found[i - 1]?.at ?? 0, to: found[i + 1]?.at ?? all }));
}
