// A colour belongs to the treatment's place in the report, so that hiding one never repaints the others.
import { unitsText, unitOf } from "../../../../workloads/vocabulary.js";
import { trialsText } from "../../../../foundation/text/numbers.js";
import { METRIC_ASPECTS } from "../../../../metrics/catalogue.js";
import { operationsIn } from "../../../../metrics/operations.js";
import { labelsOf } from "../../../findings/treatment-labels.js";
import type { ReportData } from "../../report-data.js";
import type { Treatment, TrialChoice, View } from "./drawing.js";
import type { FilterState } from "./filter-state.js";
import { treatmentColour, treatmentDash, treatmentSymbol, type ChartTheme } from "./theme.js";

export { operationName } from "../../../../metrics/names.js";

/** Longest label in characters: charts have more room than a terminal. */
const LABEL_WIDTH_MAX = 40;

export function allTreatments(report: ReportData, theme: ChartTheme): Treatment[] {
  const labels = labelsOf(report.result.treatments, LABEL_WIDTH_MAX);
  return report.result.treatments.map(({ id }, i) => ({
    id,
    label: labels[i] ?? id,
    colour: treatmentColour(theme, i),
    dash: treatmentDash(theme, i),
    symbol: treatmentSymbol(i),
  }));
}

export function treatmentIn(view: View, id: string): Treatment | undefined {
  return view.treatments.find((treatment) => treatment.id === id);
}

export function treatmentNamed(view: View, id: string): string {
  return treatmentIn(view, id)?.label ?? id;
}

/** The operations that any treatment performed, in their usual order. */
export function allOperations(report: ReportData): string[] {
  return operationsIn(
    report.result.treatments.flatMap(({ merged, trials }) =>
      [...(merged ? [merged] : []), ...trials].map(({ operations }) => operations),
    ),
  );
}

export function workOf(report: ReportData, operations: readonly string[] = allOperations(report)): string {
  return unitsText(operations.map((operation) => unitOf(report.vocabulary, operation)));
}

/** Every trial's number and the treatment that it belongs to. */
export function allTrials(report: ReportData): { number: number; treatment: string }[] {
  return report.result.treatments
    .flatMap(({ id, trials }) => trials.map(({ number }) => ({ number, treatment: id })))
    .sort((a, b) => a.number - b.number);
}

function trialsOf(report: ReportData, choice: FilterState["trials"]): TrialChoice {
  if (choice === "all" || choice === "each") return choice;
  return allTrials(report).some(({ number }) => number === choice) ? choice : "all";
}

/** Says which shown trials have invalid counts or timings; undefined if all are valid. */
export function validityObjection({ report, treatments, trials }: View): string | undefined {
  const visible = allTrials(report)
    .filter(({ treatment }) => treatments.some(({ id }) => id === treatment))
    .filter(({ number }) => typeof trials !== "number" || number === trials);
  const objections = METRIC_ASPECTS.flatMap((aspect) => {
    const invalid = visible.flatMap(({ number }) =>
      report.invalidTrials[aspect].includes(number) ? [number] : [],
    );
    if (invalid.length === 0) return [];
    const which = invalid.length < visible.length ? ` of ${trialsText(invalid)}` : "";
    return [`${aspect}${which} not valid`];
  });
  return objections.length > 0 ? objections.join("; ") : undefined;
}

/** The view of `chart` for the filters' state. A filter that names nothing in the report shows everything. */
export function viewOf(
  report: ReportData,
  state: FilterState,
  chart: string,
  theme: ChartTheme,
  widthPx: number,
): View {
  const treatments = allTreatments(report, theme);
  const operations = allOperations(report);
  const visible = treatments.filter(({ id }) => !state.hiddenTreatments.includes(id));
  const selected = operations.filter((operation) => !state.hiddenOperations.includes(operation));
  return {
    report,
    treatments: visible.length > 0 ? visible : treatments,
    operations: selected.length > 0 ? selected : operations,
    trials: trialsOf(report, state.trials),
    choices: state.choices[chart] ?? {},
    theme,
    widthPx,
  };
}
