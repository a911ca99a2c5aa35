// The reader's choices, the grids that charts draw from them, and these grids as a table and in words.
import { intervalText, rangeText } from "../../../../foundation/text/numbers.js";
import {
  factorGrids,
  gridFactors,
  type Grid,
  type GridCell,
} from "../../../../analysis/comparison/factor-grid.js";
import {
  HEADLINE_METRICS,
  isLargerBetter,
  labelOf,
  metricNamed,
  type ComparisonMetric,
} from "../../../../metrics/metric-lists.js";
import { operationsIn } from "../../../../metrics/operations.js";
import type { ReportData } from "../../report-data.js";
import { ratioWithInterval, verdictWords } from "./comparison-words.js";
import {
  chosenValue,
  nothingToPlot,
  type ChartTable,
  type Control,
  type NothingToPlot,
  type View,
} from "./drawing.js";
import { valueText, type Unit } from "./values.js";
import { operationName, treatmentNamed, workOf } from "./view.js";

const METRICS = HEADLINE_METRICS.toSorted((a, b) => Number(isLargerBetter(b)) - Number(isLargerBetter(a)));

function metricControl(report: ReportData): Control {
  const choices = METRICS.map((id) => [id, labelOf(id, workOf(report))] as const);
  return { id: "metric", label: "Metric", choices };
}

function operationControl({ result }: ReportData): Control {
  const summaries = result.treatments.flatMap(({ summary = [] }) => summary);
  const measuredOperations = operationsIn(summaries.map(({ operation }) => ({ [operation]: true })));
  return {
    id: "operation",
    label: "Operation",
    choices: [
      ["shown", "all that are shown"],
      ...measuredOperations.map((each) => [each, operationName(each)] as const),
    ],
  };
}

export function gridControls(report: ReportData): Control[] {
  return gridFactors(report.result).length < 2 ? [] : [metricControl(report), operationControl(report)];
}

export interface FactorGrids {
  readonly metric: ComparisonMetric;
  readonly label: string;
  readonly unit: Unit;
  readonly grids: readonly Grid[];
}

export function gridsOf(view: View, across?: string): FactorGrids | NothingToPlot {
  if (gridFactors(view.report.result).length < 2)
    return nothingToPlot("There is nothing to draw: fewer than two factors vary.");
  const metric = chosenValue(view, metricControl(view.report)) as ComparisonMetric;
  const operation = chosenValue(view, operationControl(view.report));
  const isShown = (id: string): boolean => view.treatments.some((treatment) => treatment.id === id);
  const grids = (operation === "shown" ? view.operations : [operation]).flatMap((each) =>
    factorGrids(view.report.result, {
      operation: each,
      metric,
      isShown,
      ...(across !== undefined && { across }),
    }),
  );
  if (grids.length === 0)
    return nothingToPlot(
      `There is nothing to draw: no complete trial of what is shown has ${labelOf(metric, workOf(view.report))}.`,
    );
  const work = workOf(
    view.report,
    grids.map((grid) => grid.operation),
  );
  const label = labelOf(metric, work);
  return { metric, label, unit: metricNamed(metric).unit === "ms" ? "ms" : `${work}/s`, grids };
}

export function gridTitle({ operation, title }: Grid): string {
  return [operationName(operation), ...(title === "" ? [] : [title])].join(", ");
}

/** Text of a cell's interval `[a, b]`, or of its range `a..b` if there are too few trials; empty for a single trial. */
export function spreadText({ summary: { ciLow, ciHigh, min, max, trials } }: GridCell, unit: Unit): string {
  const write = (value: number): string => valueText(value, unit);
  if (ciLow !== null && ciHigh !== null) return intervalText(ciLow, ciHigh, write);
  return trials > 1 ? rangeText(min, max, write) : "";
}

/** Ends of the interval or range that `spreadText` states. */
export function spreadOf({ summary: { ciLow, ciHigh, min, max } }: GridCell): readonly [number, number] {
  return [ciLow ?? min, ciHigh ?? max];
}

function ratioText({ comparison, isBaseline }: GridCell): string {
  if (isBaseline) return "baseline";
  return comparison ? ratioWithInterval(comparison) : "-";
}

export function gridTable({ grids, label, unit }: FactorGrids, view: View): ChartTable {
  return {
    caption: `${label} by levels of two factors, and the ratio to the baseline, with 95 % intervals`,
    columns: [
      "treatment",
      "operation",
      "row",
      "column",
      "median",
      "interval or [range]",
      "ratio (interval)",
      "verdict",
      "rank",
    ],
    rows: grids.flatMap((grid) =>
      grid.cells.map((cell) => [
        treatmentNamed(view, cell.treatment),
        gridTitle(grid),
        `${grid.rows.name}=${cell.row}`,
        `${grid.columns.name}=${cell.column}`,
        valueText(cell.summary.median, unit),
        spreadText(cell, unit) || "-",
        ratioText(cell),
        cell.comparison ? verdictWords(cell.comparison, view) : "-",
        cell.rank ?? "-",
      ]),
    ),
  };
}

export function gridWords({ grids, label, unit }: FactorGrids): string {
  const sentences = grids.map((grid) => {
    const cells = grid.cells.map((cell) => {
      const rank = cell.rank ? `, ${cell.rank}` : "";
      return `${cell.row} with ${cell.column} ${valueText(cell.summary.median, unit)} (${ratioText(cell)}${rank})`;
    });
    return `${gridTitle(grid)}: ${cells.join("; ")}.`;
  });
  return [`${label} by ${grids[0]?.rows.name ?? ""} and ${grids[0]?.columns.name ?? ""}.`, ...sentences].join(
    " ",
  );
}
