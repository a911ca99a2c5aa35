// What an event costs the database and the machine, and how large its tables became: bars, a treatment a row. A value
// that no trial has takes no room; one that is 0 is shown as 0.
import type { PerEvent } from "../../../../results/result-schema.js";
import { counterLagWords } from "../../../../analysis/diagnosis/counter-lag.js";
import { plotBars } from "./bar-panels.js";
import type { Chart } from "./drawing.js";
import { valueNote, valuePanels, whyNoValues, withoutZeros, type TrialValue } from "./trial-values.js";
import type { Unit } from "./values.js";

type Cost = Exclude<keyof PerEvent, "events">;

const COSTS: readonly (readonly [Cost, string, Unit])[] = [
  ["walBytes", "WAL per event", "bytes"],
  ["walRecords", "WAL records per event", "records"],
  ["walFullPageImages", "Full-page images per event", "pages"],
  ["deadTuples", "Dead rows per event", "rows"],
  ["tableBytes", "Table growth per event", "bytes"],
  ["indexBytes", "Index growth per event", "bytes"],
  ["toastBytes", "TOAST growth per event", "bytes"],
  ["buffersDirtied", "Buffers dirtied per event", "blocks"],
  ["blocksWritten", "Blocks written per event", "blocks"],
  ["serverCpuMs", "Server CPU per event", "ms"],
  ["clientCpuMs", "Client CPU per event", "ms"],
];

export const perEvent: Chart = {
  id: "per-event",
  title: "What an event costs",
  lead: "What the window wrote and used, divided by the events that were published in it (or processed, where none were).",
  draw: (view) => {
    const values = COSTS.map(([cost, title, unit]): TrialValue => ({
      title,
      unit,
      of: ({ database }) => database.perEvent?.[cost],
    }));
    const { panels, note } = withoutZeros(valuePanels(view, values));
    if (panels.length === 0)
      return whyNoValues(view, note, "the database was not asked what an event costs, or did not tell.");
    const lag = counterLagWords(view.report.result.treatments.flatMap(({ trials }) => trials)) ?? "";
    return plotBars(
      { caption: "Cost per event, by treatment", panels, note: `${valueNote(view)} ${note} ${lag}`.trim() },
      view,
    );
  },
};

const SIZES: readonly TrialValue[] = [
  { title: "Tables", unit: "bytes", of: ({ database }) => database.tableBytes },
  { title: "Indexes", unit: "bytes", of: ({ database }) => database.indexBytes },
  { title: "TOAST", unit: "bytes", of: ({ database }) => database.toastBytes },
  { title: "Document, mean", unit: "bytes", of: ({ integrity }) => integrity?.documentBytes },
  { title: "Row, mean", unit: "bytes", of: ({ integrity }) => integrity?.rowBytes },
  { title: "Dead rows, mean", unit: "rows", of: ({ database }) => database.deadTuples?.mean },
  { title: "HOT updates", unit: "%", of: ({ database }) => database.hotRatio },
  { title: "GIN pending list, at most", unit: "pages", of: ({ database }) => database.ginPendingPages },
];

export const sizes: Chart = {
  id: "sizes",
  title: "Size and dead rows",
  lead: "How large the workload's tables were at the end of the window, how many dead rows they carried, and how many updates left the indexes alone (HOT).",
  draw: (view) => {
    const { panels, note } = withoutZeros(valuePanels(view, SIZES));
    if (panels.length === 0)
      return whyNoValues(view, note, "the sizes of the tables were not sampled in what is shown.");
    return plotBars(
      { caption: "Sizes and dead rows, by treatment", panels, note: `${valueNote(view)} ${note}`.trim() },
      view,
    );
  },
};
