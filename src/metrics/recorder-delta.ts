// What a recorder ships once a second: plain values and typed arrays, whose memory is moved between threads and not copied.
import { sumOfCounts } from "./figures.js";
import { recordOf, SERIES_COUNTS, type Counts, type LatencyId, type SeriesCounts } from "./metric-lists.js";
import type { LifecycleStage, Operation } from "./operations.js";
import type { PartsDelta } from "./part-sums.js";

export interface OperationDelta extends Counts {
  /** When attempts failed, retried or not, by SQLSTATE: microseconds into the window. */
  errorsUs: Record<string, Float64Array>;
  /** Samples in microseconds. */
  samplesUs: Partial<Record<LatencyId, Float64Array>>;
  /** Where the time of the transactions went. */
  parts?: PartsDelta;
}

export interface SecondDelta {
  /** Second of the window, from 0. */
  readonly second: number;
  readonly operations: Record<Operation, OperationDelta>;
  /** End-to-end latencies in microseconds. */
  readonly lifecycleUs: Readonly<Record<LifecycleStage, Float64Array>>;
}

/** What happened since the last one. Plain values: it crosses the thread boundary as it is. */
export interface RecorderDelta {
  /** The seconds are those of a rehearsal, from 0, and count in no result; what happened in them is in `outside` too. */
  readonly isRehearsal: boolean;
  /** Ascending. A second that was shipped before appears again when something finished in it was recorded late. */
  readonly seconds: readonly SecondDelta[];
  /** Every second before this one has been shipped; Infinity after the last. */
  readonly closedBefore: number;
  /** What finished outside the window. */
  readonly outside: SeriesCounts;
  /** Samples below 0 or above seven days, recorded at that bound. */
  readonly clampedSamples: number;
  /** Transactions that ended at the server in the window: retries, polls and look-ups included. */
  readonly serverTransactions: number;
  /** Of transactions that were under way at the window's end: those that a schedule started, and how long the longest took. */
  readonly underWay: Readonly<Record<Operation, Partial<Counts>>>;
}

/** The buffers of a delta, to be moved with `postMessage` instead of copied. */
export function transferablesOf(delta: RecorderDelta): ArrayBuffer[] {
  const arrays = delta.seconds.flatMap((second) => [
    ...Object.values(second.operations).flatMap(({ samplesUs, errorsUs }) => [
      ...Object.values(samplesUs),
      ...Object.values(errorsUs),
    ]),
    ...Object.values(second.lifecycleUs),
  ]);
  return arrays.map((array) => array.buffer as ArrayBuffer);
}

/** Adds what happened in seconds that are not of the window. */
export function addOutside(outside: SeriesCounts, seconds: readonly SecondDelta[]): void {
  for (const { operations } of seconds)
    for (const operation of Object.values(operations))
      for (const { id } of SERIES_COUNTS) {
        const count = operation[id];
        outside[id] += typeof count === "number" ? count : sumOfCounts(count);
      }
}

export function noOutsideCounts(): SeriesCounts {
  return recordOf(SERIES_COUNTS, () => 0);
}

/** Transactions and polls that the server answered, in the window and outside. */
export function finishedIn({ seconds, outside }: RecorderDelta): number {
  const inside = seconds.flatMap(({ operations }) => Object.values(operations));
  return inside.reduce(
    (sum, { transactions, emptyPolls }) => sum + transactions + emptyPolls,
    outside.transactions + outside.emptyPolls,
  );
}
