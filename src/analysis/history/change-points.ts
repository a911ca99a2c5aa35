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

/** How many values there are before each run, and their sum. */
function cumulated({ values }: Column, order: readonly number[]): { counts: number[]; sums: number[] } {
  const [counts, sums] = [[0], [0]];
  for (const [i, run] of order.entries()) {
    const value = values[run] as number;
    const isKnown = !Number.isNaN(value);
    counts.push((counts[i] as number) + (isKnown ? 1 : 0));
    sums.push((sums[i] as number) + (isKnown ? value : 0));
  }
  return { counts, sums };
}

/** For each stretch the share of the column's spread that it explains as a level of its own, 0 to 1. */
function sharesOf(column: Column, order: readonly number[], stretches: readonly Stretch[]): Float64Array {
  const { counts, sums } = cumulated(column, order);
  const shares = new Float64Array(stretches.length);
  for (let i = 0; i < stretches.length; i++) {
    const { from, to } = stretches[i] as Stretch;
    const inside = (counts[to] as number) - (counts[from] as number);
    const outside = column.known - inside;
    if (inside < LEVEL_MIN || outside < LEVEL_MIN) continue;
    const sum = (sums[to] as number) - (sums[from] as number);
    shares[i] = (sum * sum * column.known) / (inside * outside) / column.squares;
  }
  return shares;
}

function largestOf(shares: Float64Array): number {
  return shares.reduce((largest, share) => Math.max(largest, share), 0);
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
  const seen = columns.map((column) => column && sharesOf(column, runs, stretches));
  const most = seen.map((shares) => (shares ? largestOf(shares) : 0));
  const best = most.indexOf(Math.max(...most));
  const place = seen[best]?.indexOf(most[best] as number) ?? -1;
  const stretch = stretches[place];
  if (!stretch) return undefined;
  const order = [...runs];
  const byChance = Array.from({ length: ORDERS }, () => {
    prng.shuffle(order);
    return Math.max(...known.map((column) => largestOf(sharesOf(column, order, stretches))));
  });
  const found = seen.flatMap((shares, metric) => {
    const own = shares?.[place] ?? 0;
    const pValue = (byChance.filter((each) => each >= own - ROUNDING).length + 1) / (ORDERS + 1);
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
