// Made from summary lines, whose counts are complete, in columns that all rows share.
import { byOperation, ROLES } from "../workloads/registry.js";
import type { SummaryLine } from "../results/log-lines.js";
import type { TimelineRow, TrialLogReport } from "./log-report.js";
import { sumOfCounts } from "../metrics/figures.js";
import { Spread } from "./spread.js";

interface OpenRow extends Omit<TimelineRow, "transactionsByColumn"> {
  readonly actor: string;
  transactions: number;
  events: number;
  retries: number;
  failures: number;
  longestMs: number;
  readonly spread: Spread;
}

export class Timeline {
  private readonly rows = new Map<string, OpenRow>();

  add({ actor, worker, operation, second, ...counts }: SummaryLine): void {
    const key = `${actor}/${worker}/${operation}`;
    let row = this.rows.get(key);
    if (!row) {
      const nothing = { transactions: 0, events: 0, retries: 0, failures: 0, longestMs: 0 };
      this.rows.set(key, (row = { actor, worker, operation, ...nothing, spread: new Spread() }));
    }
    row.transactions += counts.transactions;
    row.events += counts.events;
    row.retries += sumOfCounts(counts.retries);
    row.failures += sumOfCounts(counts.failures);
    row.longestMs = Math.max(row.longestMs, counts.maxResponseMs);
    row.spread.add(second, counts.transactions);
  }

  report(order?: readonly string[]): TrialLogReport["timeline"] {
    const rows = [...this.rows.values()].sort(
      (a, b) =>
        ROLES.indexOf(a.actor) - ROLES.indexOf(b.actor) ||
        a.worker - b.worker ||
        byOperation(a.operation, b.operation, order),
    );
    const columnSeconds = Math.max(1, ...rows.map(({ spread }) => spread.columnSeconds));
    for (const { spread } of rows) spread.widenTo(columnSeconds);
    const columns = Math.max(0, ...rows.map(({ spread }) => spread.columns.length));
    return {
      columnSeconds,
      rows: rows.map(({ spread, ...row }) => ({
        ...row,
        transactionsByColumn: Array.from({ length: columns }, (_, i) => spread.columns[i] ?? 0),
      })),
    };
  }
}
