// Comparisons as a forest: ratios with their 95 % intervals on a logarithmic axis. Filled marks are findings beyond noise; the band
// holds the intervals of indistinguishable comparisons.
import type {
  CustomSeriesOption,
  ScatterSeriesOption,
  XAXisComponentOption,
  YAXisComponentOption,
} from "echarts";
import {
  COMPARISON_METRICS,
  HEADLINE_METRICS,
  isHeadline,
  labelOf,
} from "../../../../metrics/metric-lists.js";
import { verdictLegend } from "../../../../metrics/names.js";
import type { Comparison } from "../../../../results/result-schema.js";
import { isFindingAboveNoise } from "../../../../analysis/comparison/noise-floor.js";
import { BLOCKS_MIN, boundsOf } from "../../../../analysis/statistics/limits.js";
import { ratioAxis, spreadOf } from "../../../findings/forest.js";
import { chosenValue, nothingToPlot, type Chart, type Control, type Plot, type View } from "./drawing.js";
import { comparisonTable, comparisonWords, rowName, verdictText } from "./comparison-words.js";
import { FONT_FAMILY, FONT_PX, layOut, tooltipOptions, xAxis, yAxis } from "./panels.js";
import type { ReportData } from "../../report-data.js";
import { operationName, treatmentIn, treatmentNamed, workOf } from "./view.js";
import { intervalWhiskers } from "./whiskers.js";

function metricControl(report: ReportData): Control {
  const work = workOf(report);
  const choices = [
    ["main", HEADLINE_METRICS.map((metric) => labelOf(metric, work)).join(", ")],
    ["all", "all"],
    ...COMPARISON_METRICS.map((id) => [id, labelOf(id, work)] as const),
  ] as const;
  return { id: "metric", label: "Metric", choices };
}
const ROW_HEIGHT_PX = 20;
const LABEL_PX_MAX = 310;
/** Smallest width of the plot in pixels: in a narrower plot the intervals cannot be distinguished. */
const PLOT_PX_MIN = 200;

function shownComparisons(view: View): Comparison[] {
  const metric = chosenValue(view, metricControl(view.report));
  const hasTreatment = (wanted: string): boolean => view.treatments.some(({ id }) => id === wanted);
  return view.report.result.comparisons.filter(
    (each) =>
      hasTreatment(each.treatment) &&
      hasTreatment(each.baseline) &&
      (each.operation.startsWith("lifecycle.") || view.operations.includes(each.operation)) &&
      (metric === "all" || (metric === "main" ? isHeadline(each.metric) : each.metric === metric)),
  );
}

function hasOneBaseline(rows: readonly Comparison[]): boolean {
  return rows.every(({ baseline }) => baseline === rows[0]?.baseline);
}

function marks(rows: readonly Comparison[], panel: number, view: View): ScatterSeriesOption {
  const { theme } = view;
  const { equivalence } = boundsOf(view.report.result);
  return {
    type: "scatter",
    xAxisIndex: panel,
    yAxisIndex: panel,
    z: 4,
    symbolSize: 10,
    data: rows.map((comparison, row) => {
      const colour = treatmentIn(view, comparison.treatment)?.colour ?? theme.text;
      const fill = isFindingAboveNoise(comparison, view.report.result.comparisons) ? colour : theme.page;
      return {
        value: [comparison.ratio, row],
        name: rowName(comparison, view, false),
        itemStyle: { color: fill, borderColor: colour, borderWidth: 2 },
      };
    }),
    tooltip: {
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const found = rows[dataIndex];
        return found ? verdictText(found, view) : "";
      },
    },
    markLine: {
      silent: true,
      symbol: "none",
      label: { show: false },
      lineStyle: { color: theme.muted, type: "solid", width: 1 },
      data: [{ xAxis: 1 }],
    },
    markArea: {
      silent: true,
      itemStyle: { color: theme.marginBand },
      data: [[{ xAxis: 1 / equivalence }, { xAxis: equivalence }]],
    },
  };
}

function intervals(rows: readonly Comparison[], panel: number, view: View): CustomSeriesOption {
  return intervalWhiskers(
    rows.flatMap((comparison, row) => {
      const [low, high] = spreadOf(view.report.result, comparison) ?? [0, 0];
      const colour = treatmentIn(view, comparison.treatment)?.colour ?? view.theme.text;
      return low > 0 ? [{ row, low, high, colour }] : [];
    }),
    panel,
    view.theme.text,
  );
}

function axes(groups: readonly (readonly Comparison[])[], leftPx: number, view: View) {
  const isShort = hasOneBaseline(groups.flat());
  const { min, max, ticks } = ratioAxis(
    groups.flat().flatMap((each) => [each.ratio, ...(spreadOf(view.report.result, each) ?? [])]),
  );
  const ratio = groups.map(
    (_, panel) =>
      ({
        ...xAxis(view.theme, ""),
        gridIndex: panel,
        type: "log",
        logBase: 2,
        min,
        max,
        splitLine: { lineStyle: { color: view.theme.line } },
        axisTick: { customValues: [...ticks] },
        axisLabel: {
          color: view.theme.muted,
          hideOverlap: true,
          customValues: [...ticks],
          formatter: (ratio: number) => `${ratio}x`,
        },
      }) as XAXisComponentOption,
  );
  const names = groups.map(
    (rows, panel) =>
      ({
        ...yAxis(view.theme, ""),
        gridIndex: panel,
        type: "category",
        inverse: true,
        data: rows.map((comparison) => rowName(comparison, view, isShort)),
        splitLine: { show: false },
        axisLabel: {
          color: view.theme.text,
          fontSize: FONT_PX,
          width: leftPx - 12,
          overflow: "truncate",
          interval: 0,
        },
      }) as YAXisComponentOption,
  );
  return { xAxis: ratio, yAxis: names };
}

function hasFewBlocks(rows: readonly Comparison[]): boolean {
  return rows.some(({ blocks }) => blocks < BLOCKS_MIN);
}

function plotForest(rows: readonly Comparison[], view: View): Plot {
  const operations = [...new Set(rows.map(({ operation }) => operation))];
  const groups = operations.map((operation) => rows.filter((each) => each.operation === operation));
  const longest = Math.max(...rows.map((each) => rowName(each, view, hasOneBaseline(rows)).length));
  const [{ baseline: id } = { baseline: "" }] = rows;
  const baseline = hasOneBaseline(rows) ? `Ratios to ${treatmentNamed(view, id)}. ` : "";
  const leftPx = Math.min(LABEL_PX_MAX, longest * 6.4 + 16, view.widthPx * 0.5);
  const layout = layOut(
    operations.map(operationName),
    {
      widthPx: view.widthPx,
      heightsPx: groups.map(({ length }) => length * ROW_HEIGHT_PX + 10),
      leastWidthPx: leftPx + PLOT_PX_MIN,
      mostColumns: 3,
      leftPx,
    },
    view.theme,
  );
  return {
    kind: "plot",
    heightPx: layout.heightPx,
    legend: [],
    words: comparisonWords(rows, view),
    table: () => comparisonTable(rows, view),
    note: `${baseline}${verdictLegend(boundsOf(view.report.result).equivalence - 1)}. Filled: a finding beyond noise. The band is the margin of indistinguishable. Whiskers: 95 % intervals${hasFewBlocks(rows) ? "; ranges over blocks where there are fewer than 5" : ""}.`,
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
      title: layout.titles,
      grid: layout.grids,
      ...axes(groups, leftPx, view),
      tooltip: { ...tooltipOptions(view.theme), trigger: "item" },
      series: groups.flatMap((group, panel) => [intervals(group, panel, view), marks(group, panel, view)]),
    },
  };
}

export const forest: Chart = {
  id: "comparison-plot",
  title: "Comparisons of every operation",
  isFolded: true,
  lead: "Each treatment's ratio to its baseline: less on the left of the line, more on the right. Shorter times are better, and higher throughput.",
  controls: (report) => [metricControl(report)],
  draw: (view) => {
    const all = view.report.result.comparisons;
    if (all.length === 0)
      return nothingToPlot("There is nothing to draw: comparisons need two treatments with complete trials.");
    const rows = shownComparisons(view).filter(({ ratio }) => ratio > 0);
    if (rows.length === 0)
      return nothingToPlot("There is nothing to draw: nothing that is shown was compared.");
    return plotForest(rows, view);
  },
};
