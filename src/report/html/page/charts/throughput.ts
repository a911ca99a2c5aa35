// Throughput over time, together with retries and failures, which reduce it.
import type { OperationSeries, ReportData } from "../../report-data.js";
import { chosenValue, nothingToPlot, type Chart, type Control } from "./drawing.js";
import { trialMarks } from "./marks.js";
import { plotLines } from "./line-panels.js";
import { SECONDS_AXIS } from "./lines.js";
import { lineNote, treatmentLines, whyNoSeries, type Pick } from "./trial-lines.js";
import type { Unit } from "./values.js";
import { operationName, workOf } from "./view.js";

type CountName = "events" | "transactions" | "retries" | "failures";

/**
 * Control that selects what is counted. The operations' unit comes first; if it is transactions, there is no second choice
 * of that name.
 */
function countControl(report: ReportData): Control {
  const work = workOf(report);
  const choices = [
    ["events", work],
    ["transactions", "transactions"],
    ["retries", "retries"],
    ["failures", "failures"],
  ] as const;
  return {
    id: "of",
    label: "Count",
    choices: choices.filter(([id, name]) => name !== work || id === "events"),
  };
}

export function pickFromOperation(
  operation: string,
  of: (series: OperationSeries) => readonly (number | null)[],
): Pick {
  return ({ operations }) => {
    const series = operations[operation];
    return series && of(series);
  };
}

export const throughput: Chart = {
  id: "throughput",
  title: "Throughput over time",
  lead: "What was committed as the measurement window went on. A line that falls has not been measured for long enough, or the database is falling behind.",
  controls: (report) => [countControl(report)],
  draw: (view) => {
    const counted = chosenValue(view, countControl(view.report)) as CountName;
    const unitOf = (operation: string): Unit => {
      if (counted === "retries" || counted === "failures") return "/s";
      return `${counted === "events" ? workOf(view.report, [operation]) : counted}/s`;
    };
    const panels = view.operations
      .map((operation) => ({
        title: operationName(operation),
        lines: treatmentLines(
          view,
          pickFromOperation(operation, (series) => series[counted]),
        ),
        unit: unitOf(operation),
        marks: trialMarks(view),
      }))
      .filter(({ lines }) => lines.length > 0);
    if (panels.length === 0) return nothingToPlot(whyNoSeries(view, "throughput over time was kept"));
    return plotLines(
      {
        caption: `${counted === "events" ? workOf(view.report, view.operations) : counted} per second, by operation`,
        panels,
        x: SECONDS_AXIS,
        note: lineNote(view),
      },
      view,
    );
  },
};
