// Series over time of the trials that the reader asks for. All trials of a treatment together are their median where
// lines are drawn (a median of percentiles is no percentile of anything, and is called what it is), and their mean where
// parts of a whole are stacked, because only means still add up.
import { mean, median } from "../../../quantiles.js";
import type { TrialSeries } from "../../report-data.js";
import type { Treatment, View } from "./drawing.js";
import type { Line, LinePanel, Point } from "./line-panels.js";
import { treatmentMarks } from "./marks.js";

/** The values of a bucket, null where there are none. */
export type Pick = (series: TrialSeries) => readonly (number | null)[] | undefined;

function seriesOf(view: View, treatment: Treatment): TrialSeries[] {
  const all = view.report.series.filter((each) => each.treatment === treatment.id);
  return typeof view.trials === "number" ? all.filter(({ trial }) => trial === view.trials) : all;
}

function pointsOf(series: TrialSeries, pick: Pick): Point[] {
  return (pick(series) ?? []).map((value, i) => [i * series.bucketSeconds, value]);
}

/** One line from several trials, at every time at which any has a value. */
function together(
  all: readonly TrialSeries[],
  pick: Pick,
  summary: (values: readonly number[]) => number,
): Point[] {
  const values = new Map<number, number[]>();
  for (const series of all)
    for (const [second, value] of pointsOf(series, pick)) {
      const at = values.get(second) ?? [];
      if (value !== null) at.push(value);
      values.set(second, at);
    }
  return [...values]
    .sort(([a], [b]) => a - b)
    .map(([second, each]) => [second, each.length > 0 ? summary(each) : null]);
}

function hasValues(points: readonly Point[]): boolean {
  return points.some(([, value]) => value !== null);
}

/** The lines of each shown treatment: one, or one for each trial. Treatments without values have none. */
export function treatmentLines(view: View, pick: Pick): Line[] {
  return view.treatments.flatMap((treatment) => {
    const { label: name, colour, dash } = treatment;
    const all = seriesOf(view, treatment);
    if (view.trials !== "each") {
      const points = together(all, pick, median);
      return hasValues(points) ? [{ name, colour, dash, points }] : [];
    }
    return all
      .map((series) => ({ trial: series.trial, points: pointsOf(series, pick) }))
      .filter(({ points }) => hasValues(points))
      .map(({ trial, points }) => ({ name, detail: `trial ${trial}`, colour, dash, points, isFaint: true }));
  });
}

export interface Layer {
  readonly name: string;
  readonly colour: string;
  readonly pick: Pick;
}

/** A panel for each shown treatment that has any of the layers, stacked in their order. */
export function layerPanels(view: View, layers: readonly Layer[], unit: LinePanel["unit"]): LinePanel[] {
  return view.treatments.flatMap((treatment) => {
    const all = seriesOf(view, treatment);
    const lines = layers.flatMap(({ name, colour, pick }): Line[] => {
      const points = together(all, pick, mean);
      return hasValues(points) ? [{ name, colour, points, isArea: true }] : [];
    });
    return lines.length > 0
      ? [{ title: treatment.label, lines, unit, marks: treatmentMarks(view, treatment) }]
      : [];
  });
}

/** How the lines of `treatmentLines` came about, for the reader. */
export function lineNote(view: View): string {
  if (view.trials === "each") return "A line for each trial.";
  if (typeof view.trials === "number") return `Trial ${view.trials}.`;
  return "At each time the median of the treatment's trials.";
}

export function areaNote(view: View): string {
  return typeof view.trials === "number"
    ? `Trial ${view.trials}.`
    : "At each time the mean of the treatment's trials.";
}

/** What is said where no trial has what a chart needs. */
export function whyNoSeries(view: View, what: string): string {
  const which = typeof view.trials === "number" ? `trial ${view.trials}` : "any of the trials";
  return `There is nothing to draw: no ${what} from ${which} of the treatments that are shown.`;
}
