// Horizontal bars, so that long names of treatments stay legible. Picture, table and words come from the same rows.
import { rangeText } from "../../../../foundation/text/numbers.js";
import type {
  BarSeriesOption,
  CustomSeriesOption,
  XAXisComponentOption,
  YAXisComponentOption,
} from "echarts";
import type { ChartTable, LegendEntry, Plot, Treatment, View } from "./drawing.js";
import { FONT_FAMILY, FONT_PX, layOut, sharedScale, tooltipOptions, xAxis, yAxis } from "./panels.js";
import type { ChartTheme } from "./theme.js";
import { intervalWhiskers } from "./whiskers.js";
import { tickLabel, titleWithUnit, valueText, type Unit } from "./values.js";

export interface Bar {
  readonly value: number;
  readonly range?: readonly [number, number];
}

export interface BarPanel {
  readonly title: string;
  readonly unit: Unit;
  /** Bars by name of the part, then by id of the treatment. The name is empty if bars have no parts. */
  readonly parts: ReadonlyMap<string, ReadonlyMap<string, Bar>>;
}

export interface BarChart {
  readonly caption: string;
  readonly panels: readonly BarPanel[];
  /** Colours by name of the part. Without them each bar has the colour of its treatment. */
  readonly partColours?: ReadonlyMap<string, string>;
  /** True if all panels have the same value scale, so that a reader can compare them. */
  readonly hasOneScale?: boolean;
  readonly note?: string;
}

const ROW_HEIGHT_PX = 20;
const LABEL_PX_MAX = 250;
/** Smallest width of the plot in pixels: in a narrower plot the bars show no difference. */
const PLOT_PX_MIN = 130;

/** Treatments with a bar in the panel, topmost first. */
function treatmentsWithBar(panel: BarPanel, view: View): Treatment[] {
  return view.treatments.filter(({ id }) => [...panel.parts.values()].some((bars) => bars.has(id)));
}

/**
 * Approximate width of the longest label in pixels. It is computed from the number of characters, since measured widths
 * differ between machines and tests must repeat.
 */
function labelWidthPx(view: View): number {
  const longest = Math.max(...view.treatments.map(({ label }) => label.length));
  return Math.min(LABEL_PX_MAX, longest * 6.6 + 14, view.widthPx * 0.4);
}

function barSeries(chart: BarChart, panel: BarPanel, index: number, view: View): BarSeriesOption[] {
  const rows = treatmentsWithBar(panel, view);
  return [...panel.parts].map(([part, bars]) => {
    const colour = chart.partColours?.get(part);
    return {
      type: "bar",
      name: part,
      xAxisIndex: index,
      yAxisIndex: index,
      ...(colour !== undefined && { stack: `panel-${index}`, color: colour }),
      barMaxWidth: 14,
      emphasis: { disabled: true },
      data: rows.map(({ id, colour: own }) => ({
        value: bars.get(id)?.value ?? "-",
        ...(colour === undefined && { itemStyle: { color: own } }),
      })),
      tooltip: { valueFormatter: (value) => valueText(typeof value === "number" ? value : null, panel.unit) },
    };
  });
}

function rangeSeries(panel: BarPanel, index: number, view: View): CustomSeriesOption[] {
  const intervals = treatmentsWithBar(panel, view).flatMap(({ id }, row) => {
    const range = panel.parts.get("")?.get(id)?.range;
    return range ? [{ row, low: range[0], high: range[1] }] : [];
  });
  return intervals.length > 0 ? [intervalWhiskers(intervals, index, view.theme.text)] : [];
}

function tableOf(chart: BarChart, view: View): ChartTable {
  const rows = chart.panels.flatMap((panel) =>
    [...panel.parts].map(([part, bars]) => [
      part === "" ? panel.title : `${panel.title}, ${part}`,
      ...view.treatments.map(({ id }) => {
        const bar = bars.get(id);
        const range = bar?.range;
        const spread = range ? ` ${rangeText(...range, (value) => valueText(value, panel.unit))}` : "";
        return valueText(bar?.value, panel.unit) + spread;
      }),
    ]),
  );
  return { caption: chart.caption, columns: ["", ...view.treatments.map(({ label }) => label)], rows };
}

function wordsOf(chart: BarChart, view: View): string {
  const panels = chart.panels.map((panel) => {
    const treatments = treatmentsWithBar(panel, view).map(({ id, label }) => {
      const parts = [...panel.parts].flatMap(([part, bars]) => {
        const bar = bars.get(id);
        return bar ? [`${part} ${valueText(bar.value, panel.unit)}`.trim()] : [];
      });
      return `${label} ${parts.join(", ")}`;
    });
    return `${panel.title}: ${treatments.join("; ")}.`;
  });
  return [`${chart.caption}.`, ...panels].join(" ");
}

function legendOf(chart: BarChart): LegendEntry[] {
  return [...(chart.partColours ?? [])]
    .filter(([part]) => chart.panels.some(({ parts }) => parts.has(part)))
    .map(([name, colour]) => ({ name, colour, isFilled: true }));
}

/** Values that the scale of the panel must include. If parts are stacked, these are the sums of each treatment's parts. */
function scaleValues({ parts }: BarPanel, isStacked: boolean): number[] {
  const bars = [...parts.values()].flatMap((each) => [...each]);
  if (!isStacked) return bars.map(([, { value, range }]) => Math.max(value, range?.[1] ?? value));
  const ids = new Set(bars.map(([id]) => id));
  return [...ids].map((id) => bars.reduce((sum, [own, { value }]) => (own === id ? sum + value : sum), 0));
}

function valueAxis(
  unit: Unit,
  panelIndex: number,
  scale: ReturnType<typeof sharedScale> | undefined,
  theme: ChartTheme,
): XAXisComponentOption {
  return {
    ...xAxis(theme, ""),
    gridIndex: panelIndex,
    type: "value",
    splitNumber: 4,
    ...scale,
    splitLine: { lineStyle: { color: theme.line } },
    axisLabel: {
      color: theme.muted,
      hideOverlap: true,
      formatter: (value: number) => tickLabel(value, unit),
    },
  } as XAXisComponentOption;
}

function treatmentAxis(
  treatments: readonly Treatment[],
  panelIndex: number,
  leftPx: number,
  theme: ChartTheme,
): YAXisComponentOption {
  return {
    ...yAxis(theme, ""),
    type: "category",
    gridIndex: panelIndex,
    inverse: true,
    // The category is the whole id, because tooltips show it.
    data: treatments.map(({ id }) => id),
    splitLine: { show: false },
    axisLabel: {
      color: theme.text,
      fontSize: FONT_PX,
      width: leftPx - 10,
      overflow: "truncate",
      interval: 0,
      formatter: (id: string) => treatments.find((each) => each.id === id)?.label ?? id,
    },
  } as YAXisComponentOption;
}

/** Plots the bars; the caller leaves out panels without a bar. */
export function plotBars(chart: BarChart, view: View, leastWidthPx = 0): Plot {
  const { theme } = view;
  const leftPx = labelWidthPx(view);
  const rows = chart.panels.map((panel) => treatmentsWithBar(panel, view));
  const scale = chart.hasOneScale
    ? sharedScale(chart.panels.flatMap((panel) => scaleValues(panel, chart.partColours !== undefined)))
    : undefined;
  const layout = layOut(
    chart.panels.map(({ title, unit }) => titleWithUnit(title, unit)),
    {
      widthPx: view.widthPx,
      heightsPx: rows.map(({ length }) => length * ROW_HEIGHT_PX + 6),
      leastWidthPx: Math.max(leastWidthPx, leftPx + PLOT_PX_MIN),
      mostColumns: 5,
      leftPx,
    },
    theme,
  );
  return {
    kind: "plot",
    heightPx: layout.heightPx,
    legend: legendOf(chart),
    words: wordsOf(chart, view),
    table: () => tableOf(chart, view),
    ...(chart.note !== undefined && { note: chart.note }),
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
      title: layout.titles,
      grid: layout.grids,
      xAxis: chart.panels.map(({ unit }, i) => valueAxis(unit, i, scale, theme)),
      yAxis: rows.map((treatments, i) => treatmentAxis(treatments, i, leftPx, theme)),
      tooltip: { ...tooltipOptions(theme), trigger: "axis", axisPointer: { type: "shadow" } },
      series: chart.panels.flatMap((panel, i) => [
        ...barSeries(chart, panel, i, view),
        ...rangeSeries(panel, i, view),
      ]),
    },
  };
}
