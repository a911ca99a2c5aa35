// The price of each statement by treatment, from `database.statements[]`: medians over complete trials.
import { bytesText, shortNumber } from "../../foundation/text/numbers.js";
import { columnsOf } from "../../foundation/text/text-table.js";
import { median } from "../../analysis/statistics/quantiles.js";
import { completeTrials } from "../../analysis/steady-state/series.js";
import type { ResultDocument, StatementEvidence, TreatmentResult } from "../../results/result-schema.js";

export const STATEMENT_COSTS_TITLE =
  "Statements on the server, medians over trials; WAL with pages written whole after a checkpoint";
export const STATEMENT_COST_COLUMNS = columnsOf(["statement", "treatment"], ["calls", "ms/call", "WAL/call"]);

/** Number of statements with the longest total time that have rows. */
const STATEMENTS_MAX = 20;

/** The statement's evidence of each trial that ran it. */
function costsOf(treatment: TreatmentResult, name: string): StatementEvidence[] {
  return completeTrials(treatment).flatMap(({ database: { statements = [] } }) =>
    statements.filter((each) => each.name === name && each.calls > 0),
  );
}

const medianOf = (
  costs: readonly StatementEvidence[],
  valueOf: (cost: StatementEvidence) => number,
): number => median(costs.map(valueOf));

/** Cells of `STATEMENT_COST_COLUMNS`; the statement with the longest total time in any treatment is first. */
export function statementCostRows({ treatments }: Pick<ResultDocument, "treatments">): string[][] {
  const trials = treatments.flatMap(completeTrials);
  const totals = new Map<string, number>();
  for (const { database } of trials)
    for (const { name, totalMs } of database.statements ?? [])
      totals.set(name, (totals.get(name) ?? 0) + totalMs);
  const names = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return names.slice(0, STATEMENTS_MAX).flatMap((name) =>
    treatments.flatMap((treatment) => {
      const costs = costsOf(treatment, name);
      if (costs.length === 0) return [];
      const hasWal = costs.every(({ walBytes }) => walBytes !== undefined);
      return [
        [
          name,
          treatment.id,
          String(Math.round(medianOf(costs, ({ calls }) => calls))),
          shortNumber(medianOf(costs, ({ totalMs, calls }) => totalMs / calls)),
          hasWal ? bytesText(medianOf(costs, ({ walBytes = 0, calls }) => walBytes / calls)) : "-",
        ],
      ];
    }),
  );
}
