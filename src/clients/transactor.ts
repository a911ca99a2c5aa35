// Transactions on leased connections: each attempt leases a connection, runs the body on it and gives it back.
import { POOL_WAIT, RELEASE, type PartTimes } from "../metrics/part-times.js";
import type { ConnectionSource, Lease, Session } from "../database/session.js";
import {
  Measuring,
  type MeasuringOptions,
  type OperationPlan,
  type Progress,
  type TransactionEnd,
} from "./measuring.js";

export type { TransactionEnd } from "./measuring.js";

export interface TransactionPlan<T> extends OperationPlan<T> {
  /** Runs the transaction once. Calls on the connection are booked to `times`; the body books its other waits. */
  body(session: Session, times: PartTimes): Promise<T>;
  /**
   * Looks up, after a commit in doubt, whether it was committed: its result, or undefined if not. Omitted if a repetition
   * does no harm.
   */
  settle?(session: Session): Promise<T | undefined>;
}

export interface TransactorOptions extends MeasuringOptions {
  readonly source: Pick<ConnectionSource, "acquire" | "endpointOf">;
}

export class Transactor extends Measuring {
  constructor(protected override readonly options: TransactorOptions) {
    super(options);
  }

  run<T>(plan: TransactionPlan<T>): Promise<TransactionEnd<T>> {
    return this.measure(plan);
  }

  protected override async attempt<T>(plan: TransactionPlan<T>, progress: Progress): Promise<T> {
    const { source, recorder, nowMs } = this.options;
    const { times } = progress;
    const askedMs = nowMs();
    let lease: Lease;
    try {
      const acquired = source.acquire(plan.client);
      lease = acquired instanceof Promise ? await acquired : acquired;
    } finally {
      times.book(POOL_WAIT, askedMs, nowMs());
    }
    let isSuspect = true;
    let isAcknowledged = false;
    lease.connection.observe(times);
    const { warnedCommits = 0 } = lease.connection;
    try {
      const settled = progress.inDoubt && plan.settle ? await plan.settle(lease.connection) : undefined;
      const result = settled ?? (await plan.body(lease.connection, times));
      isSuspect = false;
      isAcknowledged = true;
      if ((lease.connection.warnedCommits ?? 0) > warnedCommits)
        recorder.count(plan.operation, "warnedCommits", nowMs());
      return result;
    } catch (error) {
      isSuspect = !["retry", "final"].includes(this.options.failures.classify(error).kind);
      throw error;
    } finally {
      lease.connection.observe(undefined);
      const endedMs = nowMs();
      const released = lease.release(isSuspect);
      if (released) {
        await released;
        // The answer ends an acknowledged transaction: giving its connection back is no part of it.
        if (!isAcknowledged) times.book(RELEASE, endedMs, nowMs());
      }
    }
  }
}
