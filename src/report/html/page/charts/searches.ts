import { intervalText } from "../../../../foundation/text/numbers.js";
import type { Capacity } from "../../../../results/capacity-schema.js";
import type { Sweep } from "../../../../results/result-schema.js";
import { nothingToPlot, type Chart, type View } from "./drawing.js";
import { plotLines } from "./line-panels.js";
import type { Line, LinePanel } from "./lines.js";
import { neutralLineStyle, treatmentSymbol, type ChartTheme, type Dash } from "./theme.js";
import { plainNumber } from "./values.js";
import { operationName, treatmentIn, workOf } from "./view.js";
import { whiskerSeries, type Whisker } from "./whiskers.js";

const CURVE_STEPS = 60;

/** Points of the fitted law, throughput X for N clients, from 1 client to the largest measured number. */
function fittedCurveOf({ usl, points }: Sweep): [number, number][] {
  if (usl.status !== "fitted") return [];
  const most = Math.max(...points.map(({ clients }) => clients));
  const { lambda, sigma, kappa } = usl;
  return Array.from({ length: CURVE_STEPS + 1 }, (_, i) => {
    const n = 1 + ((most - 1) * i) / CURVE_STEPS;
    return [n, (lambda.value * n) / (1 + sigma.value * (n - 1) + kappa.value * n * (n - 1))];
  });
}

function levelTextsOf({ levels }: Sweep): string[] {
  return Object.entries(levels).map(([factor, level]) => `${factor}=${level}`);
}

/** Title of a panel, such as `add over consumers.clients`. A separate panel belongs to each operation and factor. */
function panelTitle({ operation, factor }: Sweep): string {
  return `${operationName(operation)} over ${factor}`;
}

function sweepSentence(sweep: Sweep): string {
  const { usl } = sweep;
  const name = [panelTitle(sweep), ...levelTextsOf(sweep)].join(", ");
  if (usl.status === "refused") return `${name}: no curve was fitted, ${usl.reason}.`;
  const { peakClients, sigma, kappa, rSquared } = usl;
  const peak = peakClients
    ? `most at ${plainNumber(peakClients.value)} ${plainNumber(peakClients.value) === "1" ? "client" : "clients"} ${intervalText(peakClients.low, peakClients.high, plainNumber)}`
    : `no peak (${usl.peakReason ?? "not found"})`;
  return `${name}: ${peak}, contention ${sigma.value.toPrecision(2)}, coherency ${kappa.value.toPrecision(2)}, R² ${rSquared.toFixed(3)}.`;
}

/** Look of a curve, the same in the legend and in every panel. */
interface SweepLineStyle {
  readonly name: string;
  readonly colour: string;
  readonly dash: Dash;
  readonly symbol: string;
}

function lineName(sweep: Sweep): string {
  return levelTextsOf(sweep).join(", ") || "throughput";
}

function lineStylesOf(sweeps: readonly Sweep[], theme: ChartTheme): (sweep: Sweep) => SweepLineStyle {
  const names = [...new Set(sweeps.map(lineName))];
  return (sweep) => {
    const name = lineName(sweep);
    const i = names.indexOf(name);
    return { name, ...neutralLineStyle(theme, i), symbol: treatmentSymbol(i) };
  };
}

function colourOf(view: View, treatment: string): string {
  return treatmentIn(view, treatment)?.colour ?? view.theme.text;
}

function sweepLines(sweep: Sweep, { name, colour, dash, symbol }: SweepLineStyle, view: View): Line[] {
  const measuredPoints = sweep.points.filter(({ eventsPerSecond }) => eventsPerSecond);
  const points = measuredPoints.map(
    ({ clients, eventsPerSecond }) => [clients, eventsPerSecond?.median ?? null] as const,
  );
  const pointColours = measuredPoints.map(({ treatment }) => colourOf(view, treatment));
  const fittedCurve = fittedCurveOf(sweep);
  return [
    { name, detail: "measured", colour, dash, points, pointColours, symbol },
    ...(fittedCurve.length > 0 ? [{ name, detail: "fitted", colour, dash, points: fittedCurve }] : []),
  ];
}

/** Whiskers for the 95 % intervals of the measured points. A point with fewer than 5 trials has no interval. */
function sweepWhiskers({ points }: Sweep, view: View): Whisker[] {
  return points.flatMap(({ clients, treatment, eventsPerSecond }): Whisker[] => {
    const { ciLow = null, ciHigh = null } = eventsPerSecond ?? {};
    return ciLow === null || ciHigh === null
      ? []
      : [{ from: [clients, ciLow], to: [clients, ciHigh], colour: colourOf(view, treatment) }];
  });
}

export const sweepChart: Chart = {
  id: "sweep",
  title: "Throughput over clients",
  lead: "Measured throughput (points, with 95 % intervals) and the Universal Scalability Law that fits it (lines). Where the curve bends down, more clients cost throughput.",
  draw: (view) => {
    const all = view.report.result.sweeps ?? [];
    const visible = view.operations.flatMap((operation) =>
      all.filter((each) => each.operation === operation),
    );
    if (visible.length === 0)
      return nothingToPlot(
        "There is nothing to draw: the scenario varies no number of clients in what is shown.",
      );
    const lineStyleOf = lineStylesOf(all, view.theme);
    const titles = [...new Set(visible.map(panelTitle))];
    const groups = titles.map((title) => visible.filter((each) => panelTitle(each) === title));
    const plot = plotLines(
      {
        caption: "Throughput by number of clients",
        panels: groups.map((sweeps, i) => ({
          title: titles[i] ?? "",
          unit: `${workOf(
            view.report,
            sweeps.map(({ operation }) => operation),
          )}/s`,
          lines: sweeps.flatMap((sweep) => sweepLines(sweep, lineStyleOf(sweep), view)),
        })),
        x: { name: "clients", min: 0, isWhole: true },
        note: groups.flat().map(sweepSentence).join(" "),
      },
      view,
    );
    const intervals = groups.flatMap((sweeps, panel) =>
      // Intervals have the name of their curve, so that the legend hides both.
      sweeps.map((sweep) => ({
        ...whiskerSeries(sweepWhiskers(sweep, view), panel),
        name: lineName(sweep),
      })),
    );
    return { ...plot, option: { ...plot.option, series: [plot.option.series ?? [], intervals].flat() } };
  },
};

function capacityPanel({ treatment, probes, ratePerSecond, operation }: Capacity, view: View): LinePanel {
  const visible = view.treatments.find(({ id }) => id === treatment);
  const of = (held: boolean): [number, number | null][] =>
    probes
      .filter((probe) => probe.held === held && probe.discarded !== true && probe.purpose !== "recover")
      .map(({ offeredPerSecond, p99Ms }): [number, number | null] => [offeredPerSecond, p99Ms])
      .sort(([a], [b]) => a - b);
  const colour = colourOf(view, treatment);
  return {
    title: `${visible?.label ?? treatment}, ${operationName(operation)}`,
    unit: "ms",
    lines: [
      { name: "held", colour, points: of(true), symbol: "circle" },
      { name: "did not hold", colour, points: of(false), symbol: "diamond" },
    ].filter(({ points }) => points.length > 0),
    marks: ratePerSecond === null ? [] : [{ x: ratePerSecond, label: `${plainNumber(ratePerSecond)}/s` }],
  };
}

export const capacityChart: Chart = {
  id: "capacity",
  title: "Search for capacity",
  lead: "Each probe's 99th percentile at the rate that was offered to it. The discarded first one and those that wait for recovery are left out. The dashed line is the highest rate at which the threshold held, also when repeated.",
  draw: (view) => {
    // Only treatments with trials are in the filter. A treatment without a confirmed rate has no trials and is always
    // shown.
    const isHidden = (treatment: string): boolean =>
      view.report.result.treatments.some(({ id }) => id === treatment) &&
      !view.treatments.some(({ id }) => id === treatment);
    const panels = (view.report.result.capacity ?? [])
      .filter(({ treatment }) => !isHidden(treatment))
      .map((capacity) => capacityPanel(capacity, view))
      .filter(({ lines }) => lines.length > 0);
    if (panels.length === 0)
      return nothingToPlot("There is nothing to draw: no capacity was searched in what is shown.");
    return plotLines(
      {
        caption: "99th percentile of the response time by offered arrival rate",
        panels,
        x: { name: "arrivals offered per second", min: 0 },
        hasOneScale: true,
        note: "Circles: probes that held the threshold. Diamonds: probes that did not.",
      },
      view,
    );
  },
};
