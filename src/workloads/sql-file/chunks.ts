import { nearest } from "../../syntax/nearest.js";
import type { Place, SqlSyntax } from "../script/program.js";
import { placeIn, tokensOf } from "../script/sql-text.js";

/** Names of directives; true if a directive takes a value after a colon. */
const DIRECTIVES: Readonly<Record<string, boolean>> = {
  workload: true,
  setting: true,
  schema: false,
  preload: false,
  variant: true,
  name: true,
  weight: true,
  readonly: false,
  param: true,
  expect: true,
  returning: true,
  counts: true,
  commit: false,
  sleep: true,
  invariant: true,
  acknowledged: true,
};
/** Minimum number of characters of a word that may be a misspelt directive. Shorter words resemble too many other words. */
const MISSPELT_LENGTH_MIN = 5;

export type Chunk =
  | { readonly kind: "sql"; readonly text: string; readonly place: Place }
  | { readonly kind: "directive"; readonly name: string; readonly value: string; readonly place: Place };

export type Refuse = (place: Place, message: string) => void;

/**
 * Cuts the file into chunks, in order. A comment that resembles a directive, or a directive without its value, is refused
 * and treated as a comment.
 */
export function chunksOf(text: string, refuse: Refuse, syntax?: SqlSyntax): Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  const addSqlUpTo = (at: number): void => {
    const sql = text.slice(from, at);
    if (sql.trim() !== "") chunks.push({ kind: "sql", text: sql, place: placeIn(text, from) });
  };
  for (const token of tokensOf(text, syntax)) {
    if (token.kind !== "blank") continue;
    for (const line of token.text.matchAll(/--[^\n]*/g)) {
      const at = token.at + line.index;
      const directive = directiveIn(line[0], placeIn(text, at), refuse);
      if (!directive) continue;
      addSqlUpTo(at);
      from = at + line[0].length;
      chunks.push(directive);
    }
  }
  addSqlUpTo(text.length);
  return chunks;
}

function directiveIn(line: string, place: Place, refuse: Refuse): Chunk | undefined {
  const match = /^--\s*([A-Za-z]+)\s*(:?)\s*(.*?)\s*$/.exec(line);
  if (!match) return undefined;
  const [, name = "", colon = "", value = ""] = match;
  const takesValue = DIRECTIVES[name];
  if (takesValue === undefined) {
    const isNameLongEnough = name.length >= MISSPELT_LENGTH_MIN;
    const near = colon !== "" && isNameLongEnough ? nearest(name, Object.keys(DIRECTIVES)) : undefined;
    if (near !== undefined) refuse(place, `${name} is not known; did you mean ${near}?`);
    return undefined;
  }
  // Without its colon the word of a directive that takes a value is an ordinary comment.
  if (takesValue ? colon === "" : value !== "") return undefined;
  if (takesValue && value === "") {
    refuse(place, `${name} has no value`);
    return undefined;
  }
  return { kind: "directive", name, value, place };
}
