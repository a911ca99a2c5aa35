// Texts of `pg_stat_statements` and of the workload in one form, without constants; from version 18 on without schemas.
import type { Statement } from "../sql.js";

function withoutConstants(text: string): string {
  return text
    .replace(/^PREPARE \w+ AS /, "") // the text that a server keeps if SQL prepared it first
    .replace(/\/\*.*?\*\//gs, " ") // PostgreSQL 18 writes a list of constants as a constant and a comment
    .replace(/--[^\n]*/g, " ")
    .replace(/'(?:[^']|'')*'/g, "?")
    .replace(/\$\d+/g, "?")
    .replace(/\b(?:\d+(?:\.\d+)?|true|false|null)\b/gi, "?")
    .replace(/\s+/g, " ")
    .replace(/\?(?: ?, ?\?)+/g, "?")
    .replace(/ ?\( ?\? ?\) ?/g, " ? ") // a negative number in a text has parentheses
    .replace(/ ?([(),]) ?/g, "$1")
    .trim();
}

/** First major version whose query ids depend on the names of tables without their schemas. */
const SCHEMALESS_QUERY_ID_VERSION = 18;

const withoutSchemas = (text: string): string => text.replace(/"(?:[^"]|"")*"\./g, "");

/**
 * Returns a function that finds the statement's name for a text that the server counted; the function returns undefined for
 * foreign statements.
 */
export function statementNamer(
  statements: readonly Statement[],
  serverVersion: number,
): (query: string) => string | undefined {
  const comparableForm = (text: string): string =>
    withoutConstants(serverVersion >= SCHEMALESS_QUERY_ID_VERSION ? withoutSchemas(text) : text);
  const names = new Map(statements.map(({ name, text }) => [comparableForm(text), name]));
  return (query) => names.get(comparableForm(query));
}
