import type { ResultDocument } from "../../results/result-schema.js";
import { fitted, printable, renderTable, type Column, type Marks } from "../../foundation/text/text-table.js";
import { judgedText, noteOf, outcomeOf, seenOf, thresholdHeading } from "../findings/threshold-text.js";
import { labelsOf } from "../findings/treatment-labels.js";

const COLUMNS: readonly Column[] = [
  { title: "", align: "left" },
  { title: "threshold", align: "left" },
  { title: "treatment", align: "left" },
  { title: "seen", align: "right" },
  { title: "note", align: "left" },
];

const CONDITION = 1;
const HEADING_LINES = 2;

/** Empty without thresholds; else ends with an empty line. */
export function renderThresholds({ thresholds = [], treatments }: ResultDocument, marks: Marks): string[] {
  if (thresholds.length === 0) return [];
  const labels = labelsOf(treatments);
  const names = new Map(treatments.map(({ id }, i) => [id, labels[i] ?? id]));
  const rows = thresholds.map((threshold) => [
    outcomeOf(threshold).mark,
    printable(`${threshold.metric} ${threshold.expression}`),
    printable(judgedText(threshold, (id) => names.get(id) ?? id)),
    seenOf(threshold),
    printable(noteOf(threshold)),
  ]);
  const hasNotes = thresholds.some((threshold) => noteOf(threshold) !== "");
  const columns = hasNotes ? COLUMNS : COLUMNS.slice(0, -1);
  const lines = renderTable(columns, fitted(columns, rows, CONDITION));
  const marked = lines.map((line, i) => {
    const threshold = thresholds[i - HEADING_LINES];
    if (!threshold) return line;
    return threshold.ok ? marks.good(line) : marks.bad(line);
  });
  return [marks.bold(thresholdHeading(thresholds)), ...marked, ""];
}
