// Best and worst are marked by a word and a frame, since a shade alone says nothing.
import type { CustomSeriesOption, XAXisComponentOption, YAXisComponentOption } from "echarts";
import type { Grid, GridCell } from "../../../../analysis/comparison/factor-grid.js";
import { isFindingAboveNoise, isWithinNoiseFloor } from "../../../../analysis/comparison/noise-floor.js";
import { boundsOf } from "../../../../analysis/statistics/limits.js";
import { isLargerBetter } from "../../../../metrics/metric-lists.js";
import { verdictLegend, markOf } from "../../../../metrics/names.js";
import { verdictText } from "./comparison-words.js";
import type { Chart, Plot, View } from "./drawing.js";
import {
  gridControls,
  gridTable,
  gridTitle,
  gridWords,
  gridsOf,
  spreadText,
  type FactorGrids,
} from "./grids.js";
import { FONT_FAMILY, FONT_PX, layOut, tooltipOptions, xAxis, yAxis } from "./panels.js";
import { treatmentNamed } from "./view.js";
import { valueText } from "./values.js";

const CELL_PX = { height: 68, leastWidth: 104 };
const LINE_HEIGHT_PX = 16;
const LABEL_PX_MAX = 150;
const CHARACTER_WIDTH_PX = 6.6;
const MARKS = { best: "▲ best", worst: "▼ worst" } as const;

interface Line {
  readonly text: string;
  readonly fill: string;
  readonly fontSize: number;
  readonly fontWeight?: number;
}

/** Ratio of a cell, with the same verdict marks as in the tables of the terminal. */
function ratioText({ comparison, isBaseline }: GridCell, view: View): string {
  if (isBaseline) return "baseline";
  if (!comparison) return "";
  const isNoise = isWithinNoiseFloor(comparison, view.report.result.comparisons);
  return `${valueText(comparison.ratio, "x")} ${markOf(comparison.verdict, isNoise)}`;
}

/** Background of a cell: green for a finding for the better, red for the worse, otherwise the page's background. */
function shadeOf({ comparison }: GridCell, metric: FactorGrids["metric"], view: View): string {
  if (!comparison || !isFindingAboveNoise(comparison, view.report.result.comparisons)) return view.theme.page;
  return comparison.ratio > 1 === isLargerBetter(metric) ? view.theme.better : view.theme.worse;
}

function tooltipOf(cell: GridCell, unit: FactorGrids["unit"], view: View): string {
  const { treatment, summary, comparison } = cell;
  const spread = spreadText(cell, unit);
  const median = `${valueText(summary.median, unit)}${spread && ` (${spread})`}`;
  return [treatment, median, ...(comparison ? [verdictText(comparison, view)] : [])].join(", ");
}

function cellSeries(
  grid: Grid,
  panel: number,
  { metric, unit }: FactorGrids,
  view: View,
): CustomSeriesOption {
  const { theme } = view;
  return {
    type: "custom",
    xAxisIndex: panel,
    yAxisIndex: panel,
    encode: { x: 0, y: 1 },
    data: grid.cells.map((cell) => ({
      value: [
        grid.columns.levels.indexOf(cell.column),
        grid.rows.levels.indexOf(cell.row),
        cell.summary.median,
      ],
      name: treatmentNamed(view, cell.treatment),
    })),
    tooltip: {
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const cell = grid.cells[dataIndex];
        return cell ? tooltipOf(cell, unit, view) : "";
      },
    },
    renderItem: ({ dataIndex }, api) => {
      const cell = grid.cells[dataIndex];
      const [x = 0, y = 0] = api.coord([api.value(0), api.value(1)]);
      const [width = 0, height = 0] = api.size?.([1, 1]) as number[];
      if (!cell) return;
      const lines: Line[] = [
        { text: valueText(cell.summary.median, unit), fontSize: 14, fontWeight: 600, fill: theme.text },
        { text: spreadText(cell, unit), fontSize: 11, fill: theme.muted },
        { text: ratioText(cell, view), fontSize: FONT_PX, fill: theme.text },
        { text: cell.rank ? MARKS[cell.rank] : "", fontSize: 11, fontWeight: 600, fill: theme.text },
      ].filter(({ text }) => text !== "");
      return {
        type: "group",
        children: [
          {
            type: "rect",
            shape: {
              x: x - width / 2 + 2,
              y: y - height / 2 + 2,
              width: width - 4,
              height: height - 4,
              r: 4,
            },
            style: {
              fill: shadeOf(cell, metric, view),
              stroke: cell.rank ? theme.text : theme.line,
              lineWidth: cell.rank ? 1.5 : 1,
              ...(cell.rank === "worst" && { lineDash: [4, 3] }),
            },
          },
          ...lines.map(({ text, fill, fontSize, fontWeight = 400 }, i) => ({
            type: "text" as const,
            style: {
              text,
              fill,
              fontSize,
              fontWeight,
              fontFamily: FONT_FAMILY,
              x,
              y: y + (i - (lines.length - 1) / 2) * LINE_HEIGHT_PX,
              align: "center" as const,
              verticalAlign: "middle" as const,
              width: width - 8,
              overflow: "truncate" as const,
            },
          })),
        ],
      };
    },
  };
}

/** Splits a grid into grids of at most `fitting` columns, to be drawn below each other. */
function split(grid: Grid, fitting: number): Grid[] {
  const { levels } = grid.columns;
  const parts = Math.ceil(levels.length / fitting);
  const size = Math.ceil(levels.length / parts);
  return Array.from({ length: parts }, (_, i) => ({
    ...grid,
    columns: { name: grid.columns.name, levels: levels.slice(i * size, (i + 1) * size) },
    cells: grid.cells.filter(({ column }) => levels.slice(i * size, (i + 1) * size).includes(column)),
  }));
}

function axes(grids: readonly Grid[], leftPx: number, plotPx: number, view: View) {
  const { theme } = view;
  const axisDefaults = {
    type: "category",
    splitLine: { show: false },
    axisTick: { show: false },
    axisLine: { show: false },
  };
  const label = { color: theme.text, fontSize: FONT_PX, interval: 0, overflow: "break" };
  return {
    xAxis: grids.map(({ columns: { name, levels } }, gridIndex) => ({
      ...xAxis(theme, name),
      ...axisDefaults,
      gridIndex,
      data: levels,
      nameGap: 27,
      axisLabel: { ...label, width: plotPx / levels.length - 6 },
    })) as unknown as XAXisComponentOption[],
    yAxis: grids.map(({ rows: { name, levels } }, gridIndex) => ({
      ...yAxis(theme, name),
      ...axisDefaults,
      gridIndex,
      data: levels,
      inverse: true,
      nameLocation: "start",
      nameTextStyle: { color: theme.muted, fontSize: FONT_PX, align: "right" },
      axisLabel: { ...label, width: leftPx - 12 },
    })) as unknown as YAXisComponentOption[],
  };
}

function plotMatrix(factorGrids: FactorGrids, view: View): Plot {
  const levels = factorGrids.grids.flatMap(({ rows }) => [rows.name, ...rows.levels]);
  const longest = Math.max(...levels.map(({ length }) => length));
  const leftPx = Math.min(LABEL_PX_MAX, longest * CHARACTER_WIDTH_PX + 16, view.widthPx * 0.3);
  const fitting = Math.max(1, Math.floor((view.widthPx - leftPx - 18) / CELL_PX.leastWidth));
  const grids = factorGrids.grids.flatMap((grid) => split(grid, fitting));
  const columns = Math.max(...grids.map((grid) => grid.columns.levels.length));
  const layout = layOut(
    grids.map(gridTitle),
    {
      widthPx: view.widthPx,
      heightsPx: grids.map((grid) => grid.rows.levels.length * CELL_PX.height),
      leastWidthPx: leftPx + 18 + columns * CELL_PX.leastWidth,
      mostColumns: 4,
      leftPx,
      isNamedAbove: true,
      isNamedBelow: true,
    },
    view.theme,
  );
  return {
    kind: "plot",
    heightPx: layout.heightPx,
    legend: [],
    words: gridWords(factorGrids),
    table: () => gridTable(factorGrids, view),
    note:
      "Median over trials, with its 95 % interval, or the [range] of fewer than 5 trials; then the ratio to the baseline, median over blocks without the effect of the trial's position. " +
      `${verdictLegend(boundsOf(view.report.result).equivalence - 1)}. A finding beyond noise is green for the better, red for the worse. Best and worst are by the median.`,
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
      title: layout.titles,
      grid: layout.grids,
      ...axes(grids, leftPx, layout.plotWidthPx, view),
      tooltip: { ...tooltipOptions(view.theme), trigger: "item" },
      series: grids.map((grid, panel) => cellSeries(grid, panel, factorGrids, view)),
    },
  };
}

export const matrix: Chart = {
  id: "matrix",
  title: "Factor by factor",
  lead: "Each pair of levels of two factors. Compare along a row and along a column.",
  controls: gridControls,
  draw: (view) => {
    const factorGrids = gridsOf(view);
    return "kind" in factorGrids ? factorGrids : plotMatrix(factorGrids, view);
  },
};
