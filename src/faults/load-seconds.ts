// Effects of faults on the load: commits per second of the window, and failed attempts by SQLSTATE with their millisecond.
// Retries count like final failures.
import type { Totals } from "../metrics/totals.js";
import { isCycleOperation } from "../metrics/operations.js";

export class LoadSeconds {
  private readonly committedPerSecond: number[] = [];
  private readonly errors = new Map<string, Map<number, number>>();

  add(second: number, totals: Totals): void {
    for (const operation of totals.operations) {
      // The operations of a cycle are counted by themselves.
      if (isCycleOperation(operation)) continue;
      this.committedPerSecond[second] =
        (this.committedPerSecond[second] ?? 0) + totals.countsOf(operation).transactions;
    }
    for (const [sqlstate, atUs] of totals.errorTimes) {
      const counts = this.errors.get(sqlstate) ?? new Map<number, number>();
      this.errors.set(sqlstate, counts);
      for (const us of atUs) {
        const ms = Math.floor(us / 1000);
        counts.set(ms, (counts.get(ms) ?? 0) + 1);
      }
    }
  }

  /** Transactions committed in each whole second of a window of that length in seconds. */
  transactionsPerSecond(windowSeconds: number): number[] {
    return Array.from(
      { length: Math.floor(windowSeconds + 0.001) },
      (_, second) => this.committedPerSecond[second] ?? 0,
    );
  }

  /** Number of errors by SQLSTATE, the most frequent first, from `fromSecond` until before `toSecond` of the window. */
  errorsBetween(fromSecond: number, toSecond: number): Record<string, number> {
    const sums = [...this.errors].map(([sqlstate, counts]): [string, number] => {
      const ours = [...counts].filter(([ms]) => ms >= Math.floor(fromSecond * 1000) && ms < toSecond * 1000);
      return [sqlstate, ours.reduce((sum, [, count]) => sum + count, 0)];
    });
    return Object.fromEntries(sums.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
  }
}
