// Measures operations of clients that hold connections of their own: nothing is leased.
import type { PartTimes } from "../metrics/part-times.js";
import { Measuring, type OperationPlan, type Progress, type TransactionEnd } from "./measuring.js";

/** An operation on connections that the workload holds. */
export interface OwnPlan<T> extends OperationPlan<T> {
  /** May book its waits to `times`, as `POOL_WAIT` for a connection of the library's pool. The rest is the operation's part. */
  body(times: PartTimes): Promise<T>;
  /** Asks after a commit in doubt whether the operation was committed: its result, or undefined if it was not. */
  settle?(): Promise<T | undefined>;
}

export class OwnOperations extends Measuring {
  /** Resolves when the operation ended one way or another; rejects only if the trial cannot go on. */
  run<T>(plan: OwnPlan<T>): Promise<TransactionEnd<T>> {
    return this.measure(plan);
  }

  protected override async attempt<T>(plan: OwnPlan<T>, { inDoubt, times }: Progress): Promise<T> {
    const { nowMs } = this.options;
    const startedMs = nowMs();
    try {
      const settled = inDoubt ? await plan.settle?.() : undefined;
      return settled ?? (await plan.body(times));
    } finally {
      // No connection of ours times the calls, and an operation ends where its last part does.
      times.bookNamed(plan.operation, startedMs, nowMs());
    }
  }
}
