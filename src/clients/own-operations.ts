import type { PartTimes } from "../metrics/part-times.js";
import { Measuring, type OperationPlan, type Progress, type TransactionEnd } from "./measuring.js";

export interface OwnPlan<T> extends OperationPlan<T> {
  /**
   * Runs the operation once. It may book waits, such as `POOL_WAIT`; the rest of its time is a part with the operation's
   * name.
   */
  body(times: PartTimes): Promise<T>;
  /** Looks up, after a commit in doubt, whether the operation was committed: its result, or undefined if it was not. */
  settle?(): Promise<T | undefined>;
}

export class OwnOperations extends Measuring {
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
      // The library's connections report no single calls, so the whole body is one part, which ends the operation.
      times.bookNamed(plan.operation, startedMs, nowMs());
    }
  }
}
