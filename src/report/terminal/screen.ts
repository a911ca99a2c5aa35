import { counted } from "../../foundation/units.js";
import {
  REPORT_WIDTH_MAX,
  colourMarks,
  plainMarks,
  printable,
  wrap,
  paragraph,
  columnsOf,
  renderTable,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import { VERDICT_MARK_WIDTH } from "../../metrics/names.js";
import { REPORT_FILE, SUMMARY_FILE } from "../../results/directory.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { ensureAnalysis } from "../../analysis/comparison/analysis.js";
import { alarmFindings, answerFindings, type KeyFinding } from "../findings/key-findings.js";
import { caveatsOf, verdictSentence } from "../findings/first-sentences.js";
import { resultTable } from "../findings/result-table.js";

/**
 * Largest numbers of lines: for the reasons of an alarm; for alarms, answers and caveats together; for caveats; for rows of
 * the table. Omitted items are counted.
 */
const ALARM_REASON_LINES_MAX = 4;
const FINDING_LINES_MAX = 18;
const CAVEAT_LINES_MAX = 6;
const RESULT_ROWS_MAX = 24;

export interface SummaryOptions {
  /** Directory of the results, which the last line names. */
  readonly directory: string;
  readonly colour?: boolean;
  /** False if the report could not be written, so that the screen does not name it. */
  readonly hasReport?: boolean;
}

/** Lines of the first items that fit into `linesMax`, at least of one item, and then the number of omitted items. */
function fittingLines(items: readonly (readonly string[])[], linesMax: number, rest: string): string[] {
  const visible: string[] = [];
  for (const [i, lines] of items.entries()) {
    const isLast = i === items.length - 1;
    if (i > 0 && visible.length + lines.length + (isLast ? 0 : 1) > linesMax)
      return [...visible, `- and ${items.length - i} more ${rest}`];
    visible.push(...lines);
  }
  return visible;
}

function bullet(text: string, mark = (line: string): string => line): string[] {
  return wrap(printable(text), REPORT_WIDTH_MAX - 2).map((line, i) =>
    mark(`${i === 0 ? "- " : "  "}${line}`),
  );
}

/** Lines of a finding and of its strongest reason. */
function findingLines(
  { text, because: [reason] }: KeyFinding,
  mark: TerminalMarks["bold"] | undefined,
): string[] {
  const lines = mark ? paragraph(text).map(mark) : bullet(text);
  const why = reason === undefined ? [] : wrap(printable(`why: ${reason}`), REPORT_WIDTH_MAX - 4);
  return [...lines, ...why.map((line) => `    ${line}`)];
}

function alarmLines(result: ResultDocument, marks: TerminalMarks, rest: string): string[] {
  return alarmFindings(result).flatMap(({ text, because }) => [
    ...paragraph(text).map(marks.bad),
    ...fittingLines(
      because.map((reason) => bullet(reason, marks.bad)),
      ALARM_REASON_LINES_MAX,
      rest,
    ),
  ]);
}

function tableLines(result: ResultDocument, marks: TerminalMarks, rest: string): string[] {
  const { metricTitles, rows, legend } = resultTable(result);
  if (rows.length === 0) return ["Nothing was measured."];
  const columns = columnsOf(["operation", "treatment"], [...metricTitles.map(padForMark), "failed"]);
  const visible = rows
    .slice(0, RESULT_ROWS_MAX)
    .map(({ operation, treatment, cells, failed }) => [
      operation,
      treatment,
      ...cells.map(padForMark),
      String(failed),
    ]);
  const [titles = "", ...lines] = renderTable(columns, visible);
  const more = rows.length - visible.length;
  return [
    marks.bold(titles),
    ...lines,
    ...(more > 0 ? [`and ${counted(more, "row")} more ${rest}`] : []),
    ...paragraph(legend).filter((line) => line !== ""),
  ];
}

/** Pads a cell so that values align whether or not a mark follows them. */
function padForMark(cell: string): string {
  const [mark = ""] = / [*+~?]!?$/.exec(cell) ?? [];
  return cell + " ".repeat(VERDICT_MARK_WIDTH + 1 - mark.length);
}

/** The first screen: at most 40 lines with three treatments and three operations. `rest` says where omitted items are. */
export function screenLines(result: ResultDocument, marks: TerminalMarks, rest: string): string[] {
  const alarms = alarmLines(result, marks, rest);
  const free = FINDING_LINES_MAX - alarms.length;
  const answerLines = fittingLines(
    answerFindings(result).map((answer, i) => findingLines(answer, i === 0 ? marks.bold : undefined)),
    Math.max(3, Math.ceil((free * 2) / 3)),
    rest,
  );
  const limits = fittingLines(
    caveatsOf(result).map((text) => bullet(text)),
    Math.min(CAVEAT_LINES_MAX, Math.max(2, free - answerLines.length)),
    rest,
  );
  return [
    ...alarms,
    ...answerLines,
    ...paragraph(verdictSentence(result)),
    "",
    ...tableLines(result, marks, rest),
    "",
    ...(limits.length > 0 ? [marks.bold("Caveats"), ...limits, ""] : []),
  ];
}

export function renderScreen(
  stored: ResultDocument,
  { directory, colour = false, hasReport = true }: SummaryOptions,
): string {
  const lines = screenLines(ensureAnalysis(stored), colour ? colourMarks : plainMarks, `in ${SUMMARY_FILE}`);
  const chartsHint = hasReport ? `, charts: ${REPORT_FILE}` : "";
  const files = `Details: ${SUMMARY_FILE}${chartsHint}, in ${printable(directory)}`;
  return [...lines, files, ""].join("\n");
}
