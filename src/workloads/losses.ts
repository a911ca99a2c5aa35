// Missing acknowledged work by operation: how much, when it was acknowledged, how much no fault explains.
import type { LossSpan } from "../faults/fault.js";
import type { Loss } from "./workload.js";

/** An acknowledgement: its monotonic time, if known, and its endpoint. */
export interface Acknowledgement {
  readonly atMs: number | undefined;
  readonly endpoint: number;
}

/** True if the acknowledgement lies within one of the spans, at an endpoint to which the span applies. */
export function isWithin(spans: readonly LossSpan[], { atMs, endpoint }: Acknowledgement): boolean {
  if (atMs === undefined) return false;
  return spans.some(
    (span) =>
      atMs >= span.sinceMs &&
      atMs <= span.untilMs &&
      (span.endpoint === undefined || span.endpoint === endpoint),
  );
}

interface LossSum {
  lost: number;
  unexplained: number;
  firstMs: number;
  lastMs: number;
}

export class Losses {
  private readonly sums = new Map<string, LossSum>();

  /** Adds lost work. `atMs` is the time of its acknowledgement, if known. */
  add(operation: string, amount: number, atMs: number | undefined, isExplained: boolean): void {
    if (amount === 0) return;
    const sum = this.sums.get(operation) ?? { lost: 0, unexplained: 0, firstMs: Infinity, lastMs: -Infinity };
    this.sums.set(operation, sum);
    sum.lost += amount;
    if (!isExplained) sum.unexplained += amount;
    if (atMs === undefined) return;
    sum.firstMs = Math.min(sum.firstMs, atMs);
    sum.lastMs = Math.max(sum.lastMs, atMs);
  }

  /** Losses by operation. Times are seconds since `windowStartMs`; they are left out if that is undefined. */
  total(windowStartMs: number | undefined): Loss[] {
    return [...this.sums].map(([operation, { lost, unexplained, firstMs, lastMs }]) => ({
      operation,
      lost,
      unexplained,
      ...(windowStartMs !== undefined &&
        Number.isFinite(firstMs) && {
          firstAtSeconds: (firstMs - windowStartMs) / 1000,
          lastAtSeconds: (lastMs - windowStartMs) / 1000,
        }),
    }));
  }
}
