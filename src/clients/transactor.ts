// Transactions on leased connections: each attempt leases a connection, runs the body on it and gives it back.
import { POOL_WAIT_PART, RELEASE_PART, type PartTimes } from "../metrics/part-times.js";
import type { ConnectionSource, Lease, Session } from "../database/session.js";
import {
  OperationRunner,
  type OperationRunnerOptions,
  type OperationPlan,
  type OperationProgress,
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

export interface TransactorOptions extends OperationRunnerOptions {
  readonly source: Pick<ConnectionSource, "acquire" | "endpointOf">;
}

export class Transactor extends OperationRunner {
  constructor(protected override readonly options: TransactorOptions) {
    super(options);
  }

  run<T>(plan: TransactionPlan<T>): Promise<TransactionEnd<T>> {
    return this.measure(plan);
  }

  protected override async attempt<T>(plan: TransactionPlan<T>, progress: OperationProgress): Promise<T> {
    const { source, recorder, nowMs } = this.options;
    const { times } = progress;
    const acquireStartMs = nowMs();
    let lease: Lease;
    try {
      const leaseOrPromise = source.acquire(plan.client);
      lease = leaseOrPromise instanceof Promise ? await leaseOrPromise : leaseOrPromise;
    } finally {
      times.book(POOL_WAIT_PART, acquireStartMs, nowMs());
    }
    let isConnectionSuspect = true;
    let isCommitAcknowledged = false;
    lease.connection.observe(times);
    const { warnedCommits = 0 } = lease.connection;
    try {
      const settled = progress.inDoubt && plan.settle ? await plan.settle(lease.connection) : undefined;
      const result = settled ?? (await plan.body(lease.connection, times));
      isConnectionSuspect = false;
      isCommitAcknowledged = true;
      if ((lease.connection.warnedCommits ?? 0) > warnedCommits)
        recorder.count(plan.operation, "warnedCommits", nowMs());
      return result;
    } catch (error) {
      isConnectionSuspect = !["retry", "final"].includes(this.options.failures.classify(error).kind);
      throw error;
    } finally {
      lease.connection.observe(undefined);
      const endedMs = nowMs();
      const releasePromise = lease.release(isConnectionSuspect);
      if (releasePromise) {
        await releasePromise;
        // The answer ends an acknowledged transaction: giving its connection back is no part of it.
        if (!isCommitAcknowledged) times.book(RELEASE_PART, endedMs, nowMs());
      }
    }
  }
}
