// Reads the values of directives: names and assignments.

import type { Binding } from "../script/program.js";

const NAME_LENGTH_MAX = 63;
/** Pattern of `or end`, after the columns of `returning` or alone. */
const OR_END = /(?:^|,)\s*or\s+end$/i;
/** Pattern of a workload's name. */
export const WORKLOAD_NAME_PATTERN = /^[A-Za-z][\w-]{0,62}$/;

/** Value of `setting: name = value`, with the type that the same text has in a scenario. */
export function scalarOf(text: string): number | string | boolean {
  if (/^(true|false)$/.test(text)) return text === "true";
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  return /^(['"])(.*)\1$/s.exec(text)?.[2] ?? text;
}

/** Name and value of `name = value`; undefined if the text has another form. */
export function assignmentOf(
  value: string,
): { readonly name: string; readonly text: string; readonly at: number } | undefined {
  const match = /^([A-Za-z_]\w*)(\s*=\s*)(.+)$/s.exec(value);
  return match
    ? { name: match[1] ?? "", text: match[3] ?? "", at: (match[1] ?? "").length + (match[2] ?? "").length }
    : undefined;
}

/** Bindings of `column as name, ...`, `or end`, or both; undefined if the text has another form. */
export function parseReturning(
  value: string,
):
  | { readonly bindings: readonly (Binding & { readonly column: string })[]; readonly orEnd: boolean }
  | undefined {
  const columns = value.replace(OR_END, "");
  const matches = (columns === "" ? [] : columns.split(",")).map((part) =>
    /^\s*([A-Za-z_]\w*|"[^"]+")(?:\s+as\s+([A-Za-z_]\w*))?\s*$/i.exec(part),
  );
  if (matches.includes(null)) return undefined;
  const bindings = matches.map((match) => {
    const column = (match?.[1] ?? "").replaceAll('"', "");
    return { column, variable: match?.[2] ?? column };
  });
  return { bindings, orEnd: columns !== value };
}

/** Name of a workload, made from the name of its file. */
export function workloadNameFromFile(file: string): string {
  const base = file.replace(/^.*[/\\]/, "").replace(/\.sql$/i, "");
  const name = base.replace(/[^\w-]+/g, "-").replace(/^[^A-Za-z]+/, "");
  return name.slice(0, NAME_LENGTH_MAX) || "own";
}
