// Components of a whole over time, a treatment in each panel: means over trials, which add up while medians would not.
import { SAMPLED_METRICS } from "../../../../workloads/evidence.js";
import { counted } from "../../../../foundation/units.js";
import { plotBars } from "./bar-panels.js";
import { nothingToPlot, type Chart, type View } from "./drawing.js";
import { plotLines } from "./line-panels.js";
import { SECONDS_AXIS } from "./lines.js";
import { partColour, type ChartTheme } from "./theme.js";
import {
  areaNote,
  bucketsPerPoint,
  layerMeans,
  layerPanels,
  whyNoSeries,
  type StackLayer,
} from "./trial-lines.js";
import type { Unit } from "./values.js";

const CPU_LAYERS = [
  ["host.serverCpuMs", "database server"],
  ["host.poolerCpuMs", "pooler"],
  ["host.clientCpuMs", "train-sim"],
  ["host.programCpuMs", "queue's programs"],
  ["host.otherCpuMs", "other programs"],
] as const;

const WAIT_PREFIX = "wait.";
/**
 * Smallest number of samples of sessions for one point: a share of fewer samples is noise. Counts of events and CPU times
 * are exact and need no minimum.
 */
const POINT_SAMPLES_MIN = 20;
/** Largest number of wait events with a separate area: the colours of more look alike. */
const WAIT_EVENT_AREAS_MAX = 9;

function drawLayers(
  view: View,
  layers: readonly StackLayer[],
  caption: string,
  unit: Unit,
  missing: string,
  readingsMin = 1,
): ReturnType<Chart["draw"]> {
  const buckets = bucketsPerPoint(view, layers, readingsMin);
  const note = areaNote(view, buckets);
  const parts = layerMeans(view, layers);
  if (parts.size === 0) return nothingToPlot(whyNoSeries(view, missing));
  if (buckets === undefined) {
    const partColours = new Map(layers.map(({ name, colour }) => [name, colour]));
    return plotBars(
      { caption, panels: [{ title: "Mean over the window", unit, parts }], partColours, note },
      view,
    );
  }
  const panels = layerPanels(view, layers, unit, buckets);
  return plotLines({ caption, panels, x: SECONDS_AXIS, hasOneScale: true, note }, view);
}

export const queueDepth: Chart = {
  id: "queue",
  title: "Queue depth by state",
  lead: "Events in the tables that are not archived, by state. If the backlog grows all through the window, processing does not keep up.",
  draw: (view) =>
    drawLayers(
      view,
      SAMPLED_METRICS.filter(({ layer }) => layer !== undefined).map(({ name, layer = name }, i) => ({
        name: layer,
        colour: partColour(view.theme, i),
        pick: ({ evidence }) => evidence[name],
      })),
      "Events by state, over time",
      "events",
      "samples of the queue",
    ),
};

export const processors: Chart = {
  id: "cpu",
  title: "Processor time",
  lead: "Whose programs used the machine. If train-sim or another program takes what the database needs, the numbers measure that.",
  draw: (view) =>
    drawLayers(
      view,
      CPU_LAYERS.map(([metric, name], i) => ({
        name,
        colour: partColour(view.theme, i),
        pick: ({ evidence }) => evidence[metric]?.map((ms) => (ms === null ? null : ms / 1000)),
      })),
      "Processor cores in use, over time",
      "cores",
      "samples of processor time (they are taken where the server is local)",
    ),
};

function waitEvents(view: View): string[] {
  const sums = new Map<string, number>();
  for (const { treatment, evidence } of view.report.series) {
    if (!view.treatments.some(({ id }) => id === treatment)) continue;
    for (const [name, values] of Object.entries(evidence))
      if (name.startsWith(WAIT_PREFIX))
        sums.set(name, (sums.get(name) ?? 0) + values.reduce<number>((sum, each) => sum + (each ?? 0), 0));
  }
  return [...sums]
    .filter(([, sum]) => sum > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

function waitLayers(view: View, theme: ChartTheme): StackLayer[] {
  const events = waitEvents(view);
  const otherEvents = events.slice(WAIT_EVENT_AREAS_MAX);
  // A sample without this event counts 0 sessions for it. Only a bucket without any sample has no value.
  const hasSample = (evidence: Readonly<Record<string, readonly (number | null)[]>>, i: number): boolean =>
    typeof evidence["sessions.active"]?.[i] === "number" ||
    events.some((event) => typeof evidence[event]?.[i] === "number");
  const sumOf = (names: readonly string[]): StackLayer["pick"] => {
    return ({ evidence, buckets }) =>
      Array.from({ length: buckets }, (_, i) =>
        hasSample(evidence, i) ? names.reduce((sum, name) => sum + (evidence[name]?.[i] ?? 0), 0) : null,
      );
  };
  const layers = events.slice(0, WAIT_EVENT_AREAS_MAX).map((event, i) => ({
    name: event === "wait.CPU" ? "CPU (waits for nothing)" : event.slice(WAIT_PREFIX.length),
    colour: partColour(theme, i),
    pick: sumOf([event]),
  }));
  return otherEvents.length === 0
    ? layers
    : [
        ...layers,
        { name: counted(otherEvents.length, "other"), colour: theme.rest, pick: sumOf(otherEvents) },
      ];
}

export const waitChart: Chart = {
  id: "waits",
  title: "What sessions waited for",
  lead: "Active sessions of the load by wait event, as the database shows them. Lock waits are the workload's own; LWLock and IO are the database's.",
  draw: (view) =>
    drawLayers(
      view,
      waitLayers(view, view.theme),
      "Active sessions by wait event, over time",
      "sessions",
      "samples of wait events",
      POINT_SAMPLES_MIN,
    ),
};
