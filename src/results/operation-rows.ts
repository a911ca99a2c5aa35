// A table with dbworkload's columns, for summaries and log analysis alike, from stored figures only.
import type { Operation } from "../metrics/operations.js";
import type { LatencySummary } from "../metrics/figures.js";
import type { OperationResult } from "./result-schema.js";
import { printable, renderTable, type Column } from "../foundation/text/text-table.js";

export const LATENCY_TITLES = ["mean(ms)", "p50(ms)", "p90(ms)", "p95(ms)", "p99(ms)", "max(ms)"] as const;

export function latencyCells(latency: LatencySummary | null): string[] {
  return [latency?.mean, latency?.p50, latency?.p90, latency?.p95, latency?.p99, latency?.max].map(
    (ms) => ms?.toFixed(2) ?? "-",
  );
}

export const COLUMN_TITLES = [
  "elapsed",
  "id",
  "clients",
  "threads",
  "tot_ops",
  "tot_ops/s",
  ...LATENCY_TITLES,
] as const;

export const OPERATION_COLUMNS: readonly Column[] = COLUMN_TITLES.map((title) => ({
  title,
  align: title === "id" ? "left" : "right",
}));

export interface OperationRow extends Pick<
  OperationResult,
  "transactions" | "responseTimeMs" | "clients" | "threads"
> {
  readonly transactionsPerSecond: number | null;
}

export function renderOperationRows(
  operations: readonly (readonly [Operation, OperationRow])[],
  elapsedSeconds: number | null,
): string[] {
  const rows = operations.map(([operation, result]) => {
    return [
      elapsedSeconds === null ? "-" : Number(elapsedSeconds.toFixed(1)).toString(),
      operation,
      ...[result.clients, result.threads].map((count) => count?.toString() ?? "-"),
      String(result.transactions),
      result.transactionsPerSecond?.toFixed(2) ?? "-",
      ...latencyCells(result.responseTimeMs),
    ];
  });
  return renderTable(OPERATION_COLUMNS, rows);
}

/** Text of a count by SQLSTATE, such as `3 (40001: 2, 53300: 1)`. */
export function sqlstateCountsText(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  return `${total} (${entries.map(([sqlstate, count]) => `${printable(sqlstate)}: ${count}`).join(", ")})`;
}
