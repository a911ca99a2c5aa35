// Data that a recorder ships once a second: plain values and typed arrays, whose memory is moved between threads and not
// copied.
import { sumOfCounts } from "./figures.js";
import { recordOf, SERIES_COUNTS, type Counts, type LatencyId, type SeriesCounts } from "./metric-lists.js";
import type { LifecycleStage, Operation } from "./operations.js";
import type { PartsDelta } from "./part-sums.js";

export interface OperationDelta extends Counts {
  /** Times of failed attempts, retried or not, by SQLSTATE: microseconds into the window. */
  errorsUs: Record<string, Float64Array>;
  /** Samples in microseconds. */
  samplesUs: Partial<Record<LatencyId, Float64Array>>;
  /** Times of the parts of transactions. */
  parts?: PartsDelta;
}

export interface SecondDelta {
  /** Second of the window, from 0. */
  readonly second: number;
  readonly operations: Record<Operation, OperationDelta>;
  readonly lifecycleUs: Readonly<Record<LifecycleStage, Float64Array>>;
}

/** What a worker recorded since its last delta. Plain values: it crosses the thread boundary unchanged. */
export interface RecorderDelta {
  /** True if the seconds are warm-up seconds (from 0), which count in no result; their counts are in `outside`, too. */
  readonly isWarmUp: boolean;
  /** Seconds, ascending. A second appears again if a transaction that finished in it was recorded after it was sent. */
  readonly seconds: readonly SecondDelta[];
  /** Every second before this one was sent; Infinity after the last. */
  readonly closedBefore: number;
  /** Counts of transactions that finished outside the window. */
  readonly outside: SeriesCounts;
  /** Number of samples below 0 or above seven days, which are recorded at that bound. */
  readonly clampedSamples: number;
  /** Number of transactions that ended at the server in the window, including retries, polls and look-ups. */
  readonly serverTransactions: number;
  /** Transactions in flight at the window's end: the number that a schedule started, and the longest duration. */
  readonly underWay: Readonly<Record<Operation, Partial<Counts>>>;
}

/** Array buffers of a delta, which `postMessage` is to move instead of copying. */
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

/** Adds the counts of seconds that are not in the window. */
export function addOutsideCounts(outside: SeriesCounts, seconds: readonly SecondDelta[]): void {
  for (const { operations } of seconds)
    for (const operation of Object.values(operations))
      for (const { id } of SERIES_COUNTS) {
        const count = operation[id];
        outside[id] += typeof count === "number" ? count : sumOfCounts(count);
      }
}

export function zeroOutsideCounts(): SeriesCounts {
  return recordOf(SERIES_COUNTS, () => 0);
}

/** Transactions and polls that the server answered, in the window and outside. */
export function finishedCountIn({ seconds, outside }: RecorderDelta): number {
  const windowOperations = seconds.flatMap(({ operations }) => Object.values(operations));
  return windowOperations.reduce(
    (sum, { transactions, emptyPolls }) => sum + transactions + emptyPolls,
    outside.transactions + outside.emptyPolls,
  );
}
