// Acknowledged work that is not in the tables, by operation: how much, when it was acknowledged, and how much no fault explains.
import type { LossSpan } from "../../../faults/fault.js";
import type { Loss } from "../../workload.js";

/** When something was acknowledged, on the monotonic clock where that is known, and by which endpoint. */
export interface Acknowledged {
  readonly atMs: number | undefined;
  readonly endpoint: number;
}

/** Whether one of the spans holds it. */
export function isWithin(spans: readonly LossSpan[], { atMs, endpoint }: Acknowledged): boolean {
  if (atMs === undefined) return false;
  return spans.some(
    (span) =>
      atMs >= span.sinceMs &&
      atMs <= span.untilMs &&
      (span.endpoint === undefined || span.endpoint === endpoint),
  );
}

interface Sum {
  lost: number;
  unexplained: number;
  /** Moments of lost work whose moment is known. */
  firstMs: number;
  lastMs: number;
}

export class Losses {
  private readonly sums = new Map<string, Sum>();

  /** `atMs` is when it was acknowledged, where that is known. */
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

  /** Moments are seconds since `windowStartMs`; without it they are left out. */
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
