// Thresholds as the summary shows them, first of all: a tick or a cross, the condition, the treatment, what was seen.
// It judges nothing: that was done when the experiment ended, and is stored.
import type { ResultDocument } from "../results/result-schema.js";
import { printable, renderTable, type Column, type Marks } from "./text-table.js";

const COLUMNS: readonly Column[] = [
  { title: "", align: "left" },
  { title: "threshold", align: "left" },
  { title: "treatment", align: "left" },
  { title: "seen", align: "right" },
  { title: "note", align: "left" },
];

const HEADING_LINES = 2;

/** Four significant digits, and whole numbers in full. */
export function seenText(seen: number | null): string {
  if (seen === null) return "-";
  return Number.isInteger(seen) ? String(seen) : String(Number(seen.toPrecision(4)));
}

/** Empty without thresholds; else ends with an empty line. */
export function renderThresholds({ thresholds = [] }: ResultDocument, marks: Marks): string[] {
  if (thresholds.length === 0) return [];
  const failed = thresholds.filter(({ ok }) => !ok).length;
  const rows = thresholds.map(({ metric, expression, treatment, seen, ok, reason = "" }) => [
    ok ? "✓" : "✗",
    printable(`${metric} ${expression}`),
    printable(treatment),
    seenText(seen),
    printable(reason),
  ]);
  const hasNotes = thresholds.some(({ reason }) => reason !== undefined);
  const lines = renderTable(hasNotes ? COLUMNS : COLUMNS.slice(0, -1), rows);
  const marked = lines.map((line, i) => {
    const threshold = thresholds[i - HEADING_LINES];
    if (!threshold) return line;
    return threshold.ok ? marks.good(line) : marks.bad(line);
  });
  const heading =
    failed === 0 ? "Thresholds: all hold" : `Thresholds: ${failed} of ${thresholds.length} FAILED`;
  return [marks.bold(heading), ...marked, ""];
}
