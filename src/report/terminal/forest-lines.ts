import {
  REPORT_WIDTH_MAX,
  printable,
  columnsOf,
  renderTable,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { forestOf, positionOnAxis, type ForestRow, type RatioAxis } from "../findings/forest.js";
import { labelsOf } from "../findings/treatment-labels.js";

/** Smallest width of the plot in columns: a narrower plot shows too little. */
const PLOT_WIDTH_MIN = 24;
const PLOT_WIDTH_MAX = 48;

function plotOf({ comparison, spread }: ForestRow, axis: RatioAxis, width: number): string {
  const column = (ratio: number): number => Math.round(positionOnAxis(axis, ratio) * (width - 1));
  const cells = Array.from({ length: width }, () => " ");
  cells[column(1)] = "|";
  if (spread) cells.fill("-", column(spread[0]), column(spread[1]) + 1);
  cells[column(comparison.ratio)] = "o";
  return cells.join("");
}

/** Ticks centred over their columns; a tick that would touch the one before is omitted. */
function axisLine(axis: RatioAxis, width: number): string {
  return axis.ticks.reduce((line, tick) => {
    const text = `${tick}x`;
    const start = Math.round(positionOnAxis(axis, tick) * (width - 1)) - Math.floor(text.length / 2);
    return start > line.length || line === "" ? line.padEnd(Math.max(0, start)) + text : line;
  }, "");
}

/** Lines of the forest plot; empty if nothing was compared, or if the names leave too little width. */
export function renderForest(result: ResultDocument, marks: TerminalMarks): string[] {
  const forest = forestOf(result);
  if (!forest) return [];
  const { rows, axis, omittedCount } = forest;
  const labels = labelsOf(result.treatments);
  const labelOf = (id: string): string =>
    labels[result.treatments.findIndex((treatment) => treatment.id === id)] ?? id;
  const cells = rows.map(({ comparison, name, text, mark }) => [
    printable(name),
    `${labelOf(comparison.treatment)} / ${labelOf(comparison.baseline)}`,
    `${text} ${mark}`,
  ]);
  const columns = columnsOf(["metric", "treatments"], ["ratio"]);
  const tableWidth = Math.max(...renderTable(columns, cells).map(({ length }) => length));
  const width = Math.min(PLOT_WIDTH_MAX, REPORT_WIDTH_MAX - tableWidth - 2);
  if (width < PLOT_WIDTH_MIN) return [];
  const [titles = "", ...lines] = renderTable(
    [...columns, ...columnsOf([axisLine(axis, width)])],
    rows.map((row, i) => [...(cells[i] ?? []), plotOf(row, axis, width)]),
  );
  return [
    marks.bold(titles),
    ...lines,
    ...(omittedCount > 0 ? [`and ${omittedCount} more headline comparisons below`] : []),
    "",
  ];
}
