// Costs of an event and sizes of tables. A value that no trial has takes no room; a value of 0 is shown as 0.
import { evidenceValue } from "../../../../results/evidence-values.js";
import { DATABASE_EVIDENCE, PER_EVENT_EVIDENCE, type Evidence } from "../../../../workloads/evidence.js";
import { counterLagWords } from "../../../findings/counter-lag.js";
import { plotBars } from "./bar-panels.js";
import type { Chart } from "./drawing.js";
import { valueNote, valuePanels, whyNoValues, dropZeroPanels, type TrialValue } from "./trial-values.js";

/** Bars of all figures that have a chart title (`chart`). */
function trialValuesOf(figures: readonly Evidence[]): TrialValue[] {
  return figures.flatMap((figure) => {
    const { chart: title, metric } = figure;
    return title === undefined
      ? []
      : [{ title, unit: metric.unit, of: ({ database }) => evidenceValue(figure, database) }];
  });
}

export const perEvent: Chart = {
  id: "per-event",
  title: "What an event costs",
  lead: "What the window wrote and used, divided by the events that were published in it (or processed, where none were; in a workload without a flow of events by its transactions).",
  draw: (view) => {
    const { panels, note } = dropZeroPanels(valuePanels(view, trialValuesOf(PER_EVENT_EVIDENCE)));
    if (panels.length === 0)
      return whyNoValues(view, note, "the database was not asked what an event costs, or did not tell.");
    const lagWords = counterLagWords(view.report.result.treatments.flatMap(({ trials }) => trials)) ?? "";
    return plotBars(
      {
        caption: "Cost per event, by treatment",
        panels,
        note: `${valueNote(view)} ${note} ${lagWords}`.trim(),
      },
      view,
    );
  },
};

const SIZE_VALUES: readonly TrialValue[] = [
  ...trialValuesOf(DATABASE_EVIDENCE),
  { title: "Document, mean", unit: "bytes", of: ({ integrity }) => integrity?.documentBytes },
  { title: "Row, mean", unit: "bytes", of: ({ integrity }) => integrity?.rowBytes },
];

export const sizes: Chart = {
  id: "sizes",
  title: "Size and dead rows",
  lead: "How large the workload's tables were at the end of the window, how many dead rows they carried, and how many updates left the indexes alone (HOT).",
  draw: (view) => {
    const { panels, note } = dropZeroPanels(valuePanels(view, SIZE_VALUES));
    if (panels.length === 0)
      return whyNoValues(view, note, "the sizes of the tables were not sampled in what is shown.");
    return plotBars(
      { caption: "Sizes and dead rows, by treatment", panels, note: `${valueNote(view)} ${note}`.trim() },
      view,
    );
  },
};
