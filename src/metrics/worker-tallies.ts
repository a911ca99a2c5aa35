// What each worker measured in the window, by operation: it adds up to the totals of the trial. Kept while the trial runs
// only, one histogram each; results state its percentiles.
import { sumOfCounts, type LatencySummary } from "./catalogue.js";
import { createGrowingHistogram, recordAll, summaryMs } from "./histograms.js";
import type { Operation } from "./operations.js";
import type { OperationDelta, RecorderDelta } from "./recorder-delta.js";

export interface WorkerOperation {
  readonly transactions: number;
  readonly events: number;
  readonly retries: number;
  readonly failures: number;
  readonly responseTimeMs: LatencySummary | null;
}

class OperationTally {
  private transactions = 0;
  private events = 0;
  private retries = 0;
  private failures = 0;
  private readonly response = createGrowingHistogram();

  add({ transactions, events, retries, failures, samplesUs }: OperationDelta): void {
    this.transactions += transactions;
    this.events += events;
    this.retries += sumOfCounts(retries);
    this.failures += sumOfCounts(failures);
    if (samplesUs.response) recordAll(this.response, samplesUs.response);
  }

  summary(): WorkerOperation {
    const { transactions, events, retries, failures } = this;
    return { transactions, events, retries, failures, responseTimeMs: summaryMs(this.response) };
  }
}

export class WorkerTallies {
  private readonly byWorker = new Map<number, Map<Operation, OperationTally>>();

  add(worker: number, { isRehearsal, seconds }: RecorderDelta): void {
    if (isRehearsal) return;
    for (const { operations } of seconds)
      for (const [operation, delta] of Object.entries(operations)) this.at(worker, operation).add(delta);
  }

  /** Zeros where the worker measured nothing of it. */
  summary(worker: number, operation: Operation): WorkerOperation {
    return this.at(worker, operation).summary();
  }

  private at(worker: number, operation: Operation): OperationTally {
    const operations = this.byWorker.get(worker) ?? new Map<Operation, OperationTally>();
    this.byWorker.set(worker, operations);
    const tally = operations.get(operation) ?? new OperationTally();
    operations.set(operation, tally);
    return tally;
  }
}
