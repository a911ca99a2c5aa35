// Distributions in the style of HdrHistogram: percentiles stretched towards 100, where treatments differ most.
import type { LatencySummary } from "../../../../metrics/histograms.js";
import { nothingToPlot, type Chart, type View } from "./drawing.js";
import { plotLines } from "./line-panels.js";
import type { LinePanel } from "./lines.js";
import { valueText } from "./values.js";
import { spanLatencyIn, stageOf } from "../../../../metrics/operations.js";
import { operationName } from "./view.js";

/** Position of a percentile on the axis: 1 / (share of slower samples), so that 0 -> 1, 90 -> 10, 99 -> 100. */
export function percentilePosition(percentile: number): number {
  return 1 / (1 - percentile / 100);
}

/** Text of the percentile at a position on the axis: 1 -> 0 %, 10 -> 90 %, 1000 -> 99.9 %. */
export function percentileText(x: number): string {
  const percentile = 100 * (1 - 1 / x);
  return `${Number(percentile.toFixed(Math.max(0, Math.ceil(Math.log10(x)) - 1)))} %`;
}

function percentileTickLabel(x: number): string {
  return Number.isInteger(Math.log10(x)) ? percentileText(x) : "";
}

function panelOf(operation: string, view: View): LinePanel {
  const lines = view.treatments.flatMap(({ id, label, colour, dash }) => {
    const curve = view.report.curves.find((each) => each.treatment === id && each.operation === operation);
    if (!curve) return [];
    // The maximum is the 100th percentile, whose position would be infinite. It is drawn at the position of the last
    // sample.
    const last = Math.max(curve.count, 2);
    const points = new Map(curve.points.map(([p, ms]) => [Math.min(percentilePosition(p), last), ms]));
    return [{ name: label, colour, dash, points: [...points] }];
  });
  return { title: operationName(operation), lines, unit: "ms" };
}

function latencyOf(view: View, treatment: string, operation: string): LatencySummary | null | undefined {
  const merged = view.report.result.treatments.find(({ id }) => id === treatment)?.merged;
  const stage = stageOf(operation);
  return stage
    ? spanLatencyIn<LatencySummary | null | undefined>(merged?.lifecycle, stage)
    : merged?.operations[operation]?.responseTimeMs;
}

/**
 * Sentence with each treatment's p50, p99 and maximum. Points of the curve would not do: most of them are among the slowest
 * samples.
 */
function wordsOf(operation: string, view: View): string {
  const treatments = view.treatments.flatMap(({ id, label }) => {
    const latency = latencyOf(view, id, operation);
    if (!latency) return [];
    const [p50, p99, max] = [latency.p50, latency.p99, latency.max].map((ms) => valueText(ms, "ms"));
    return [`${label}: p50 ${p50 ?? ""}, p99 ${p99 ?? ""}, at most ${max ?? ""}`];
  });
  return treatments.length > 0 ? `${operationName(operation)}: ${treatments.join("; ")}.` : "";
}

export const percentiles: Chart = {
  id: "percentiles",
  title: "Percentile curves",
  lead: "How slow the slowest are: read upwards from a percentile. Curves that lie on each other up to 99 % and part after it differ in their tail alone.",
  draw: (view) => {
    const spans = view.report.curves
      .map(({ operation }) => operation)
      .filter((operation, i, all) => stageOf(operation) && all.indexOf(operation) === i);
    const drawnOperations = [...view.operations, ...spans];
    const panels = drawnOperations
      .map((operation) => panelOf(operation, view))
      .filter(({ lines }) => lines.length > 0);
    if (panels.length === 0)
      return nothingToPlot(
        "There is nothing to draw: no histograms of complete trials of the treatments that are shown.",
      );
    const caption = "Response time by percentile, and time from publication to each stage";
    const sentences = drawnOperations
      .map((operation) => wordsOf(operation, view))
      .filter((text) => text !== "");
    return plotLines(
      {
        caption,
        ...(sentences.length > 0 && { words: [`${caption}.`, ...sentences].join(" ") }),
        panels,
        x: {
          name: "percentile",
          isLogarithmic: true,
          tick: percentileTickLabel,
          cell: percentileText,
          hasUnitInTicks: true,
          min: 1,
        },
        isLogarithmic: true,
        hasOneScale: true,
        note: "All complete trials of a treatment together, whichever trial is chosen above. Both axes are logarithmic.",
      },
      view,
    );
  },
};
