// A metric over runs: a panel for each operation, a colour for each treatment, points with intervals, and lines at the levels.
import type { HistoryDocument, HistorySeries } from "../../../../analysis/history/run-history.js";
import { distinct } from "../../../../foundation/distinct.js";
import { ratioText } from "../../../../foundation/text/numbers.js";
import { counted } from "../../../../foundation/units.js";
import {
  HEADLINE_METRICS,
  labelOf,
  metricNamed,
  type ComparisonMetric,
} from "../../../../metrics/metric-lists.js";
import { operationName } from "../../../../metrics/names.js";
import type { ChartTable, DrawingSurface, Plot } from "./drawing.js";
import { plotLines } from "./line-panels.js";
import type { Line } from "./lines.js";
import type { Mark } from "./marks.js";
import { treatmentColour, treatmentSymbol, type ChartTheme } from "./theme.js";
import { valueText, type Unit } from "./values.js";
import { whiskerSeries, type Whisker } from "./whiskers.js";

export interface HistoryChart {
  readonly metric: ComparisonMetric;
  readonly title: string;
  readonly draw: (surface: DrawingSurface) => Plot;
}

/** A chart for each headline metric that the runs have. */
export function historyCharts(document: HistoryDocument): HistoryChart[] {
  return HEADLINE_METRICS.flatMap((metric) => {
    const series = document.series.filter(
      (each) => each.metric === metric && each.values.some((value) => value !== null),
    );
    const label = labelOf(metric, series[0]?.unit);
    const title = metricNamed(metric).unit === "ms" ? `Response time, ${label}` : label;
    return series.length === 0
      ? []
      : [{ metric, title, draw: (surface) => plotOf(document, title, series, surface) }];
  });
}

function unitOf({ metric, unit }: HistorySeries): Unit {
  return metricNamed(metric).unit === "ms" ? "ms" : `${unit}/s`;
}

function linesOf(
  { treatment: name, values, levels }: HistorySeries,
  index: number,
  theme: ChartTheme,
): Line[] {
  const colour = treatmentColour(theme, index);
  return [
    {
      name,
      colour,
      symbol: treatmentSymbol(index),
      points: values.map((value, i) => [i + 1, value?.value ?? null]),
    },
    {
      name,
      detail: "level",
      colour,
      points: levels.flatMap(({ firstRun, lastRun, mean }): Line["points"] => [
        [firstRun, mean],
        [lastRun, mean],
        [lastRun, null],
      ]),
    },
  ];
}

function whiskersOf({ values }: HistorySeries, colour: string): Whisker[] {
  return values.flatMap((value, i): Whisker[] =>
    value === null ? [] : [{ from: [i + 1, value.low], to: [i + 1, value.high], colour }],
  );
}

/** Marks between two runs: changes of level of this metric and operation, and changes of the machine. */
function marksOf({ changes, runs }: HistoryDocument, { metric, operation }: HistorySeries): Mark[] {
  return runs.flatMap(({ differences }, i): Mark[] => {
    const changed = changes
      .filter(({ run }) => run === i + 1)
      .flatMap(({ metrics }) =>
        metrics.filter((each) => each.metric === metric && each.operation === operation),
      );
    const labels = [
      ...(changed.length > 1 ? [counted(changed.length, "treatment")] : []),
      ...(changed.length === 1 ? changed.map((only) => `${only.treatment} ${ratioText(only.ratio)}`) : []),
      ...(differences.some(({ kind }) => kind === "machine") ? ["machine"] : []),
    ];
    return labels.length > 0 ? [{ x: i + 0.5, label: labels.join(", ") }] : [];
  });
}

function plotOf(
  document: HistoryDocument,
  title: string,
  series: readonly HistorySeries[],
  surface: DrawingSurface,
): Plot {
  const treatments = distinct(document.series.map(({ treatment }) => treatment));
  const indexOf = ({ treatment }: HistorySeries): number => treatments.indexOf(treatment);
  const runCount = document.runs.length;
  const operations = distinct(series.map(({ operation }) => operation));
  const panels = operations.map((operation) => series.filter((each) => each.operation === operation));
  const plot = plotLines(
    {
      caption: `${title} by run`,
      panels: panels.map((own) => ({
        title: operationName(own[0]?.operation ?? ""),
        unit: own[0] ? unitOf(own[0]) : "",
        lines: own.flatMap((each) => linesOf(each, indexOf(each), surface.theme)),
        marks: own[0] ? marksOf(document, own[0]) : [],
      })),
      x: {
        name: "run",
        ...{ min: 0, max: runCount + 1, isWhole: true },
        tick: (run) => (run > 0 && run <= runCount ? String(run) : ""),
        cell: String,
      },
    },
    surface,
  );
  const intervals = panels.flatMap((own, panel) =>
    // Intervals have the name of their points, so that the legend hides both.
    own.map((each) => ({
      ...whiskerSeries(whiskersOf(each, treatmentColour(surface.theme, indexOf(each))), panel),
      name: each.treatment,
    })),
  );
  return {
    ...plot,
    option: { ...plot.option, series: [plot.option.series ?? [], intervals].flat() },
    table: () => tableOf(document, title, series),
  };
}

function tableOf({ runs }: HistoryDocument, title: string, series: readonly HistorySeries[]): ChartTable {
  return {
    caption: `${title} by run: median over the trials, with its 95 % interval or its range`,
    columns: [
      "run",
      "begun",
      ...series.map(({ treatment, operation }) => `${treatment}, ${operationName(operation)}`),
    ],
    rows: runs.map(({ startedAt }, i) => [
      i + 1,
      startedAt.slice(0, 10),
      ...series.map((each) => {
        const value = each.values[i];
        if (!value) return "-";
        const write = (number: number): string => valueText(number, unitOf(each));
        return `${write(value.value)} (${write(value.low)} to ${write(value.high)})`;
      }),
    ]),
  };
}
