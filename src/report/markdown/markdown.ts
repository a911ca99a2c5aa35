// Markdown as GitHub and GitLab render it. Names from a scenario or a result are text, never markup.
import { printable } from "../../foundation/text/text-table.js";

/** The text with everything that Markdown or HTML would read as markup escaped. */
export function plain(text: string): string {
  return printable(text)
    .replace(/[\\`*_~|[\]#]/g, "\\$&")
    .replaceAll("<", "&lt;");
}

export function bullets(texts: readonly string[]): string[] {
  return texts.map((text) => `- ${plain(text)}`);
}

/** A table whose first `textColumns` columns are aligned left, the others right. */
export function markdownTable(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns: number,
): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(titles.map(plain)),
    line(titles.map((_, column) => (column < textColumns ? "---" : "---:"))),
    ...rows.map((row) => line(row.map(plain))),
  ];
}

/** A section that is folded until a reader opens it; empty without lines. */
export function folded(title: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : ["", `<details><summary>${plain(title)}</summary>`, "", ...lines, "", "</details>"];
}
