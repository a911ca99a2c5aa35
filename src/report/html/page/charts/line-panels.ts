// Drawn from the same panels as the table and the words (`line-words.ts`). Areas are lines that are stacked.
import type { LineSeriesOption, XAXisComponentOption, YAXisComponentOption } from "echarts";
import type { LegendEntry, Plot, DrawingSurface, ChartTable } from "./drawing.js";
import type { Line, LineChart, LinePanel, Point } from "./lines.js";
import { type Mark, markText } from "./marks.js";
import { FONT_FAMILY, layOut, sharedScale, tooltipOptions, xAxis, yAxis, type Layout } from "./panels.js";
import { tickLabel, titleWithUnit, valueText, type Unit } from "./values.js";
import { median } from "../../../../analysis/statistics/quantiles.js";

const PANEL_HEIGHT_PX = { alone: 150, several: 124 };
const LEFT_MARGIN_PX = 52;

/** A series that draws a line at the start of each mark and a shade over its duration. The legend cannot hide it. */
function markSeries(marks: readonly Mark[], panel: number, { theme }: DrawingSurface): LineSeriesOption {
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

/** True if the point has no neighbour with a value, so that no line would show it. */
function isLonePoint(points: readonly Point[], i: number): boolean {
  const isHere = (at: number): boolean => typeof points[at]?.[1] === "number";
  return isHere(i) && !isHere(i - 1) && !isHere(i + 1);
}

function seriesOf(line: Line, panel: number, unit: Unit): LineSeriesOption {
  const isDrawnAsPoints = line.symbol !== undefined;
  const alone = line.points.map((_, i) => !isDrawnAsPoints && isLonePoint(line.points, i));
  const hasLonePoint = alone.includes(true);
  return {
    type: "line",
    name: line.name,
    xAxisIndex: panel,
    yAxisIndex: panel,
    data: line.points.map(([x, y], i) => {
      const color = line.pointColours?.[i];
      if (color !== undefined) return { value: [x, y], itemStyle: { color } };
      return alone[i] ? { value: [x, y], symbol: "circle" } : [x, y];
    }),
    color: line.colour,
    showSymbol: isDrawnAsPoints || hasLonePoint,
    symbol: line.symbol ?? (hasLonePoint ? "none" : "circle"),
    symbolSize: isDrawnAsPoints ? 8 : 6,
    lineStyle: {
      width: isDrawnAsPoints ? 0 : line.isArea ? 0.5 : line.isFaint ? 1 : 2,
      type: line.dash ?? "solid",
      opacity: line.isFaint ? 0.55 : 1,
    },
    ...(line.isArea && { stack: `panel-${panel}`, areaStyle: { opacity: 1 } }),
    emphasis: { disabled: true },
    tooltip: { valueFormatter: (value) => valueText(typeof value === "number" ? value : null, unit) },
  };
}

function xAxisOf(chart: LineChart, panel: number, surface: DrawingSurface): XAXisComponentOption {
  const { x } = chart;
  const markEnds = (chart.panels[panel]?.marks ?? []).map((mark) => mark.untilX ?? mark.x);
  const base = xAxis(surface.theme, x.hasUnitInTicks ? "" : x.name);
  const label = {
    color: surface.theme.muted,
    hideOverlap: true,
    formatter: x.tick ?? ((value: number) => tickLabel(value, "")),
  };
  return {
    ...base,
    gridIndex: panel,
    type: x.isLogarithmic ? "log" : "value",
    ...(x.min !== undefined && { min: x.min }),
    ...(x.isWhole && { minInterval: 1 }),
    // The axis ends after the last mark, which may lie beyond the last point.
    max: x.max ?? (({ max }: { max: number }) => Math.max(max, ...markEnds)),
    axisLabel: label,
    axisPointer: { label: { formatter: ({ value }) => (x.cell ?? x.tick ?? String)(Number(value)) } },
  } as XAXisComponentOption;
}

/** Values that the scale of the panel must include. If areas are stacked, these are the sums at each x. */
function scaleValues({ lines }: LinePanel): number[] {
  if (!lines.some(({ isArea }) => isArea))
    return lines.flatMap(({ points }) => points.flatMap(([, y]) => y ?? []));
  const sums = new Map<number, number>();
  for (const [x, y] of lines.flatMap(({ points }) => points)) sums.set(x, (sums.get(x) ?? 0) + (y ?? 0));
  return [...sums.values()];
}

function yAxisOf(
  chart: LineChart,
  { unit }: LinePanel,
  panel: number,
  surface: DrawingSurface,
): YAXisComponentOption {
  return {
    ...yAxis(surface.theme, ""),
    gridIndex: panel,
    type: chart.isLogarithmic ? "log" : "value",
    ...(chart.hasOneScale && sharedScale(chart.panels.flatMap(scaleValues), chart.isLogarithmic)),
    axisLabel: { color: surface.theme.muted, formatter: (value: number) => tickLabel(value, unit) },
  } as YAXisComponentOption;
}

/** Legend entries by name. A name whose lines have several colours gets the colour of text. */
function legendOf(panels: readonly LinePanel[], { theme }: DrawingSurface): LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  for (const { name, colour: own, dash, isArea } of panels.flatMap(({ lines }) => lines)) {
    const colour = (entries.get(name)?.colour ?? own) === own ? own : theme.text;
    entries.set(name, { name, colour, ...(dash && { dash }), ...(isArea && { isFilled: true }) });
  }
  return [...entries.values()];
}

/** Plots panels of lines. The caller must leave out panels without a line. */
export function plotLines(chart: LineChart, surface: DrawingSurface): Plot {
  const heightPx = chart.panels.length === 1 ? PANEL_HEIGHT_PX.alone : PANEL_HEIGHT_PX.several;
  const layout: Layout = layOut(
    chart.panels.map(({ title, unit }) => titleWithUnit(title, unit)),
    {
      widthPx: surface.widthPx,
      heightsPx: chart.panels.map(() => heightPx),
      leastWidthPx: 225,
      mostColumns: 5,
      leftPx: LEFT_MARGIN_PX,
      isNamedBelow: chart.x.hasUnitInTicks !== true,
    },
    surface.theme,
  );
  return {
    kind: "plot",
    heightPx: layout.heightPx,
    legend: legendOf(chart.panels, surface),
    words: chart.words ?? wordsOf(chart),
    table: () => tableOf(chart),
    ...(chart.note !== undefined && { note: chart.note }),
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
      title: layout.titles,
      grid: layout.grids,
      xAxis: chart.panels.map((_, panel) => xAxisOf(chart, panel, surface)),
      yAxis: chart.panels.map((panel, i) => yAxisOf(chart, panel, i, surface)),
      tooltip: { ...tooltipOptions(surface.theme), trigger: "axis" },
      series: chart.panels.flatMap(({ lines, marks = [], unit }, i) => [
        ...lines.map((line) => seriesOf(line, i, unit)),
        ...(marks.length > 0 ? [markSeries(marks, i, surface)] : []),
      ]),
    },
  };
}

function valuesAt(points: readonly Point[]): Map<number, (number | null)[]> {
  const values = new Map<number, (number | null)[]>();
  for (const [x, y] of points) values.set(x, [...(values.get(x) ?? []), y]);
  return values;
}

/** Table with a row for each x of any point; a line with several points at one x gets several rows. */
function tableOf(chart: LineChart): ChartTable {
  const columns = chart.panels.flatMap((panel) =>
    panel.lines.map((line) => ({
      title: [chart.panels.length > 1 ? panel.title : "", line.name, line.detail ?? ""]
        .filter((text) => text !== "")
        .join(", "),
      unit: panel.unit,
      values: valuesAt(line.points),
    })),
  );
  const xs = [...new Set(columns.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b);
  const cell = chart.x.cell ?? chart.x.tick ?? ((x: number) => tickLabel(x, ""));
  return {
    caption: chart.caption,
    columns: [chart.x.name, ...columns.map(({ title }) => title)],
    rows: xs.flatMap((x) => {
      const most = Math.max(...columns.map(({ values }) => values.get(x)?.length ?? 0));
      return Array.from({ length: most }, (_, i) => [
        cell(x),
        ...columns.map(({ values, unit }) => valueText(values.get(x)?.[i], unit)),
      ]);
    }),
  };
}

function rangeWords(name: string, lines: readonly Line[], unit: Unit, isTime: boolean): string {
  const values = lines.flatMap(({ points }) => points.flatMap(([, y]) => y ?? []));
  if (values.length === 0) return `${name}: no values`;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const middle = isTime ? `median ${valueText(median(values), unit)}, ` : "";
  return `${name}: ${middle}from ${valueText(low, unit)} to ${valueText(high, unit)}`;
}

/** Sentence about a panel. Single trials are summarised under the name that their lines share. */
function panelWords({ title, lines, unit }: LinePanel, isTime: boolean): string {
  const names = new Map<string, Line[]>();
  for (const line of lines) {
    const name = [line.name, line.isFaint ? "" : (line.detail ?? "")]
      .filter((text) => text !== "")
      .join(", ");
    names.set(name, [...(names.get(name) ?? []), line]);
  }
  const texts = [...names].map(([name, own]) =>
    rangeWords(own.length > 1 ? `${name}, ${own.length} trials` : name, own, unit, isTime),
  );
  return `${title}: ${texts.join("; ")}.`;
}

function wordsOf(chart: LineChart): string {
  const panels = chart.panels.map((panel) => panelWords(panel, chart.x.isTime === true));
  const wordsOfMark = (mark: Mark): string => (chart.x.isTime === true ? markText(mark) : mark.label);
  const marks = [...new Set(chart.panels.flatMap((panel) => (panel.marks ?? []).map(wordsOfMark)))];
  return [`${chart.caption}.`, ...panels, ...(marks.length > 0 ? [`Marked: ${marks.join("; ")}.`] : [])].join(
    " ",
  );
}
