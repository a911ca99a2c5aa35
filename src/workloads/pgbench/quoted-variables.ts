// Variables of a script within quoted texts. pgbench replaces every `:name`, quoted or not.
import type { SqlStep, SqlText } from "../script/program.js";
import { joinSqlTexts, tokensOf } from "../script/sql-text.js";

export type QuotedSql = SqlText & Pick<SqlStep, "quoted">;

/** Pattern of a variable in a quoted text, where pgbench replaces it, too. */
const VARIABLE_IN_QUOTES = /(?<!:):([A-Za-z_]\w*)/;
/** Number of characters of a quoted text that a message shows. */
const NAMED_MAX = 20;

/**
 * Splits a statement at the known variables within its quotes. `misplaced` lists variables that are neither a value nor a
 * part of '...'. The body of a DO takes values in this way only.
 */
export function splitAtQuotedVariables(
  { pieces, variables, place }: SqlText,
  isDoStatement: boolean,
  isKnown: (name: string) => boolean,
): { readonly sql: QuotedSql; readonly misplaced: readonly string[] } {
  const all = [""];
  const names: string[] = [];
  const quoted: number[] = [];
  const misplaced: string[] = [];
  const append = (text: string): void => void all.push(`${all.pop() ?? ""}${text}`);
  const appendVariable = (name: string): void => {
    names.push(name);
    all.push("");
  };
  const appendQuoted = (text: string): void => {
    const isDoBody = isDoStatement && text.startsWith("$");
    for (const [at, part] of text.split(VARIABLE_IN_QUOTES).entries())
      if (at % 2 === 0) append(part);
      else if (!isKnown(part)) append(`:${part}`);
      else {
        if (!isDoBody && !text.startsWith("'"))
          misplaced.push(
            `:${part} within ${text.slice(0, NAMED_MAX)}; a variable is a value, or a part of '...'`,
          );
        if (!isDoBody) quoted.push(names.length);
        appendVariable(part);
      }
  };
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) appendVariable(variables[i - 1] ?? "");
    for (const { kind, text } of tokensOf(piece)) (kind === "quoted" ? appendQuoted : append)(text);
  }
  const sql = { pieces: all, variables: names, place, ...(quoted.length > 0 && { quoted }) };
  return { sql, misplaced };
}

/** Joins several statements into one message. */
export function joinQuotedSql(texts: readonly QuotedSql[]): QuotedSql {
  let before = 0;
  const quoted = texts.flatMap(({ variables, quoted: own = [] }) => {
    const first = before;
    before += variables.length;
    return own.map((position) => position + first);
  });
  return { ...joinSqlTexts(texts, "; "), ...(quoted.length > 0 && { quoted }) };
}
