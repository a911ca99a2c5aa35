// One decision from many numbers: is anything worse than before? A gate that looks at dozens of metrics, each at 5 %,
// would raise a false alarm on every other run. So the trials of both runs are dealt out again as wholes, all metrics
// of a block together, and each difference is held against the largest that any metric shows by chance (Westfall and
// Young's single-step max-T). That keeps false alarms at 5 % however many metrics there are and however they move
// together, and five trials on either side suffice.
import type { Prng } from "../../foundation/prng.js";

/** Ways to deal the trials out that are all tried; with more, ways are sampled. */
const EXACT_ARRANGEMENTS_MAX = 20_000;

/** One metric, larger is worse; each entry is a block's value in that run, NaN where it has none. */
export interface GateMetric {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Ranks over both sides in place of values, for one that holds outliers: a single stall would hide all the rest. */
export function ranked({ before, after }: GateMetric): GateMetric {
  const known = [...before, ...after].filter((value) => !Number.isNaN(value));
  const rank = (value: number): number =>
    Number.isNaN(value)
      ? value
      : known.reduce((sum, each) => sum + Number(each < value) + Number(each === value) / 2, 0);
  return { before: before.map(rank), after: after.map(rank) };
}

interface Units {
  readonly before: number;
  readonly all: number;
}

/** Welch's t of after over before; -Infinity where a side has fewer than two values. */
function statistic(values: Float64Array, isAfter: Uint8Array): number {
  const [n, sum, squares] = [
    [0, 0],
    [0, 0],
    [0, 0],
  ] as [number[], number[], number[]];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (Number.isNaN(value)) continue;
    const side = isAfter[i] as number;
    n[side] = (n[side] as number) + 1;
    sum[side] = (sum[side] as number) + value;
    squares[side] = (squares[side] as number) + value * value;
  }
  const [n0, n1] = n as [number, number];
  if (n0 < 2 || n1 < 2) return Number.NEGATIVE_INFINITY;
  const [mean0, mean1] = [(sum[0] as number) / n0, (sum[1] as number) / n1];
  const variance = (side: number, count: number, mean: number): number =>
    Math.max(0, ((squares[side] as number) - count * mean * mean) / (count - 1)) / count;
  const difference = mean1 - mean0;
  const error = Math.sqrt(variance(0, n0, mean0) + variance(1, n1, mean1));
  if (error > 1e-9) return difference / error;
  return Math.abs(difference) < 1e-9 ? 0 : Math.sign(difference) * Number.POSITIVE_INFINITY;
}

/** Every choice of which units come after, or 20 000 random ones where there are too many; the one seen is first. */
function* arrangements({ before, all }: Units, prng: Prng): Generator<Uint8Array> {
  const isAfter = new Uint8Array(all).fill(1, before);
  yield isAfter;
  let ways = 1;
  for (let i = 1; i <= before; i++) ways = (ways * (all - before + i)) / i;
  if (ways <= EXACT_ARRANGEMENTS_MAX) {
    while (nextArrangement(isAfter)) yield isAfter;
    return;
  }
  const order = Array.from(isAfter);
  for (let i = 1; i < EXACT_ARRANGEMENTS_MAX; i++) yield Uint8Array.from(prng.shuffle(order));
}

/** The next order of the 0s and 1s, beginning with all 1s at the end; false after the last. */
function nextArrangement(bits: Uint8Array): boolean {
  let i = bits.length - 2;
  while (i >= 0 && !(bits[i] === 0 && bits[i + 1] === 1)) i--;
  if (i < 0) return false;
  bits[i] = 1;
  const tail = bits.subarray(i + 1);
  const ones = tail.reduce((sum, bit) => sum + bit, 0) - 1;
  tail.fill(0).fill(1, tail.length - ones);
  return true;
}

/**
 * For each metric the chance, were nothing worse, that any of them looked as much worse as it does: a one-sided
 * p-value corrected for all of them together. All metrics have the same blocks.
 */
export function worsePValues(metrics: readonly GateMetric[], prng: Prng): number[] {
  const [first] = metrics;
  if (!first) return [];
  const units = { before: first.before.length, all: first.before.length + first.after.length };
  const values = metrics.map(({ before, after }) => centred([...before, ...after]));
  let seen: number[] | undefined;
  const exceeded = metrics.map(() => 0);
  let count = 0;
  for (const isAfter of arrangements(units, prng)) {
    const statistics = values.map((each) => statistic(each, isAfter));
    seen ??= statistics;
    const largest = Math.max(...statistics);
    count++;
    for (const [i, own] of seen.entries())
      if (largest >= own - 1e-9 * Math.max(1, Math.abs(own)) || largest === own)
        exceeded[i] = (exceeded[i] as number) + 1;
  }
  return exceeded.map((times) => times / count);
}

/** Moved to a mean of 0, so that squares lose no digits. */
function centred(values: readonly number[]): Float64Array {
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
  return Float64Array.from(values, (value) => value - mean);
}
