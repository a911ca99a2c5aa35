// Failed attempts of the load by SQLSTATE, second by second of the window: retries and failures for good alike, since to
// the one who asks what a fault did both are errors. A few numbers a second; a part of a second that comes late is added.
import type { Totals } from "../../metrics/totals.js";

export class SecondErrors {
  private readonly seconds = new Map<number, Map<string, number>>();

  add(second: number, totals: Totals): void {
    const counts = this.seconds.get(second) ?? new Map<string, number>();
    for (const operation of totals.operations) {
      // The errors of a cycle are those of its parts.
      if (operation === "__cycle__") continue;
      const { retries, failures } = totals.countsOf(operation);
      for (const [sqlstate, count] of [...retries, ...failures])
        counts.set(sqlstate, (counts.get(sqlstate) ?? 0) + count);
    }
    if (counts.size > 0) this.seconds.set(second, counts);
  }

  /** Most frequent first; both seconds are included. */
  between(first: number, last: number): Record<string, number> {
    const sums = new Map<string, number>();
    for (const [second, counts] of this.seconds) {
      if (second < first || second > last) continue;
      for (const [sqlstate, count] of counts) sums.set(sqlstate, (sums.get(sqlstate) ?? 0) + count);
    }
    return Object.fromEntries([...sums].sort(([, a], [, b]) => b - a));
  }
}
