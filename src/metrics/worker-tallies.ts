// What each worker measured in the window, by operation: it adds up to the totals of the trial. Kept while the trial runs
// only, one histogram each; results state its percentiles.
import { sumOfCounts, type LatencySummary } from "./figures.js";
import { createGrowingHistogram, recordAll, summaryMs } from "./histograms.js";
import type { Operation } from "./operations.js";
import type { Counts } from "./metric-lists.js";
import type { OperationDelta, RecorderDelta } from "./recorder-delta.js";

export interface WorkerOperation {
  readonly transactions: number;
  readonly events: number;
  readonly retries: number;
  readonly failures: number;
  readonly responseTimeMs: LatencySummary | null;
}

/** Arrivals of one operation that a worker cannot account for. */
export interface Unaccounted {
  readonly worker: number;
  readonly operation: Operation;
  readonly offered: number;
  /** What ended, was dropped, or was under way at the end. */
  readonly accounted: number;
}

class OperationTally {
  private transactions = 0;
  private events = 0;
  private retries = 0;
  private failures = 0;
  private readonly response = createGrowingHistogram();
  /** Of an open loop. */
  offered = 0;
  private emptyPolls = 0;
  private notEnded = 0;

  add(delta: OperationDelta): void {
    const { transactions, events, retries, failures, samplesUs } = delta;
    this.transactions += transactions;
    this.events += events;
    this.retries += sumOfCounts(retries);
    this.failures += sumOfCounts(failures);
    this.offered += delta.offered;
    this.emptyPolls += delta.emptyPolls;
    this.addNotEnded(delta);
    if (samplesUs.response) recordAll(this.response, samplesUs.response);
  }

  addNotEnded({ dropped, unfinished }: Counts): void {
    this.notEnded += dropped + unfinished;
  }

  /** offered = transactions + failures + emptyPolls + dropped + unfinished */
  get accounted(): number {
    return this.transactions + this.failures + this.emptyPolls + this.notEnded;
  }

  summary(): WorkerOperation {
    const { transactions, events, retries, failures } = this;
    return { transactions, events, retries, failures, responseTimeMs: summaryMs(this.response) };
  }
}

export class WorkerTallies {
  private readonly byWorker = new Map<number, Map<Operation, OperationTally>>();
  /** Of all workers: see `RecorderDelta`. */
  serverTransactions = 0;

  add(worker: number, { isRehearsal, seconds, serverTransactions, underWay }: RecorderDelta): void {
    this.serverTransactions += serverTransactions;
    for (const [operation, counts] of Object.entries(underWay))
      this.at(worker, operation).addNotEnded(counts);
    if (isRehearsal) return;
    for (const { operations } of seconds)
      for (const [operation, delta] of Object.entries(operations)) this.at(worker, operation).add(delta);
  }

  /** Zeros where the worker measured nothing of it. */
  summary(worker: number, operation: Operation): WorkerOperation {
    return this.at(worker, operation).summary();
  }

  /** The first of which arrivals are missing, or too many; undefined where all workers but those can account for theirs. */
  unaccounted(isExcused: (worker: number) => boolean = () => false): Unaccounted | undefined {
    for (const [worker, operations] of [...this.byWorker].filter(([each]) => !isExcused(each)))
      for (const [operation, { offered, accounted }] of operations)
        if (offered > 0 && offered !== accounted) return { worker, operation, offered, accounted };
    return undefined;
  }

  private at(worker: number, operation: Operation): OperationTally {
    const operations = this.byWorker.get(worker) ?? new Map<Operation, OperationTally>();
    this.byWorker.set(worker, operations);
    const tally = operations.get(operation) ?? new OperationTally();
    operations.set(operation, tally);
    return tally;
  }
}
