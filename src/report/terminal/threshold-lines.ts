// The table of thresholds in the summary: a tick or a cross, the condition, the treatment, what was seen.
// It judges nothing: that was done when the experiment ended, and is stored.
import type { ResultDocument, ThresholdResult } from "../../results/result-schema.js";
import { intervalText, seenText } from "../../foundation/text/numbers.js";
import { fitted, printable, renderTable, type Column, type Marks } from "../../foundation/text/text-table.js";
import { labelsOf } from "./treatment-labels.js";

const COLUMNS: readonly Column[] = [
  { title: "", align: "left" },
  { title: "threshold", align: "left" },
  { title: "treatment", align: "left" },
  { title: "seen", align: "right" },
  { title: "note", align: "left" },
];

const CONDITION = 1;
const HEADING_LINES = 2;

/** The treatment, of a ratio both. */
export function judgedText(
  { treatment, against }: ThresholdResult,
  nameOf = (id: string): string => id,
): string {
  return [treatment, ...(against === undefined ? [] : [against])].map(nameOf).join(" / ");
}

/** `499.97`, of a ratio `1.31 (1.22-1.40)` with its interval. */
export function seenOf({ seen, expression, ciLow = null, ciHigh = null }: ThresholdResult): string {
  const interval = intervalText(ciLow, ciHigh);
  return `${seenText(seen, expression)}${interval === "" ? "" : ` (${interval})`}`;
}

/** Empty without thresholds; else ends with an empty line. */
export function renderThresholds({ thresholds = [], treatments }: ResultDocument, marks: Marks): string[] {
  if (thresholds.length === 0) return [];
  const labels = labelsOf(treatments);
  const names = new Map(treatments.map(({ id }, i) => [id, labels[i] ?? id]));
  const failed = thresholds.filter(({ ok }) => !ok).length;
  const rows = thresholds.map((threshold) => [
    threshold.ok ? "✓" : "✗",
    printable(`${threshold.metric} ${threshold.expression}`),
    printable(judgedText(threshold, (id) => names.get(id) ?? id)),
    seenOf(threshold),
    printable(threshold.reason ?? ""),
  ]);
  const hasNotes = thresholds.some(({ reason }) => reason !== undefined);
  const columns = hasNotes ? COLUMNS : COLUMNS.slice(0, -1);
  const lines = renderTable(columns, fitted(columns, rows, CONDITION));
  const marked = lines.map((line, i) => {
    const threshold = thresholds[i - HEADING_LINES];
    if (!threshold) return line;
    return threshold.ok ? marks.good(line) : marks.bad(line);
  });
  const heading =
    failed === 0 ? "Thresholds: all hold" : `Thresholds: ${failed} of ${thresholds.length} FAILED`;
  return [marks.bold(heading), ...marked, ""];
}
