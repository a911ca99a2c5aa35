// Time is seconds of the measurement window, or instants, which each trial turns into seconds of its window. A filter on
// time leaves out events outside the window.
import type { Operation } from "../metrics/operations.js";

/** A second of the window, or an instant in wall-clock milliseconds. */
export type TimeBound = { readonly second: number } | { readonly atMs: number };

export interface LogFilter {
  /** Numbers of trials. Undefined selects all, as in the other filters. */
  readonly trials?: readonly number[];
  /** Roles such as `consumers`, or single workers such as `consumers/1`. */
  readonly actors?: readonly string[];
  readonly operations?: readonly Operation[];
  /** Selects seconds from `from` on and before `to`. */
  readonly from?: TimeBound;
  readonly to?: TimeBound;
}

/** Seconds of one trial's window, from `from` on and before `to`. */
export interface SecondRange {
  readonly from: number;
  readonly to: number;
}

export function wantsWorker(filter: LogFilter, actor: string, worker: number): boolean {
  return !filter.actors || filter.actors.includes(actor) || filter.actors.includes(`${actor}/${worker}`);
}

export function wantsOperation(filter: LogFilter, operation: Operation): boolean {
  return !filter.operations || filter.operations.includes(operation);
}

export function hasTimeBounds({ from, to }: LogFilter): boolean {
  return from !== undefined || to !== undefined;
}

/** Seconds that a filter selects; undefined if it states an instant and the log lacks the start of the window. */
export function secondRangeOf(
  { from, to }: LogFilter,
  windowStartsAtMs: number | undefined,
): SecondRange | undefined {
  const place = (bound: TimeBound | undefined, otherwise: number): number | undefined => {
    if (!bound) return otherwise;
    if ("second" in bound) return bound.second;
    return windowStartsAtMs === undefined ? undefined : (bound.atMs - windowStartsAtMs) / 1000;
  };
  const [first, end] = [place(from, 0), place(to, Number.POSITIVE_INFINITY)];
  // A second that contains an instant is selected as a whole.
  return first === undefined || end === undefined
    ? undefined
    : { from: Math.max(0, Math.floor(first)), to: Math.max(0, Math.ceil(end)) };
}
