// Plain-text tables and terminal marks. Cells are stripped of control characters, so that no name or server message can move the
// cursor; colour is added after alignment and never written to files.

/** Characters of the widest line of a report: it is read in terminals, mails and commit messages. */
export const REPORT_WIDTH_MAX = 120;

export interface TerminalMarks {
  readonly bold: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly dim: (text: string) => string;
}

const unchangedText = (text: string): string => text;
export const plainMarks: TerminalMarks = {
  bold: unchangedText,
  bad: unchangedText,
  good: unchangedText,
  dim: unchangedText,
};

function ansiStyle(on: number, off: number): (text: string) => string {
  return (text) => `\u001b[${on}m${text}\u001b[${off}m`;
}
export const colourMarks: TerminalMarks = {
  bold: ansiStyle(1, 22),
  bad: ansiStyle(31, 39),
  good: ansiStyle(32, 39),
  dim: ansiStyle(2, 22),
};

export function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}

export function shorten(text: string, width: number): string {
  if (text.length <= width) return text;
  const head = Math.ceil((width - 1) / 2);
  const tail = width - 1 - head;
  return `${text.slice(0, head)}…${tail > 0 ? text.slice(-tail) : ""}`;
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let remainingText = text;
  while (remainingText.length > width) {
    const space = remainingText.lastIndexOf(" ", width);
    const end = space > 0 ? space : width;
    lines.push(remainingText.slice(0, end));
    remainingText = remainingText.slice(end).trimStart();
  }
  return [...lines, remainingText];
}

/** Lines of a text of any origin, made printable and wrapped to the width of a report. */
export const paragraph = (text: string): string[] => wrap(printable(text), REPORT_WIDTH_MAX);

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

/** Columns by their titles: first texts, aligned left, then numbers, aligned right, then notes, aligned left. */
export function columnsOf(
  texts: readonly string[],
  numbers: readonly string[] = [],
  notes: readonly string[] = [],
): Column[] {
  const alignedColumns = (titles: readonly string[], align: Column["align"]): Column[] =>
    titles.map((title) => ({ title, align }));
  return [
    ...alignedColumns(texts, "left"),
    ...alignedColumns(numbers, "right"),
    ...alignedColumns(notes, "left"),
  ];
}

/** Lines of a table in the style of dbworkload: two spaces between columns, a rule below the titles. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => columns.map((_, i) => printable(row[i] ?? "")));
  const widths = columns.map(({ title }, i) =>
    Math.max(title.length, ...cells.map((row) => (row[i] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    columns
      .map(({ align }, i) => {
        const cell = row[i] ?? "";
        return align === "left" ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
      })
      .join("  ")
      .trimEnd();
  const titles = line(columns.map((column) => column.title));
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [titles, rule, ...cells.map(line)];
}

/**
 * Rows whose cells in `column` are shortened to the width that is left, at least 16; unchanged if two different cells would
 * become equal.
 */
export function rowsFittedTo(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  column: number,
): string[][] {
  const others = columns.map(({ title }, i) =>
    i === column ? 0 : 2 + Math.max(title.length, ...rows.map((row) => printable(row[i] ?? "").length)),
  );
  const width = Math.max(16, REPORT_WIDTH_MAX - others.reduce((sum, each) => sum + each, 0));
  const shortRows = rows.map((row) =>
    row.map((cell, i) => (i === column ? shorten(printable(cell), width) : cell)),
  );
  const kinds = (of: readonly (readonly string[])[]): number => new Set(of.map((row) => row[column])).size;
  return kinds(shortRows) < kinds(rows) ? rows.map((row) => [...row]) : shortRows;
}

/** Lines of a table of two columns, Parameter and Value; a long value continues on further lines. */
export function renderParameters(parameters: readonly (readonly [name: string, value: string])[]): string[] {
  const nameWidth = Math.max(...parameters.map(([name]) => name.length), "Parameter".length);
  const rows = parameters.flatMap(([name, value]) =>
    wrap(printable(value), REPORT_WIDTH_MAX - nameWidth - 2).map((part, i) => [i === 0 ? name : "", part]),
  );
  return renderTable(columnsOf(["Parameter", "Value"]), rows);
}

/**
 * Lines of a table with bold titles. If it is too wide, it is split into several tables, each of which repeats the first
 * column.
 */
export function renderTableWithinWidth(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  marks: TerminalMarks,
): string[] {
  for (let count = columns.length; count > 1; count--) {
    const pick = <T>(items: readonly T[]): T[] => items.slice(0, count);
    const [titles = "", rule = "", ...lines] = renderTable(pick(columns), rows.map(pick));
    if (Math.max(rule.length, titles.length) > REPORT_WIDTH_MAX && count > 2) continue;
    const rest = <T>(items: readonly T[]): T[] => [...items.slice(0, 1), ...items.slice(count)];
    const more = count < columns.length ? renderTableWithinWidth(rest(columns), rows.map(rest), marks) : [];
    return [marks.bold(titles), rule, ...lines, ...more];
  }
  return [];
}
