// What a worker's recorder ships to the coordinator once a second. It is made of plain values and typed arrays, which
// cross the thread boundary as they are, their memory moved and not copied.
import type { LifecycleStage, Operation, OperationMeasure } from "./operations.js";
import type { PartsDelta } from "./part-sums.js";

/** Counts of what finished outside the window. */
export interface OutsideCounts {
  transactions: number;
  events: number;
  failures: number;
  retries: number;
  emptyPolls: number;
  offered: number;
  dropped: number;
}

export interface OperationDelta {
  transactions: number;
  events: number;
  /** Arrivals of an open loop that were due in this second. */
  offered: number;
  /** Arrivals that were given up in this second. */
  dropped: number;
  emptyPolls: number;
  /** Time spent in empty polls. */
  emptyPollMs: number;
  unansweredCommits: number;
  /** By SQLSTATE. */
  retries: Record<string, number>;
  failures: Record<string, number>;
  /** When attempts failed, retried or not, by SQLSTATE: microseconds into the window. */
  errorsUs: Record<string, Float64Array>;
  /** Samples in microseconds. */
  samplesUs: Partial<Record<OperationMeasure, Float64Array>>;
  /** Where the time of the transactions went. */
  parts?: PartsDelta;
}

export interface SecondDelta {
  /** Second of the window, from 0. */
  readonly second: number;
  readonly operations: Record<Operation, OperationDelta>;
  /** End-to-end latencies in microseconds. */
  readonly lifecycleUs: Partial<Record<LifecycleStage, Float64Array>>;
}

/** What happened since the last one. Plain values: it crosses the thread boundary as it is. */
export interface RecorderDelta {
  /** The seconds are those of a rehearsal, from 0, and count in no result; what happened in them is in `outside` too. */
  readonly isRehearsal: boolean;
  /** Ascending. A second that was shipped before appears again when something finished in it was recorded late. */
  readonly seconds: readonly SecondDelta[];
  /** Every second before this one has been shipped; Infinity after the last. */
  readonly closedBefore: number;
  readonly outside: OutsideCounts;
  /** Samples below 0 or above seven days, recorded at that bound. */
  readonly clampedSamples: number;
  /** Arrivals of the window that started and ended after it, in whatever way. */
  readonly unfinished: Record<Operation, number>;
  /** Milliseconds that the longest took of those that were under way at the window's end. */
  readonly outlastedMs: Record<Operation, number>;
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
export function addOutside(outside: OutsideCounts, seconds: readonly SecondDelta[]): void {
  for (const { operations } of seconds) {
    for (const operation of Object.values(operations)) {
      outside.transactions += operation.transactions;
      outside.events += operation.events;
      outside.emptyPolls += operation.emptyPolls;
      outside.offered += operation.offered;
      outside.dropped += operation.dropped;
      outside.retries += sumOfCounts(operation.retries);
      outside.failures += sumOfCounts(operation.failures);
    }
  }
}

function sumOfCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

export function noOutsideCounts(): OutsideCounts {
  return { transactions: 0, events: 0, failures: 0, retries: 0, emptyPolls: 0, offered: 0, dropped: 0 };
}
