// The levels that explain a series best, and their gain over one level.
import { mean } from "../statistics/quantiles.js";

/** Minimum number of values at either side of a change. */
export const LEVEL_VALUES_MIN = 2;
/** Minimum gain of each further change, in multiples of the logarithm of the number of values. */
const CHANGE_COST = 3;
/** Smallest share of the squares that may stay unexplained: an exact fit would count as infinitely likely. */
const UNEXPLAINED_SHARE_MIN = 1e-12;

export interface Levels {
  /** Twice the logarithm of the likelihood ratio of these levels to a single level, minus the cost of the changes. */
  readonly gain: number;
  readonly cuts: readonly number[];
}

/** Running sums of the values' differences from their mean, from 0 on, and the sum of all squared differences. */
function runningSumsOf(values: Float64Array): { sums: Float64Array; squares: number } {
  const [sums, centre] = [new Float64Array(values.length + 1), mean(values)];
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const difference = (values[i] as number) - centre;
    sums[i + 1] = (sums[i] as number) + difference;
    squares += difference * difference;
  }
  return { sums, squares };
}

/** Part of the sum of squares that is explained if the values from index `from` until before `to` have one level. */
function explainedSquares(sums: Float64Array, from: number, to: number): number {
  const sum = (sums[to] as number) - (sums[from] as number);
  return (sum * sum) / (to - from);
}

function gainOf(explained: number, squares: number, changes: number, count: number): number {
  const unexplainedShare = Math.max(1 - explained / squares, UNEXPLAINED_SHARE_MIN);
  return -count * Math.log(unexplainedShare) - CHANGE_COST * (changes - 1) * Math.log(count);
}

/** The most likely levels with one to `changesMost` changes, by dynamic programming over the place of the last change. */
export function likeliestLevels(values: Float64Array, changesMost: number): Levels {
  const count = values.length;
  const { sums, squares } = runningSumsOf(values);
  let before = Float64Array.from(sums, (sum, end) => (end < LEVEL_VALUES_MIN ? 0 : (sum * sum) / end));
  const lastCuts: Int32Array[] = [];
  let best: Levels = { gain: Number.NEGATIVE_INFINITY, cuts: [] };
  for (let changes = 1; changes <= changesMost && count >= (changes + 1) * LEVEL_VALUES_MIN; changes++) {
    const [explained, cutAt] = [new Float64Array(count + 1), new Int32Array(count + 1)];
    for (let end = (changes + 1) * LEVEL_VALUES_MIN; end <= count; end++)
      for (let cut = changes * LEVEL_VALUES_MIN; cut <= end - LEVEL_VALUES_MIN; cut++) {
        const sum = (before[cut] as number) + explainedSquares(sums, cut, end);
        if (sum > (explained[end] as number)) [explained[end], cutAt[end]] = [sum, cut];
      }
    lastCuts.push(cutAt);
    const gain = gainOf(explained[count] as number, squares, changes, count);
    if (gain > best.gain) best = { gain, cuts: cutsBefore(count, lastCuts) };
    before = explained;
  }
  return best;
}

/** Cuts between the levels of the values before index `end`, oldest first. */
function cutsBefore(end: number, lastCuts: readonly Int32Array[]): number[] {
  const cuts: number[] = [];
  for (const cutAt of lastCuts.toReversed()) cuts.unshift(cutAt[cuts[0] ?? end] as number);
  return cuts;
}

/** The gain of one change before the value at index `cut`; negative infinity if a level would have too few values. */
export function gainAt(values: Float64Array, cut: number): number {
  const count = values.length;
  if (cut < LEVEL_VALUES_MIN || count - cut < LEVEL_VALUES_MIN) return Number.NEGATIVE_INFINITY;
  const { sums, squares } = runningSumsOf(values);
  return gainOf(explainedSquares(sums, 0, cut) + explainedSquares(sums, cut, count), squares, 1, count);
}
