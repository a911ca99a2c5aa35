// Cuts a statement at its parameters, and writes it again.
import { tokensOf } from "../workloads/own.js";
import type { Catalogue } from "./catalogue.js";

/** A gap in the statement: `$1`, or a constant in a log. */
export interface Slot {
  /** Number of `$n`; undefined for a constant. */
  readonly number: number | undefined;
  /** The constant as written; undefined for `$n`. */
  readonly constant: string | undefined;
}

export interface Statement {
  /** Text between the slots. */
  readonly pieces: readonly string[];
  readonly slots: readonly Slot[];
  /** The statement's name in a comment of sqlc: `-- name: GetUser :one`. */
  readonly name: string | undefined;
}

const TYPES_WITH_NUMBERS =
  /^(varchar|char|character|varying|numeric|decimal|bit|float|timestamp|timestamptz|time|timetz|interval)$/i;
/** Types that may stand before a text constant: `DATE '2026-01-01'`. */
export const TYPES_BEFORE_CONSTANT = /^(interval|date|time|timestamp|timestamptz)$/i;
const SQLC_NAME = /^--\s*name:\s*([A-Za-z][\w-]{0,62})\s*:\w+/m;
const SPACE_MARK = " ";

/** Cuts a statement at `$n`. @param cutsConstants true for a log, whose constants are cut as well */
export function readStatement(text: string, cutsConstants = false): Statement {
  const tokens = tokensOf(text.replace(/;\s*$/, ""));
  const pieces = [""];
  const slots: Slot[] = [];
  const add = (part: string): void => {
    pieces[pieces.length - 1] = (pieces.at(-1) ?? "") + part;
  };
  const cut = (slot: Slot): void => {
    slots.push(slot);
    pieces.push("");
  };
  let isAfterOrder = false;
  let isInType = false;
  const words: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text: part } = tokens[i] as { kind: string; text: string };
    const next = tokens[i + 1];
    if (kind === "blank") {
      add(SPACE_MARK);
      continue;
    }
    const before = words.at(-1) ?? "";
    words.push(part);
    if (part === "$" && next && /^\d+$/.test(next.text)) {
      i++;
      const piece = pieces.at(-1) ?? "";
      const [written = "", type] = /\b(interval|date|time|timestamp|timestamptz)\s*$/i.exec(piece) ?? [];
      const isTyped = type !== undefined && !/::\s*$/.test(piece.slice(0, -written.length));
      // The server prints a constant such as INTERVAL '1 day' as INTERVAL $1, and 'epoch' in extract() as $1.
      if (/\bextract\s*\(\s*$/i.test(piece)) add("epoch");
      else if (isTyped) {
        pieces[pieces.length - 1] = piece.slice(0, -written.length);
        cut({ number: Number(next.text), constant: undefined });
        add(`::${type}`);
      } else cut({ number: Number(next.text), constant: undefined });
      continue;
    }
    if (/^(by)$/i.test(part) && /^(order|group)$/i.test(before)) isAfterOrder = true;
    else if (/^(limit|offset|for|having|where)$/i.test(part)) isAfterOrder = false;
    if (part === "(") isInType = TYPES_WITH_NUMBERS.test(before);
    else if (part === ")") isInType = false;
    const isNumber = kind === "word" && /^\.?\d/.test(part);
    const isText = kind === "quoted" && part.endsWith("'") && !TYPES_BEFORE_CONSTANT.test(before);
    if (cutsConstants && ((isNumber && !isInType && !isAfterOrder) || isText)) {
      const isNegative = isNumber && before === "-" && /^[=(,<>]$/.test(words.at(-3) ?? "");
      if (isNegative) pieces[pieces.length - 1] = (pieces.at(-1) ?? "").replace(/-\s*$/, "");
      cut({ number: undefined, constant: isNegative ? `-${part}` : part });
    } else add(part);
  }
  const tidy = pieces.map((piece) => piece.replaceAll(/ {2,}/g, " "));
  tidy[0] = tidy[0]?.trimStart() ?? "";
  tidy[tidy.length - 1] = tidy.at(-1)?.trimEnd() ?? "";
  return { pieces: tidy, slots, name: SQLC_NAME.exec(text)?.[1] };
}

/** The text with `$1`, `$2`, ... in the order of the slots. */
export function numberedText({ pieces }: Pick<Statement, "pieces">): string {
  return pieces.reduce((text, piece, i) => `${text}$${i}${piece}`);
}

/** The text with the writing of each slot in its place. */
export function filledText({ pieces }: Pick<Statement, "pieces">, writings: readonly string[]): string {
  return pieces.reduce((text, piece, i) => `${text}${writings[i - 1] ?? ""}${piece}`);
}

export const unquoted = (text: string): string =>
  text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text.toLowerCase();

/** Removes the schemas of known objects from SQL, also inside of bodies of functions. */
export function withoutSchemas(sql: string, { tables, others }: Catalogue): string {
  const objects = [...tables, ...others];
  const names = new Set(objects.map(({ schema, name }) => `${schema}.${name}`));
  const constraintNames = new Set(
    tables.flatMap(({ indexes }) => indexes.map((index) => unquoted(index.name))),
  );
  const schemas = new Set(objects.map(({ schema }) => schema));
  const name = String.raw`(?:"(?:[^"]|"")+"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`;
  const pattern = new RegExp(String.raw`(?<![\w."$])(${name})\s*\.\s*(${name})`, "g");
  return sql.replaceAll(pattern, (all, schema: string, object: string) => {
    const isKnown = names.has(`${unquoted(schema)}.${unquoted(object)}`);
    return isKnown || (schemas.has(unquoted(schema)) && constraintNames.has(unquoted(object))) ? object : all;
  });
}
