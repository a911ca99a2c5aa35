// Percentiles come from merged histograms; nothing here computes a percentile of percentiles.
import { chosenValue, nothingToPlot, type Chart, type Control } from "./drawing.js";
import { trialMarks } from "./marks.js";
import { plotLines } from "./line-panels.js";
import { SECONDS_AXIS } from "./lines.js";
import { pickFromOperation } from "./throughput.js";
import { lineNote, treatmentLines, whyNoSeries } from "./trial-lines.js";
import { operationName } from "./view.js";

const PERCENTILES = ["p99", "p95", "p50", "max"] as const;
const PERCENTILE_CONTROL: Control = {
  id: "percentile",
  label: "Percentile",
  choices: PERCENTILES.map((percentile) => [percentile, percentile === "max" ? "maximum" : percentile]),
};
const SCALE_CONTROL: Control = {
  id: "scale",
  label: "Scale",
  choices: [
    ["linear", "linear"],
    ["log", "logarithmic"],
  ],
};

export const responseTimes: Chart = {
  id: "latency",
  title: "Response times over time",
  lead: "From intended start to commit. Spikes that come at the same time in several treatments are the machine's or a checkpoint's; a line that climbs is a queue that grows.",
  controls: () => [PERCENTILE_CONTROL, SCALE_CONTROL],
  draw: (view) => {
    const wanted = chosenValue(view, PERCENTILE_CONTROL);
    const percentile = PERCENTILES.find((each) => each === wanted) ?? "p99";
    const panels = view.operations
      .map((operation) => ({
        title: operationName(operation),
        lines: treatmentLines(
          view,
          pickFromOperation(operation, (series) => series[percentile]),
        ),
        unit: "ms" as const,
        marks: trialMarks(view),
      }))
      .filter(({ lines }) => lines.length > 0);
    if (panels.length === 0) return nothingToPlot(whyNoSeries(view, "histograms were kept"));
    return plotLines(
      {
        caption: `Response time, ${percentile} of each moment, by operation`,
        panels,
        x: SECONDS_AXIS,
        isLogarithmic: chosenValue(view, SCALE_CONTROL) === "log",
        note: lineNote(view),
      },
      view,
    );
  },
};
