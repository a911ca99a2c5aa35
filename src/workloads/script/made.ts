// Names of the schema's objects for grants and evidence, and all objects that are dropped with the namespace.
import type { SqlText } from "./program.js";
import { tokensOf } from "./sql-text.js";

const NAME = String.raw`((?:"(?:[^"]|"")+"|[^\s(;,"]+))`;
const CREATE = new RegExp(
  "^CREATE (?:OR REPLACE )?(?:UNLOGGED |RECURSIVE )*" +
    "(TABLE|VIEW|MATERIALIZED VIEW|TYPE|FUNCTION|PROCEDURE|SEQUENCE|DOMAIN|AGGREGATE) " +
    `(?:IF NOT EXISTS )?${NAME}`,
  "i",
);
const RENAME = new RegExp(String.raw`^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?${NAME} RENAME TO ${NAME}`, "i");
const DROP = /^DROP TABLE (?:IF EXISTS )?(.+?)(?: CASCADE| RESTRICT)?$/i;

interface CreatedObject {
  readonly kind: string;
  readonly name: string;
}

function codeOf({ pieces }: SqlText): string {
  const tokens = tokensOf(pieces.join(""));
  const words = tokens.map(({ kind, text }, i) => {
    if (kind !== "blank") return text;
    return tokens[i - 1]?.kind === "blank" ? "" : " ";
  });
  return words.join("").trim();
}

function madeIn(sql: SqlText): CreatedObject[] {
  const [, kind, name] = CREATE.exec(codeOf(sql)) ?? [];
  return kind === undefined || name === undefined ? [] : [{ kind: kind.toUpperCase(), name }];
}

/** Objects that the schema makes, in order, such as `TYPE mood`. */
export function madeBy(schema: readonly SqlText[]): string[] {
  return schema.flatMap(madeIn).map(({ kind, name }) => `${kind} ${name}`);
}

/** Names of the tables that exist once the whole schema has run. */
export function tableNames(schema: readonly SqlText[]): string[] {
  let names: string[] = [];
  for (const sql of schema) {
    const code = codeOf(sql);
    const [, from, to = ""] = RENAME.exec(code) ?? [];
    if (from !== undefined) names = names.map((name) => (name === from ? to : name));
    const dropped = DROP.exec(code)?.[1]?.split(/ ?, ?/) ?? [];
    names = names.filter((name) => !dropped.includes(name));
    for (const { kind, name } of madeIn(sql)) if (kind === "TABLE") names.push(name);
  }
  return names;
}
