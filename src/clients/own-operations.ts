import type { PartTimes } from "../metrics/part-times.js";
import {
  OperationRunner,
  type OperationPlan,
  type OperationProgress,
  type TransactionEnd,
} from "./measuring.js";

export interface OwnConnectionPlan<T> extends OperationPlan<T> {
  /**
   * Runs the operation once. It may book waits, such as `POOL_WAIT_PART`; the rest of its time is a part with the operation's
   * name.
   */
  body(times: PartTimes): Promise<T>;
  /** Looks up, after a commit in doubt, whether the operation was committed: its result, or undefined if it was not. */
  settle?(): Promise<T | undefined>;
}

export class OwnConnectionOperations extends OperationRunner {
  run<T>(plan: OwnConnectionPlan<T>): Promise<TransactionEnd<T>> {
    return this.measure(plan);
  }

  protected override async attempt<T>(
    plan: OwnConnectionPlan<T>,
    { inDoubt, times }: OperationProgress,
  ): Promise<T> {
    const { nowMs } = this.options;
    const startedMs = nowMs();
    try {
      const settled = inDoubt ? await plan.settle?.() : undefined;
      return settled ?? (await plan.body(times));
    } finally {
      // The library's connections report no single calls, so the whole body is one part, which ends the operation.
      times.bookNamedPart(plan.operation, startedMs, nowMs());
    }
  }
}
