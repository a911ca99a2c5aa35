// Lines of readings, which are not there every second: the interval may be longer, and counts that take long are taken less
// often. Such lines go on from one reading to the next. Only a distance much longer than usual stays a gap: there the server
// did not answer, and a line would claim that it had.
import { quantile } from "../../../quantiles.js";

const BRIDGED_DISTANCES = 3;

/** The values of a bucket, null where there are none. */
export type Values = readonly (number | null)[];

/** The longest distance that a line bridges: three times the one that three of four readings keep. */
export function bridgedMost(distances: readonly number[]): number {
  return BRIDGED_DISTANCES * quantile(distances, 0.75);
}

/** With straight lines between readings. */
export function bridged(values: Values): Values {
  const read = values.flatMap((value, i) => (value === null ? [] : [{ value, i }]));
  const pairs = read.slice(1).map((to, k) => [read[k] ?? to, to] as const);
  const most = bridgedMost(pairs.map(([from, to]) => to.i - from.i));
  const made = [...values];
  for (const [from, to] of pairs) {
    if (to.i - from.i > most) continue;
    const step = (to.value - from.value) / (to.i - from.i);
    for (let i = from.i + 1; i < to.i; i++) made[i] = from.value + step * (i - from.i);
  }
  return made;
}
