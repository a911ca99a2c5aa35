// Totals of each worker, which add up to the totals of the trial. They are kept while the trial runs, with histograms of
// response times alone.
import { sumOfCounts } from "./figures.js";
import { recordAll } from "./histograms.js";
import { addCounts } from "./metric-lists.js";
import type { Operation } from "./operations.js";
import type { RecorderDelta } from "./recorder-delta.js";
import { Totals } from "./totals.js";

/** Arrivals of one operation that a worker cannot account for. */
export interface UnaccountedArrivals {
  readonly worker: number;
  readonly operation: Operation;
  readonly offered: number;
  readonly accounted: number;
}

export class WorkerTallies {
  private readonly byWorker = new Map<number, Totals>();
  /** Number of transactions that ended at the server, over all workers; see `RecorderDelta`. */
  serverTransactions = 0;

  add(worker: number, delta: RecorderDelta): void {
    this.serverTransactions += delta.serverTransactions;
    const totals = this.totalsOf(worker);
    totals.addUnderWay(delta);
    if (delta.isWarmUp) return;
    for (const { operations } of delta.seconds)
      for (const [operation, counts] of Object.entries(operations)) {
        addCounts(totals.countsOf(operation), counts);
        const { response } = counts.samplesUs;
        if (response) recordAll(totals.histograms.at(`${operation}.response`), response);
      }
  }

  /** Totals of a worker; they have no operations if the worker measured nothing. */
  totalsOf(worker: number): Totals {
    const totals = this.byWorker.get(worker) ?? Totals.ofTrials();
    this.byWorker.set(worker, totals);
    return totals;
  }

  /**
   * The first operation whose arrivals do not satisfy offered = transactions + failures + emptyPolls + dropped +
   * unfinished; undefined if there is none. Excused workers are not checked.
   */
  findUnaccountedArrivals(
    isExcused: (worker: number) => boolean = () => false,
  ): UnaccountedArrivals | undefined {
    for (const [worker, totals] of [...this.byWorker].filter(([each]) => !isExcused(each)))
      for (const operation of totals.operations) {
        const { offered, transactions, failures, emptyPolls, dropped, unfinished } =
          totals.countsOf(operation);
        const accounted = transactions + sumOfCounts(failures) + emptyPolls + dropped + unfinished;
        if (offered > 0 && offered !== accounted) return { worker, operation, offered, accounted };
      }
    return undefined;
  }
}
