// Rows of each worker, where an operation runs in several threads. A row is of one trial: percentiles are merged from histograms
// alone, and those of workers are not kept.
import type { TreatmentResult, TrialResult } from "../../results/result-schema.js";
import { latencyCells, LATENCY_TITLES } from "../../results/operation-rows.js";
import { renderTable, type Column } from "../../foundation/text/text-table.js";

const LEFT = ["worker", "id"];
const COLUMNS = ["elapsed", "worker", "id", "clients", "tot_ops", "tot_ops/s", ...LATENCY_TITLES].map(
  (title): Column => ({ title, align: LEFT.includes(title) ? "left" : "right" }),
);

/** Whether its workers say more than its operations. */
function hasRows({ workers = [], operations }: TrialResult): boolean {
  return workers.length > 0 && Object.values(operations).some(({ threads = 1 }) => threads > 1);
}

export function hasWorkerRows({ trials }: TreatmentResult): boolean {
  return trials.some(hasRows);
}

function rowsOf({ workers = [], windowSeconds }: TrialResult): string[][] {
  return workers.flatMap(({ worker, clients, operations }) =>
    Object.entries(operations).map(([operation, { transactions, responseTimeMs }]) => [
      Number(windowSeconds.toFixed(1)).toString(),
      worker,
      operation,
      String(clients),
      String(transactions),
      windowSeconds > 0 ? (transactions / windowSeconds).toFixed(2) : "-",
      ...latencyCells(responseTimeMs),
    ]),
  );
}

export function renderWorkers({ trials }: TreatmentResult): string[] {
  return trials
    .filter(hasRows)
    .flatMap((trial) => [`by worker, trial ${trial.number}:`, ...renderTable(COLUMNS, rowsOf(trial))]);
}
