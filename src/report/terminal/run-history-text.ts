import type { HistoryChange, HistoryDocument } from "../../analysis/history/run-history.js";
import {
  plainMarks,
  printable,
  shorten,
  paragraph,
  columnsOf,
  renderTable,
  type TerminalMarks,
} from "../../foundation/text/text-table.js";
import {
  changeCells,
  changeHeading,
  CHANGE_NUMBER_TITLES,
  changeSurroundings,
  CHANGE_TEXT_TITLES,
  historyConclusions,
  historyHeading,
  historyNotes,
} from "../findings/history-text.js";

const LABEL_WIDTH_MAX = 32;
const CHANGE_COLUMNS = columnsOf(CHANGE_TEXT_TITLES, CHANGE_NUMBER_TITLES, [""]);

function changeLines(change: HistoryChange, marks: TerminalMarks): string[] {
  const rows = change.metrics.map((metric) => {
    const [treatment, ...cells] = changeCells(metric);
    return [shorten(treatment, LABEL_WIDTH_MAX), ...cells];
  });
  const [titles = "", rule = "", ...lines] = renderTable(CHANGE_COLUMNS, rows);
  return [
    marks.bold(printable(changeHeading(change))),
    ...changeSurroundings(change).flatMap((words) => paragraph(words).map(marks.dim)),
    titles,
    rule,
    ...lines.map((line) => (line.includes("WORSE") ? marks.bad(line) : line)),
    "",
  ];
}

/** Text of a history of runs, with a line break at its end; without colours unless marks are given. */
export function renderHistory(document: HistoryDocument, marks: TerminalMarks = plainMarks): string {
  const lines = [
    marks.bold(historyHeading(document)),
    ...historyNotes(document).flatMap((words) => paragraph(words).map(marks.bad)),
    "",
    ...document.changes.flatMap((change) => changeLines(change, marks)),
    ...historyConclusions(document).flatMap(({ words, items }) =>
      [words, ...items.map((item) => `- ${item}`)].flatMap(paragraph),
    ),
  ];
  return `${lines.join("\n")}\n`;
}
