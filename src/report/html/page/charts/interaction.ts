// Levels of one factor on x, a line for each level of the other.
import type {
  CustomSeriesOption,
  LineSeriesOption,
  XAXisComponentOption,
  YAXisComponentOption,
} from "echarts";
import { gridFactors, type Grid } from "../../../../analysis/comparison/factor-grid.js";
import { counted } from "../../../../foundation/units.js";
import { html } from "../../html.js";
import type { ReportData } from "../../report-data.js";
import { ratioWithInterval } from "./comparison-words.js";
import { chosenValue, type Chart, type Control, type Plot, type View } from "./drawing.js";
import {
  gridControls,
  gridTable,
  gridTitle,
  gridWords,
  gridsOf,
  spreadOf,
  type FactorGrids,
} from "./grids.js";
import { FONT_FAMILY, FONT_PX, layOut, tooltipOptions, xAxis, yAxis } from "./panels.js";
import { neutralLineStyle, treatmentSymbol, type Dash } from "./theme.js";
import { tickLabel, titleWithUnit, valueText } from "./values.js";
import { operationName, treatmentIn } from "./view.js";
import { whiskerSeries } from "./whiskers.js";

const PLOT_PX = { height: 150, left: 62, least: 220 };
/**
 * Horizontal shift between neighbouring lines, as a share of the distance between two levels, so that their points do not
 * overlap.
 */
const LINE_SHIFT = 0.07;

function xFactorControl({ result }: ReportData): Control {
  const names = gridFactors(result).map(({ name }) => name);
  return { id: "across", label: "Along x", choices: names.map((name) => [name, name] as const) };
}

interface LevelLine {
  readonly level: string;
  readonly colour: string;
  readonly symbol: string;
  readonly dash: Dash;
  readonly points: readonly {
    readonly colour: string;
    readonly x: number;
    readonly median: number;
    readonly spread: readonly [number, number];
  }[];
}

/** Lines of a grid, one for each level of its rows, in neutral colours. Each point has the colour of its treatment. */
function levelLines({ rows, columns, cells }: Grid, view: View): LevelLine[] {
  return rows.levels.map((level, i) => ({
    level,
    ...neutralLineStyle(view.theme, i),
    symbol: treatmentSymbol(i),
    points: columns.levels.flatMap((column, at) => {
      const cell = cells.find((each) => each.row === level && each.column === column);
      const x = at + (i - (rows.levels.length - 1) / 2) * LINE_SHIFT;
      if (!cell) return [];
      const colour = treatmentIn(view, cell.treatment)?.colour ?? view.theme.text;
      return [{ colour, x, median: cell.summary.median, spread: spreadOf(cell) }];
    }),
  }));
}

function seriesOf(grid: Grid, panel: number, { unit }: FactorGrids, view: View) {
  return levelLines(grid, view).flatMap(
    ({ level, colour, symbol, dash, points }): (LineSeriesOption | CustomSeriesOption)[] => [
      {
        type: "line",
        name: level,
        xAxisIndex: panel,
        yAxisIndex: panel,
        color: colour,
        symbol,
        symbolSize: 9,
        showSymbol: true,
        data: points.map((point) => ({
          value: [point.x, point.median],
          itemStyle: { color: point.colour },
        })),
        lineStyle: { width: 2, type: dash },
        tooltip: {
          formatter: ({ dataIndex }: { dataIndex: number }) =>
            html`${level}, ${grid.columns.levels[Math.round(points[dataIndex]?.x ?? 0)]}:
            ${valueText(points[dataIndex]?.median, unit)}`.markup,
        },
      },
      {
        ...whiskerSeries(
          points.map(({ x, spread: [low, high], colour: own }) => ({
            from: [x, low],
            to: [x, high],
            colour: own,
          })),
          panel,
        ),
        // Intervals have the name of their line, so that the legend hides both.
        name: level,
      },
    ],
  );
}

function axes({ grids, unit }: FactorGrids, plotPx: number, { theme }: View) {
  return {
    xAxis: grids.map(({ columns: { name, levels } }, gridIndex) => ({
      ...xAxis(theme, name),
      gridIndex,
      type: "value",
      min: -0.5,
      max: levels.length - 0.5,
      nameGap: 27,
      axisTick: { show: false },
      axisLabel: {
        color: theme.text,
        fontSize: FONT_PX,
        customValues: levels.map((_, i) => i),
        formatter: (value: number) => levels[value] ?? "",
        width: plotPx / levels.length - 6,
        overflow: "break",
      },
    })) as unknown as XAXisComponentOption[],
    yAxis: grids.map((_, gridIndex) => ({
      ...yAxis(theme, ""),
      gridIndex,
      type: "value",
      axisLabel: { color: theme.muted, formatter: (value: number) => tickLabel(value, unit) },
    })) as unknown as YAXisComponentOption[],
  };
}

/** Sentences on the results of the tests of interactions. */
function interactionNote({ grids, metric }: FactorGrids, view: View): string {
  const operations = new Set(grids.map(({ operation }) => operation));
  const testedInteractions = (view.report.result.interactions ?? []).filter(
    (each) => each.metric === metric && operations.has(each.operation) && each.familyP !== null,
  );
  if (testedInteractions.length === 0)
    return "Interactions are not tested with fewer than 5 blocks of trials.";
  const interactionFindings = testedInteractions.filter(({ verdict }) => verdict === "finding");
  const sentences = interactionFindings.map((each) => {
    const { operation, factor, level, baselineLevel, otherFactor, otherLevel, otherBaselineLevel } = each;
    return `${operationName(operation)}: the ratio of ${factor} ${level} to ${baselineLevel} is ${ratioWithInterval(each)} as large with ${otherFactor} ${otherLevel} as with ${otherBaselineLevel}.`;
  });
  return [
    `${interactionFindings.length} of ${counted(testedInteractions.length, "interaction")} tested ${interactionFindings.length === 1 ? "is a finding" : "are findings"}.`,
    ...sentences,
  ].join(" ");
}

function plotInteraction(factorGrids: FactorGrids, view: View): Plot {
  const { grids } = factorGrids;
  const layout = layOut(
    grids.map((grid) => titleWithUnit(gridTitle(grid), factorGrids.unit)),
    {
      widthPx: view.widthPx,
      heightsPx: grids.map(() => PLOT_PX.height),
      leastWidthPx: PLOT_PX.least,
      mostColumns: 5,
      leftPx: PLOT_PX.left,
      isNamedBelow: true,
    },
    view.theme,
  );
  const lines = grids[0] ? levelLines(grids[0], view) : [];
  return {
    kind: "plot",
    heightPx: layout.heightPx,
    legend: lines.map(({ level: name, colour, dash }) => ({ name, colour, dash })),
    words: gridWords(factorGrids),
    table: () => gridTable(factorGrids, view),
    note: `Lines: ${grids[0]?.rows.name ?? ""}. Points: treatments in their colours; medians, with 95 % intervals, or ranges of fewer than 5 trials, as whiskers. ${interactionNote(factorGrids, view)}`,
    option: {
      textStyle: { fontFamily: FONT_FAMILY },
      title: layout.titles,
      grid: layout.grids,
      ...axes(factorGrids, layout.plotWidthPx, view),
      tooltip: { ...tooltipOptions(view.theme), trigger: "item" },
      series: grids.flatMap((grid, panel) => seriesOf(grid, panel, factorGrids, view)),
    },
  };
}

export const interaction: Chart = {
  id: "interaction",
  title: "Interaction of factors",
  lead: "Parallel lines: a factor does the same at each level of the other. Lines that cross or spread: read the treatments one by one.",
  controls: (report) => [
    ...gridControls(report),
    ...(gridFactors(report.result).length < 2 ? [] : [xFactorControl(report)]),
  ],
  draw: (view) => {
    const factorGrids = gridsOf(view, chosenValue(view, xFactorControl(view.report)));
    return "kind" in factorGrids ? factorGrids : plotInteraction(factorGrids, view);
  },
};
