// Decides whether a report has data for a chart. A chart that is empty only because of the reader's choice keeps its
// controls, which are the way back.
import type { ReportData } from "../../report-data.js";
import type { Chart, Control } from "./drawing.js";
import { DEFAULT_FILTER_STATE, type FilterState } from "./filter-state.js";
import { LIGHT } from "./theme.js";
import { allTrials, viewOf } from "./view.js";

/** Width of a view that is not drawn: any number does. */
const UNDRAWN_WIDTH_PX = 1000;

function choiceCombinations(controls: readonly Control[]): Record<string, string>[] {
  return controls.reduce<Record<string, string>[]>(
    (made, { id, choices }) => made.flatMap((each) => choices.map(([value]) => ({ ...each, [id]: value }))),
    [{}],
  );
}

export function canDraw(chart: Chart, report: ReportData): boolean {
  const trials: FilterState["trials"][] = ["all", ...allTrials(report).map(({ number }) => number)];
  const choices = choiceCombinations(chart.controls?.(report) ?? []);
  return trials.some((trial) =>
    choices.some((each) => {
      const state = { ...DEFAULT_FILTER_STATE, trials: trial, choices: { [chart.id]: each } };
      return chart.draw(viewOf(report, state, chart.id, LIGHT, UNDRAWN_WIDTH_PX)).kind === "plot";
    }),
  );
}
