import { intervalText, rangeText, shortNumber } from "../../foundation/text/numbers.js";
import { isCycleOperation, type Operation } from "../../metrics/operations.js";
import type {
  MergedResult,
  MetricSummary,
  OperationResult,
  TreatmentResult,
} from "../../results/result-schema.js";

/**
 * Figures that reports show for a treatment: its complete trials merged, otherwise its last trial that measured an
 * operation.
 */
export type TreatmentFigures = Pick<
  MergedResult,
  "windowSeconds" | "operations" | "lifecycle" | "endpoints" | "regions"
>;

export function figuresOf(treatment: TreatmentResult): TreatmentFigures | undefined {
  if (treatment.merged) return treatment.merged;
  return treatment.trials.findLast((trial) => Object.keys(trial.operations).length > 0);
}

/** Operations of a result, `__cycle__` first, as dbworkload sorts them. */
export function operationsIn(figures: TreatmentFigures): [Operation, OperationResult][] {
  return Object.entries(figures.operations).sort(
    ([a], [b]) => Number(isCycleOperation(b)) - Number(isCycleOperation(a)),
  );
}

/**
 * Text of a median: `12.3 [11.9, 12.5]` with its interval, `12.3 11.9..12.5` with the range of a few trials, or `12.3` of
 * one trial.
 */
export function valueCell(summary: MetricSummary | undefined): string {
  if (!summary) return "-";
  const { median, ciLow, ciHigh, min, max, trials } = summary;
  if (ciLow !== null && ciHigh !== null)
    return `${shortNumber(median)} ${intervalText(ciLow, ciHigh, shortNumber)}`;
  return trials > 1 ? `${shortNumber(median)} ${rangeText(min, max, shortNumber)}` : shortNumber(median);
}
