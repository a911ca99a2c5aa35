// A grid for each pair of factors and each combination of levels of the others. Pure: a page in the browser uses this file, too.
import type { ComparisonMetric } from "../../metrics/metric-lists.js";
import { isLargerBetter } from "../../metrics/metric-lists.js";
import type {
  Comparison,
  MetricSummary,
  ResultDocument,
  TreatmentResult,
} from "../../results/result-schema.js";
import { varyingFactors, type Factor } from "./factors.js";

export interface GridCell {
  readonly treatment: string;
  readonly row: string;
  readonly column: string;
  readonly summary: MetricSummary;
  /** Comparison with the baseline; undefined for the baseline itself, and for a treatment that shares no block with it. */
  readonly comparison: Comparison | undefined;
  readonly isBaseline: boolean;
  /** Rank of the median among the cells of all grids of the operation; undefined if all medians are alike. */
  readonly rank: "best" | "worst" | undefined;
}

export interface Grid {
  /** Levels of the factors that are neither rows nor columns, such as `locking=skip-locked`; empty if there are none. */
  readonly title: string;
  readonly operation: string;
  readonly rows: Factor;
  readonly columns: Factor;
  readonly cells: readonly GridCell[];
}

export interface GridQuestion {
  readonly operation: string;
  readonly metric: ComparisonMetric;
  /** Factor whose levels are columns; if undefined, the factor with the fewest levels. */
  readonly across?: string;
  /** True for a treatment that has a cell in the grid. */
  readonly isShown: (treatment: string) => boolean;
}

function distinctTreatments({ treatments }: ResultDocument): TreatmentResult[] {
  return treatments.filter(({ sameAs }) => sameAs === undefined);
}

export function gridFactors(result: ResultDocument): Factor[] {
  return varyingFactors(distinctTreatments(result));
}

function axesOf(
  factors: readonly Factor[],
  columnFactor: string | undefined,
): [rows: Factor, columns: Factor] | undefined {
  const factorWithFewestLevels = factors.slice(0, 2).sort((a, b) => a.levels.length - b.levels.length)[0];
  const columns = factors.find(({ name }) => name === columnFactor) ?? factorWithFewestLevels;
  const rows = factors.find((factor) => factor !== columns);
  return columns && rows && [rows, columns];
}

function rankedCells(cells: readonly Omit<GridCell, "rank">[], metric: ComparisonMetric): GridCell[] {
  const medians = cells.map(({ summary }) => summary.median);
  const [least, most] = [Math.min(...medians), Math.max(...medians)];
  const bestMedian = isLargerBetter(metric) ? most : least;
  return cells.map((cell) => {
    const isExtreme = least < most && (cell.summary.median === least || cell.summary.median === most);
    return { ...cell, rank: isExtreme ? (cell.summary.median === bestMedian ? "best" : "worst") : undefined };
  });
}

/** Grids of an operation; empty if fewer than two factors vary. A treatment without measurements has no cell. */
export function factorGrids(result: ResultDocument, question: GridQuestion): Grid[] {
  const { operation, metric, across, isShown } = question;
  const factors = gridFactors(result);
  const axes = axesOf(factors, across);
  if (!axes) return [];
  const [rows, columns] = axes;
  const others = factors.filter((factor) => factor !== rows && factor !== columns);
  const baseline = result.treatments[0]?.id;
  const titles = new Map<string, string>();
  const cells = distinctTreatments(result).flatMap(({ id, levels, summary }) => {
    const metricSummary = summary?.find((each) => each.operation === operation && each.metric === metric);
    if (!metricSummary || !isShown(id)) return [];
    titles.set(id, others.map(({ name }) => `${name}=${levels[name] ?? ""}`).join(", "));
    const comparison = result.comparisons.find(
      (each) =>
        each.operation === operation &&
        each.metric === metric &&
        each.baseline === baseline &&
        each.treatment === id,
    );
    const cellPosition = { row: levels[rows.name] ?? "", column: levels[columns.name] ?? "" };
    return [
      { treatment: id, ...cellPosition, summary: metricSummary, comparison, isBaseline: id === baseline },
    ];
  });
  const withUsedLevels = (factor: Factor, of: (cell: (typeof cells)[number]) => string): Factor => ({
    name: factor.name,
    levels: factor.levels.filter((level) => cells.some((cell) => of(cell) === level)),
  });
  const [shownRows, shownColumns] = [
    withUsedLevels(rows, ({ row }) => row),
    withUsedLevels(columns, ({ column }) => column),
  ];
  const allCells = rankedCells(cells, metric);
  return [...new Set(titles.values())].map((title) => ({
    title,
    operation,
    rows: shownRows,
    columns: shownColumns,
    cells: allCells.filter(({ treatment }) => titles.get(treatment) === title),
  }));
}
