// A line bridges usual distances between readings; a much longer distance stays a gap.
import { quantile } from "../../../../analysis/statistics/quantiles.js";

/** Limit of the distances that a line bridges, as a multiple of the upper quartile of all distances between readings. */
export const BRIDGE_QUARTILE_MULTIPLE = 3;

export type Values = readonly (number | null)[];

/** Longest distance between readings that a line bridges: three times the upper quartile of these distances. */
export function longestBridgedGap(distances: readonly number[]): number {
  return BRIDGE_QUARTILE_MULTIPLE * quantile(distances, 0.75);
}

/** Fills gaps between readings with straight lines, unless a gap is longer than `longestBridgedGap`. */
export function bridgeShortGaps(values: Values): Values {
  const read = values.flatMap((value, i) => (value === null ? [] : [i]));
  const most = longestBridgedGap(read.slice(1).map((to, k) => to - (read[k] ?? to)));
  return bridgeGapsIf(values, (from, to) => to - from <= most);
}

/** Fills the gap between two neighbouring readings with a straight line if `isJoined` returns true for their indexes. */
export function bridgeGapsIf(values: Values, isJoined: (from: number, to: number) => boolean): Values {
  const read = values.flatMap((value, i) => (value === null ? [] : [{ value, i }]));
  const joinedValues = [...values];
  for (const [k, to] of read.slice(1).entries()) {
    const from = read[k] ?? to;
    if (!isJoined(from.i, to.i)) continue;
    const step = (to.value - from.value) / (to.i - from.i);
    for (let i = from.i + 1; i < to.i; i++) joinedValues[i] = from.value + step * (i - from.i);
  }
  return joinedValues;
}
