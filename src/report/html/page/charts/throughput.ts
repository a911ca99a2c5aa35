// Throughput over time, an operation a panel: what was done in each second, not what was asked for.
// Retries and failures are counted beside it, since they are what throughput is lost to.
import type { OperationSeries } from "../../report-data.js";
import { chosen, nothing, type Chart, type Control } from "./drawing.js";
import { trialMarks } from "./marks.js";
import { plotLines } from "./line-panels.js";
import { SECONDS } from "./lines.js";
import { lineNote, treatmentLines, whyNoSeries, type Pick } from "./trial-lines.js";
import type { Unit } from "./values.js";
import { operationName } from "./view.js";

type Counted = "events" | "transactions" | "retries" | "failures";
const UNITS: Readonly<Record<Counted, Unit>> = {
  events: "events/s",
  transactions: "transactions/s",
  retries: "/s",
  failures: "/s",
};

const COUNTED: Control = {
  id: "of",
  label: "Count",
  choices: [
    ["events", "events"],
    ["transactions", "transactions"],
    ["retries", "retries"],
    ["failures", "failures"],
  ],
};

export function operationPick(
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
  controls: () => [COUNTED],
  draw: (view) => {
    const counted = chosen(view, COUNTED) as Counted;
    const panels = view.operations
      .map((operation) => ({
        title: operationName(operation),
        lines: treatmentLines(
          view,
          operationPick(operation, (series) => series[counted]),
        ),
        unit: UNITS[counted],
        marks: trialMarks(view),
      }))
      .filter(({ lines }) => lines.length > 0);
    if (panels.length === 0) return nothing(whyNoSeries(view, "throughput over time was kept"));
    return plotLines(
      {
        caption: `${counted} per second, by operation`,
        panels,
        x: SECONDS,
        note: lineNote(view),
      },
      view,
    );
  },
};
