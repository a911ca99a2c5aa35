// What faults do to the load, second by second of the window: transactions committed, and failed attempts by SQLSTATE,
// retries and failures for good alike, since to the one who asks what a fault did both are errors. A few numbers a second;
// a part of a second that comes late is added.
import type { Totals } from "../../metrics/totals.js";

export class LoadSeconds {
  private readonly committed: number[] = [];
  private readonly errors = new Map<number, Map<string, number>>();

  add(second: number, totals: Totals): void {
    const counts = this.errors.get(second) ?? new Map<string, number>();
    for (const operation of totals.operations) {
      // What a cycle commits, and its errors, are those of its parts.
      if (operation === "__cycle__") continue;
      const { transactions, retries, failures } = totals.countsOf(operation);
      this.committed[second] = (this.committed[second] ?? 0) + transactions;
      for (const [sqlstate, count] of [...retries, ...failures])
        counts.set(sqlstate, (counts.get(sqlstate) ?? 0) + count);
    }
    if (counts.size > 0) this.errors.set(second, counts);
  }

  /** Transactions committed in each of the whole seconds of a window of that length. */
  transactionsOver(windowSeconds: number): number[] {
    return Array.from(
      { length: Math.floor(windowSeconds + 0.001) },
      (_, second) => this.committed[second] ?? 0,
    );
  }

  /** Most frequent first; both seconds are included. */
  errorsBetween(first: number, last: number): Record<string, number> {
    const sums = new Map<string, number>();
    for (const [second, counts] of this.errors) {
      if (second < first || second > last) continue;
      for (const [sqlstate, count] of counts) sums.set(sqlstate, (sums.get(sqlstate) ?? 0) + count);
    }
    return Object.fromEntries([...sums].sort(([, a], [, b]) => b - a));
  }
}
