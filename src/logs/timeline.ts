// Derived from summary lines, whose counts are complete, in columns that all rows share.
import { byOperation, ROLES } from "../workloads/registry.js";
import type { SummaryLine } from "../results/log-lines.js";
import type { TimelineRow, TrialLogReport } from "./log-report.js";
import { sumOfCounts } from "../metrics/figures.js";

type Mutable<Row> = { -readonly [Key in keyof Row]: Row[Key] };
type MutableRow = Mutable<Omit<TimelineRow, "transactionsByColumn">> & { readonly columnSums: ColumnSums };

export class Timeline {
  private readonly rows = new Map<string, MutableRow>();

  add({ actor, worker, operation, second, ...counts }: SummaryLine): void {
    const key = `${actor}/${worker}/${operation}`;
    let row = this.rows.get(key);
    if (!row) {
      const nothing = { transactions: 0, events: 0, retries: 0, failures: 0, longestMs: 0 };
      this.rows.set(key, (row = { actor, worker, operation, ...nothing, columnSums: new ColumnSums() }));
    }
    row.transactions += counts.transactions;
    row.events += counts.events;
    row.retries += sumOfCounts(counts.retries);
    row.failures += sumOfCounts(counts.failures);
    row.longestMs = Math.max(row.longestMs, counts.maxResponseMs);
    row.columnSums.add(second, counts.transactions);
  }

  report(order?: readonly string[]): TrialLogReport["timeline"] {
    const rows = [...this.rows.values()].sort(
      (a, b) =>
        ROLES.indexOf(a.actor) - ROLES.indexOf(b.actor) ||
        a.worker - b.worker ||
        byOperation(a.operation, b.operation, order),
    );
    const columnSeconds = Math.max(1, ...rows.map(({ columnSums }) => columnSums.columnSeconds));
    for (const { columnSums } of rows) columnSums.widenToAtLeast(columnSeconds);
    const columns = Math.max(0, ...rows.map(({ columnSums }) => columnSums.columns.length));
    return {
      columnSeconds,
      rows: rows.map(({ columnSums, ...row }) => ({
        ...row,
        transactionsByColumn: Array.from({ length: columns }, (_, i) => columnSums.columns[i] ?? 0),
      })),
    };
  }
}

export const TIMELINE_COLUMNS_MAX = 60;

/** Sums counts in a bounded number of columns. If the time outgrows them, each column covers twice as many seconds. */
export class ColumnSums {
  private readonly counts: number[] = [];
  private width = 1;

  get columnSeconds(): number {
    return this.width;
  }

  /** Sums by column, from second 0 to the last second that was added. */
  get columns(): readonly number[] {
    return this.counts;
  }

  add(second: number, count: number): void {
    while (second >= TIMELINE_COLUMNS_MAX * this.width) this.doubleColumnWidth();
    const column = Math.floor(second / this.width);
    while (this.counts.length <= column) this.counts.push(0);
    this.counts[column] = (this.counts[column] ?? 0) + count;
  }

  /** Widens the columns to at least that many seconds, so that rows beneath each other align. */
  widenToAtLeast(columnSeconds: number): void {
    while (this.width < columnSeconds) this.doubleColumnWidth();
  }

  private doubleColumnWidth(): void {
    const halvedLength = Math.ceil(this.counts.length / 2);
    for (let i = 0; i < halvedLength; i++)
      this.counts[i] = (this.counts[2 * i] ?? 0) + (this.counts[2 * i + 1] ?? 0);
    this.counts.length = halvedLength;
    this.width *= 2;
  }
}
