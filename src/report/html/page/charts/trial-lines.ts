// All trials of a treatment together are their median, but their mean if parts are stacked.
import { mean, median } from "../../../../analysis/statistics/quantiles.js";
import { SAMPLED_METRICS } from "../../../../workloads/evidence.js";
import type { TrialSeries } from "../../report-data.js";
import type { Treatment, View } from "./drawing.js";
import type { Line, LinePanel, Point } from "./lines.js";
import { treatmentMarks, trialMarks } from "./marks.js";
import { bridgeShortGaps, type Values } from "./readings.js";

/** Takes the values of one metric from the series of a trial. */
export type Pick = (series: TrialSeries) => Values | undefined;

type SummaryFunction = (values: readonly number[]) => number;

function seriesOf(view: View, treatment: Treatment): TrialSeries[] {
  const all = view.report.series.filter((each) => each.treatment === treatment.id);
  return typeof view.trials === "number" ? all.filter(({ trial }) => trial === view.trials) : all;
}

/** Summarises several trials time by time. A time's summary covers the trials that have a value there. */
function summarise(trials: readonly Values[], summary: SummaryFunction): Values {
  const buckets = Math.max(0, ...trials.map(({ length }) => length));
  return Array.from({ length: buckets }, (_, i) => {
    const each = trials.flatMap((values) => values[i] ?? []);
    return each.length > 0 ? summary(each) : null;
  });
}

function bucketSecondsOf(view: View): number {
  return view.report.series[0]?.bucketSeconds ?? 1;
}

/**
 * Points of values by time. A second is drawn at its start and a longer bucket in its middle, so that no effect of a fault
 * appears before the fault.
 */
function pointsOf(view: View, values: Values): Point[] {
  const bucketSeconds = bucketSecondsOf(view);
  const offsetBuckets = bucketSeconds > 1 ? 0.5 : 0;
  return values.map((value, i) => [(i + offsetBuckets) * bucketSeconds, value]);
}

function hasValueAt(values: Values, i: number): boolean {
  return typeof values[i] === "number";
}

/**
 * Points of several lines, each the summary of several trials. A trial without a reading at a time counts with a value
 * between its neighbouring readings: otherwise the line would jump from one trial to the next. All lines have points at the
 * same times, which a stack needs: where any trial has a reading, and in a gap of all trials.
 */
function readingPoints(
  view: View,
  lines: readonly (readonly Values[])[],
  summary: SummaryFunction,
): readonly Point[][] {
  // Readings in buckets of several seconds were joined when the report was collected.
  const whole = bucketSecondsOf(view) > 1 ? (values: Values) => values : bridgeShortGaps;
  const merged = lines.map((trials) => summarise(trials.map(whole), summary));
  const read = lines.flat();
  const isShown = (i: number): boolean =>
    read.some((values) => hasValueAt(values, i)) || !merged.some((values) => hasValueAt(values, i));
  return merged.map((values) => pointsOf(view, values).filter((_, i) => isShown(i)));
}

function hasValues(points: readonly Point[]): boolean {
  return points.some(([, value]) => value !== null);
}

function linesOf(view: View, pick: Pick, toPoints: (trials: readonly Values[]) => Point[]): Line[] {
  return view.treatments.flatMap((treatment) => {
    const { label: name, colour, dash } = treatment;
    const all = seriesOf(view, treatment);
    const lineOf = (trials: readonly TrialSeries[], more: Partial<Line> = {}): Line[] => {
      const points = toPoints(trials.map((series) => pick(series) ?? []));
      return hasValues(points) ? [{ name, colour, dash, points, ...more }] : [];
    };
    if (view.trials !== "each") return lineOf(all);
    return all.flatMap((series) => lineOf([series], { detail: `trial ${series.trial}`, isFaint: true }));
  });
}

/** The lines of each shown treatment: one, or one for each trial. Treatments without values have none. */
export function treatmentLines(view: View, pick: Pick): Line[] {
  return linesOf(view, pick, (trials) => pointsOf(view, summarise(trials, median)));
}

/** Zeros at every sample of a trial, for a wait event that no sample of that trial saw; undefined for other metrics. */
function zerosOfUnseenWait(metric: string, evidence: TrialSeries["evidence"]): Values | undefined {
  if (!metric.startsWith("wait.")) return undefined;
  return evidence["sessions.active"]?.map((sessions) => (sessions === null ? null : 0));
}

export function sampledLines(view: View, metric: string): Line[] {
  return linesOf(
    view,
    ({ evidence }) => evidence[metric] ?? zerosOfUnseenWait(metric, evidence),
    (trials) => readingPoints(view, [trials], median).flat(),
  );
}

/** Line panels: one for each sampled metric of the family that has a title for line charts and values to draw. */
export function metricFamilyPanels(view: View, family: string): LinePanel[] {
  return SAMPLED_METRICS.flatMap(({ name, line: title, unit }) => {
    if (title === undefined || !name.startsWith(`${family}.`)) return [];
    const lines = sampledLines(view, name);
    return lines.length > 0 ? [{ title, unit, lines, marks: trialMarks(view) }] : [];
  });
}

export interface StackLayer {
  readonly name: string;
  readonly colour: string;
  readonly pick: Pick;
}

/** Smallest number of points for an area: fewer show no development. */
const AREA_POINTS_MIN = 5;

/** Values by layer, and then by trial of the treatment. */
function readLayers(view: View, treatment: Treatment, layers: readonly StackLayer[]): Values[][] {
  const all = seriesOf(view, treatment);
  return layers.map(({ pick }) => all.map((series) => pick(series) ?? []));
}

/**
 * Number of buckets to merge into one point of an area, so that a point has `readingsMin` readings over all trials.
 * Undefined if fewer than `AREA_POINTS_MIN` points would remain.
 */
export function bucketsPerPoint(
  view: View,
  layers: readonly StackLayer[],
  readingsMin: number,
): number | undefined {
  const sizes = view.treatments.flatMap((treatment) => {
    const read = new Map<number, number>();
    for (const series of seriesOf(view, treatment))
      for (let i = 0; i < series.buckets; i++)
        if (layers.some(({ pick }) => hasValueAt(pick(series) ?? [], i))) read.set(i, (read.get(i) ?? 0) + 1);
    const times = [...read.values()];
    if (times.length === 0) return [];
    const size = Math.ceil(readingsMin / mean(times));
    return [times.length / size < AREA_POINTS_MIN ? Infinity : size];
  });
  const most = Math.max(1, ...sizes);
  return Number.isFinite(most) ? most : undefined;
}

/** Means over groups of `size` buckets, as points. A last group of less than half that size is left out. */
function groupMeanPoints(view: View, values: Values, size: number): Point[] {
  const groups = Math.max(1, Math.round(values.length / size));
  return Array.from({ length: groups }, (_, i) => {
    const groupValues = values.slice(i * size, (i + 1) * size).flatMap((value) => value ?? []);
    return [(i + 0.5) * size * bucketSecondsOf(view), groupValues.length > 0 ? mean(groupValues) : null];
  });
}

/** Means of the layers over the whole window, by layer and treatment, for bars. */
export function layerMeans(
  view: View,
  layers: readonly StackLayer[],
): Map<string, Map<string, { value: number }>> {
  const means = layers.map(({ name }, i) => {
    const bars = view.treatments.flatMap((treatment): [string, { value: number }][] => {
      const values = summarise(readLayers(view, treatment, layers)[i] ?? [], mean).flatMap(
        (value) => value ?? [],
      );
      return values.length > 0 ? [[treatment.id, { value: mean(values) }]] : [];
    });
    return [name, new Map(bars)] as const;
  });
  return new Map(means.filter(([, bars]) => bars.size > 0));
}

/** Panels with the layers stacked in their order, one for each shown treatment that has values. */
export function layerPanels(
  view: View,
  layers: readonly StackLayer[],
  unit: LinePanel["unit"],
  buckets: number,
): LinePanel[] {
  return view.treatments.flatMap((treatment) => {
    const read = readLayers(view, treatment, layers);
    const points =
      buckets === 1
        ? readingPoints(view, read, mean)
        : read.map((trials) => groupMeanPoints(view, summarise(trials, mean), buckets));
    const lines = layers
      .map(({ name, colour }, i): Line => ({ name, colour, points: points[i] ?? [], isArea: true }))
      .filter((line) => hasValues(line.points));
    return lines.length > 0
      ? [{ title: treatment.label, lines, unit, marks: treatmentMarks(view, treatment) }]
      : [];
  });
}

/** Note that says how the lines of `treatmentLines` summarise trials. */
export function lineNote(view: View): string {
  if (view.trials === "each") return addBucketLength(view, "A line for each trial.");
  if (typeof view.trials === "number") return addBucketLength(view, `Trial ${view.trials}.`);
  return addBucketLength(view, "Median over trials at each time.");
}

/** Adds the length of a bucket to a note, if a point stands for more than one second. */
function addBucketLength(view: View, words: string): string {
  const bucketSeconds = bucketSecondsOf(view);
  return bucketSeconds > 1 ? `${words} Each point is of ${bucketSeconds} s.` : words;
}

/**
 * Note on the averaging of areas, each of whose points covers `buckets` buckets, or of bars over the whole window if
 * undefined.
 */
export function areaNote(view: View, buckets: number | undefined): string {
  const which = typeof view.trials === "number" ? `Trial ${view.trials}` : "Mean over trials";
  if (buckets === undefined) return `${which} and over the window, which has too few readings for a curve.`;
  const seconds = buckets * bucketSecondsOf(view);
  return seconds > 1 ? `${which} and over ${seconds} s at each point.` : `${which} at each time.`;
}

/** Sentence for a chart whose data no trial has. */
export function whyNoSeries(view: View, what: string): string {
  const which = typeof view.trials === "number" ? `trial ${view.trials}` : "any of the trials";
  return `There is nothing to draw: no ${what} from ${which} of the treatments that are shown.`;
}
