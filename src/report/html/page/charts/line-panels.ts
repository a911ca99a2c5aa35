// Charts of lines: over time, over percentiles, over clients. From panels with their lines it makes the picture, the
// table behind it and its words, so that the three cannot disagree. Areas are lines that are stacked.
import type { LineSeriesOption, XAXisComponentOption, YAXisComponentOption } from "echarts";
import type { ChartTable, LegendEntry, Plot, Surface } from "./drawing.js";
import { markText, type Mark } from "./marks.js";
import { FONT_FAMILY, layOut, tooltipLook, xAxis, yAxis, type Layout } from "./panels.js";
import type { Dash } from "./theme.js";
import { axisName, ticked, written, type Unit } from "./values.js";

export type Point = readonly [x: number, y: number | null];

export interface Line {
  /** In the legend; lines of one name are shown and hidden together, in all panels. */
  readonly name: string;
  /** In the table, where several lines share a name. */
  readonly detail?: string;
  readonly colour: string;
  readonly dash?: Dash;
  readonly points: readonly Point[];
  /** Stacked on the lines before it. */
  readonly isArea?: boolean;
  /** One of many of a name. */
  readonly isFaint?: boolean;
  /** Points alone, in this shape. */
  readonly symbol?: string;
}

export interface LinePanel {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly unit: Unit;
  readonly marks?: readonly Mark[];
}

export interface LineAxis {
  readonly name: string;
  readonly isLogarithmic?: boolean;
  readonly tick?: (x: number) => string;
  /** Heads the table's rows; `tick` or the number itself. */
  readonly cell?: (x: number) => string;
  readonly min?: number;
  /** Ticks at whole numbers alone. */
  readonly isWhole?: boolean;
}

/** Of every chart over time. Never shortened: many seconds would be 12.3k. */
export const SECONDS: LineAxis = {
  name: "seconds into the window",
  min: 0,
  isWhole: true,
  tick: (x) => String(Math.round(x)),
};

export interface LineChart {
  readonly caption: string;
  readonly panels: readonly LinePanel[];
  readonly x: LineAxis;
  readonly isLogarithmic?: boolean;
  readonly words?: string;
  readonly note?: string;
}

const PANEL_PX = { alone: 300, several: 190 };
const LEFT_PX = 62;

/** A line where something begins, and a shade for as long as it lasts. On a series without a name, which no legend hides. */
function markSeries(marks: readonly Mark[], panel: number, { theme }: Surface): LineSeriesOption {
  return {
    type: "line",
    xAxisIndex: panel,
    yAxisIndex: panel,
    data: [],
    silent: true,
    tooltip: { show: false },
    markLine: {
      silent: true,
      symbol: "none",
      lineStyle: { color: theme.muted, type: "dashed" },
      label: { color: theme.muted, position: "insideEndTop" },
      data: marks.map(({ x, label }) => ({ xAxis: x, label: { formatter: label } })),
    },
    markArea: {
      silent: true,
      itemStyle: { color: theme.muted, opacity: 0.18 },
      data: marks.flatMap(({ x, untilX }) =>
        untilX === undefined ? [] : [[{ xAxis: x }, { xAxis: untilX }]],
      ),
    },
  };
}

/** Whether a value has none beside it, so that no line shows it. */
function isAlone(points: readonly Point[], i: number): boolean {
  const isHere = (at: number): boolean => typeof points[at]?.[1] === "number";
  return isHere(i) && !isHere(i - 1) && !isHere(i + 1);
}

function seriesOf(line: Line, panel: number, unit: Unit): LineSeriesOption {
  const isPoints = line.symbol !== undefined;
  const alone = line.points.map((_, i) => !isPoints && isAlone(line.points, i));
  const hasAlone = alone.includes(true);
  return {
    type: "line",
    name: line.name,
    xAxisIndex: panel,
    yAxisIndex: panel,
    data: line.points.map(([x, y], i) => (alone[i] ? { value: [x, y], symbol: "circle" } : [x, y])),
    color: line.colour,
    showSymbol: isPoints || hasAlone,
    symbol: line.symbol ?? (hasAlone ? "none" : "circle"),
    symbolSize: isPoints ? 8 : 6,
    lineStyle: {
      width: isPoints ? 0 : line.isArea ? 0.5 : line.isFaint ? 1 : 2,
      type: line.dash ?? "solid",
      opacity: line.isFaint ? 0.55 : 1,
    },
    ...(line.isArea && { stack: `panel-${panel}`, areaStyle: { opacity: 0.85 } }),
    emphasis: { disabled: true },
    tooltip: { valueFormatter: (value) => written(typeof value === "number" ? value : null, unit) },
  };
}

function xAxisOf(chart: LineChart, panel: number, surface: Surface): XAXisComponentOption {
  const { x } = chart;
  const base = xAxis(surface.theme, x.name);
  const label = {
    color: surface.theme.muted,
    hideOverlap: true,
    formatter: x.tick ?? ((value: number) => ticked(value, "")),
  };
  return {
    ...base,
    gridIndex: panel,
    type: x.isLogarithmic ? "log" : "value",
    ...(x.min !== undefined && { min: x.min }),
    ...(x.isWhole && { minInterval: 1 }),
    max: "dataMax",
    axisLabel: label,
    axisPointer: { label: { formatter: ({ value }) => (x.cell ?? x.tick ?? String)(Number(value)) } },
  } as XAXisComponentOption;
}

function yAxisOf(
  chart: LineChart,
  { unit }: LinePanel,
  panel: number,
  surface: Surface,
): YAXisComponentOption {
  return {
    ...yAxis(surface.theme, axisName(unit)),
    gridIndex: panel,
    type: chart.isLogarithmic ? "log" : "value",
    axisLabel: { color: surface.theme.muted, formatter: (value: number) => ticked(value, unit) },
  } as YAXisComponentOption;
}

function legendOf(panels: readonly LinePanel[]): LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  for (const { name, colour, dash, isArea } of panels.flatMap(({ lines }) => lines))
    if (!entries.has(name))
      entries.set(name, { name, colour, ...(dash && { dash }), ...(isArea && { isFilled: true }) });
  return [...entries.values()];
}

function tableOf(chart: LineChart): ChartTable {
  const columns = chart.panels.flatMap((panel) =>
    panel.lines.map((line) => ({
      title: [chart.panels.length > 1 ? panel.title : "", line.name, line.detail ?? ""]
        .filter((text) => text !== "")
        .join(", "),
      unit: panel.unit,
      values: new Map(line.points),
    })),
  );
  const xs = [...new Set(columns.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  const cell = chart.x.cell ?? chart.x.tick ?? ((x: number) => ticked(x, ""));
  return {
    caption: chart.caption,
    columns: [chart.x.name, ...columns.map(({ title }) => title)],
    rows: xs.map((x) => [cell(x), ...columns.map(({ values, unit }) => written(values.get(x), unit))]),
  };
}

function range(line: Line, unit: Unit): string {
  const values = line.points.flatMap(([, y]) => (y === null ? [] : [y])).sort((a, b) => a - b);
  const [low, middle, high] = [values[0], values[Math.floor(values.length / 2)], values.at(-1)];
  if (low === undefined) return `${line.name}: no values`;
  return `${line.name}: median ${written(middle, unit)}, from ${written(low, unit)} to ${written(high, unit)}`;
}

function wordsOf(chart: LineChart): string {
  const panels = chart.panels.map(
    ({ title, lines, unit }) =>
      `${title}: ${lines
        .filter(({ isFaint }) => isFaint !== true)
        .map((line) => range(line, unit))
        .join("; ")}.`,
  );
  const marks = [...new Set(chart.panels.flatMap((panel) => (panel.marks ?? []).map(markText)))];
  return [`${chart.caption}.`, ...panels, ...(marks.length > 0 ? [`Marked: ${marks.join("; ")}.`] : [])].join(
    " ",
  );
}

/** Panels without a line are left out by the caller. */
export function plotLines(chart: LineChart, surface: Surface): Plot {
  const heightPx = chart.panels.length === 1 ? PANEL_PX.alone : PANEL_PX.several;
  const layout: Layout = layOut(
    chart.panels.map(({ title }) => title),
    {
      widthPx: surface.widthPx,
      heightsPx: chart.panels.map(() => heightPx),
      leastWidthPx: 330,
      mostColumns: 3,
      leftPx: LEFT_PX,
      isNamedAbove: true,
    },
    surface.theme,
  );
  return {
    kind: "plot",
    heightPx: layout.heightPx,
    legend: legendOf(chart.panels),
    words: chart.words ?? wordsOf(chart),
    table: () => tableOf(chart),
    ...(chart.note !== undefined && { note: chart.note }),
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
      title: layout.titles,
      grid: layout.grids,
      xAxis: chart.panels.map((_, panel) => xAxisOf(chart, panel, surface)),
      yAxis: chart.panels.map((panel, i) => yAxisOf(chart, panel, i, surface)),
      tooltip: { ...tooltipLook(surface.theme), trigger: "axis" },
      series: chart.panels.flatMap(({ lines, marks = [], unit }, i) => [
        ...lines.map((line) => seriesOf(line, i, unit)),
        ...(marks.length > 0 ? [markSeries(marks, i, surface)] : []),
      ]),
    },
  };
}
