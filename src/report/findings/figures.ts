import { intervalText, rangeText, shortNumber } from "../../foundation/text/numbers.js";
import { isRound, type Operation } from "../../metrics/operations.js";
import type {
  MergedResult,
  MetricSummary,
  OperationResult,
  TreatmentResult,
} from "../../results/result-schema.js";

/** The figures of a treatment that are shown: its complete trials merged, or else the last trial that measured. */
export type TreatmentFigures = Pick<
  MergedResult,
  "windowSeconds" | "operations" | "lifecycle" | "endpoints" | "regions"
>;

export function figuresOf(treatment: TreatmentResult): TreatmentFigures | undefined {
  if (treatment.merged) return treatment.merged;
  return treatment.trials.findLast((trial) => Object.keys(trial.operations).length > 0);
}

/** Operations that a result has, `__cycle__` first, as dbworkload sorts them. */
export function operationsIn(figures: TreatmentFigures): [Operation, OperationResult][] {
  return Object.entries(figures.operations).sort(([a], [b]) => Number(isRound(b)) - Number(isRound(a)));
}

/** `12.3 [11.9, 12.5]` with an interval, `12.3 11.9..12.5` with the range of a few trials, `12.3` of one. */
export function valueCell(summary: MetricSummary | undefined): string {
  if (!summary) return "-";
  const { median, ciLow, ciHigh, min, max, trials } = summary;
  if (ciLow !== null && ciHigh !== null)
    return `${shortNumber(median)} ${intervalText(ciLow, ciHigh, shortNumber)}`;
  return trials > 1 ? `${shortNumber(median)} ${rangeText(min, max, shortNumber)}` : shortNumber(median);
}
