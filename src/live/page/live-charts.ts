// Pure. A line has a gap between two trials, if a second is missing, and if samples are much farther apart than usual.
import { LIVE_METRICS } from "../../workloads/evidence.js";
import { isCycleOperation, operationsIn } from "../../metrics/operations.js";
import type { LivePoint, LiveSample } from "./live-data.js";
import type { LiveStore } from "./live-store.js";
import { displayedRows, workOf } from "./live-words.js";
import { operationName } from "../../report/html/page/charts/view.js";
import {
  SECONDS_AXIS,
  type Line,
  type LineChart,
  type LinePanel,
  type Point,
} from "../../report/html/page/charts/lines.js";
import { longestBridgedGap } from "../../report/html/page/charts/readings.js";
import { partColour, type ChartTheme } from "../../report/html/page/charts/theme.js";

/** Longest distance in ms between two points that a line connects; a longer distance is a gap. */
const LINE_GAP_MS = 2500;
const CHART_SPAN_MS = 600_000;

interface TrialMoment {
  readonly trial: number;
  readonly atMs: number;
}

/** Points of a line, with a break if values are far apart, or from different trials. */
function points<T extends TrialMoment>(
  items: readonly T[],
  valueOf: (item: T) => number | null | undefined,
  longestBridgeMs: number,
): Point[] {
  const linePoints: Point[] = [];
  let before: T | undefined;
  for (const item of items) {
    const tenthsOfSecond = Math.round(item.atMs / 100);
    const isAfterGap = before && (before.trial !== item.trial || item.atMs - before.atMs > longestBridgeMs);
    if (isAfterGap) linePoints.push([(tenthsOfSecond * 10 - 5) / 100, null]);
    linePoints.push([tenthsOfSecond / 10, valueOf(item) ?? null]);
    before = item;
  }
  return linePoints.some(([, y]) => y !== null) ? linePoints : [];
}

function distancesMs(moments: readonly TrialMoment[]): number[] {
  return moments.slice(1).flatMap(({ trial, atMs }, i) => {
    const before = moments[i];
    return before?.trial === trial ? [atMs - before.atMs] : [];
  });
}

function operationLines(all: readonly LivePoint[], theme: ChartTheme, of: "events" | "p99Ms"): Line[] {
  const operations = operationsIn(all.map((point) => point.operations)).filter(
    (each) => !isCycleOperation(each),
  );
  return operations.flatMap((operation, i): Line[] => {
    const drawnPoints = points(all, (point) => point.operations[operation]?.[of], LINE_GAP_MS);
    const colour = theme.treatments[i] ?? theme.text;
    return drawnPoints.length > 0 ? [{ name: operationName(operation), colour, points: drawnPoints }] : [];
  });
}

interface ChartLine {
  readonly metric: string;
  readonly name: string;
  readonly unit: LinePanel["unit"];
}

/** Lines of sampled metrics by the title of their panel. */
const LINES_BY_PANEL: ReadonlyMap<string, readonly ChartLine[]> = LIVE_METRICS.reduce((panels, metric) => {
  const [panel, name] = metric.live.line ?? [];
  if (panel === undefined || name === undefined) return panels;
  return panels.set(panel, [...(panels.get(panel) ?? []), { metric: metric.name, name, unit: metric.unit }]);
}, new Map<string, ChartLine[]>());

/** Panels in which each line has a distinct colour. */
function samplePanels(samples: readonly LiveSample[], colours: readonly string[]): LinePanel[] {
  let earlierLineCount = 0;
  return [...LINES_BY_PANEL].map(([title, chartLines]) => {
    const units = new Set(chartLines.map(({ unit }) => unit));
    const lines = sampleLines(samples, chartLines, colours.slice(earlierLineCount));
    earlierLineCount += chartLines.length;
    return { title, unit: units.size === 1 ? ([...units][0] ?? "") : "", lines };
  });
}

/** Lines of the metrics that were sampled at least once; single samples may lack some of them. */
function sampleLines(
  all: readonly LiveSample[],
  chartLines: readonly ChartLine[],
  colours: readonly string[],
): Line[] {
  return chartLines.flatMap(({ metric, name }, i): Line[] => {
    const read = all.filter(({ values }) => values[metric] !== undefined);
    const line = points(read, ({ values }) => values[metric], longestBridgedGap(distancesMs(read)));
    return line.length > 0 ? [{ name, colour: colours[i] ?? "", points: line }] : [];
  });
}

function recentMoments<T extends TrialMoment>(moments: readonly T[], newestMs: number): T[] {
  return moments.filter(({ atMs }) => atMs > newestMs - CHART_SPAN_MS);
}

/** The chart of the live page; undefined before there is anything to draw. */
export function liveChart(store: LiveStore, theme: ChartTheme): LineChart | undefined {
  const newestMs = Math.max(...[...store.points, ...store.samples].map(({ atMs }) => atMs));
  const [seconds, samples] = [recentMoments(store.points, newestMs), recentMoments(store.samples, newestMs)];
  const work = workOf(displayedRows(store.view?.operations ?? []));
  const colours = [0, 1, 2, 3, 4, 5].map((i) => partColour(theme, i));
  const all: LinePanel[] = [
    {
      title: "Throughput",
      unit: `${work}/s`,
      lines: operationLines(seconds, theme, "events"),
    },
    {
      title: "Response time, p99 of each second",
      unit: "ms",
      lines: operationLines(seconds, theme, "p99Ms"),
    },
    ...samplePanels(samples, colours),
  ];
  const panels = all.filter(({ lines }) => lines.length > 0);
  if (panels.length === 0) return undefined;
  // The axis starts at the oldest kept point, since the run may be hours old.
  const firstMs = Math.min(...[...seconds, ...samples].map(({ atMs }) => atMs));
  return {
    caption: "The last ten minutes at most",
    panels,
    x: { ...SECONDS_AXIS, name: "seconds into the run", min: Math.floor(firstMs / 1000), cell: String },
  };
}
