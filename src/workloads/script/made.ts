// Names of the schema's objects for grants and evidence, and all objects that are dropped with the namespace.
import type { SqlText } from "./program.js";
import { tokensOf } from "./sql-text.js";

const SQL_NAME_PATTERN = String.raw`((?:"(?:[^"]|"")+"|[^\s(;,"]+))`;
const CREATE_PATTERN = new RegExp(
  "^CREATE (?:OR REPLACE )?(?:UNLOGGED |RECURSIVE )*" +
    "(TABLE|VIEW|MATERIALIZED VIEW|TYPE|FUNCTION|PROCEDURE|SEQUENCE|DOMAIN|AGGREGATE) " +
    `(?:IF NOT EXISTS )?${SQL_NAME_PATTERN}`,
  "i",
);
const RENAME_TABLE_PATTERN = new RegExp(
  String.raw`^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?${SQL_NAME_PATTERN} RENAME TO ${SQL_NAME_PATTERN}`,
  "i",
);
const DROP_TABLE_PATTERN = /^DROP TABLE (?:IF EXISTS )?(.+?)(?: CASCADE| RESTRICT)?$/i;

interface CreatedObject {
  readonly kind: string;
  readonly name: string;
}

function codeOf({ pieces, syntax }: SqlText): string {
  const tokens = tokensOf(pieces.join(""), syntax);
  const words = tokens.map(({ kind, text }, i) => {
    if (kind !== "blank") return text;
    return tokens[i - 1]?.kind === "blank" ? "" : " ";
  });
  return words.join("").trim();
}

function createdObjectsIn(sql: SqlText): CreatedObject[] {
  const [, kind, name] = CREATE_PATTERN.exec(codeOf(sql)) ?? [];
  return kind === undefined || name === undefined ? [] : [{ kind: kind.toUpperCase(), name }];
}

/** Objects that the schema makes, in order, such as `TYPE mood`. */
export function createdObjectNames(schema: readonly SqlText[]): string[] {
  return schema.flatMap(createdObjectsIn).map(({ kind, name }) => `${kind} ${name}`);
}

/** Names of the tables that exist once the whole schema has run. */
export function tableNames(schema: readonly SqlText[]): string[] {
  let names: string[] = [];
  for (const sql of schema) {
    const code = codeOf(sql);
    const [, from, to = ""] = RENAME_TABLE_PATTERN.exec(code) ?? [];
    if (from !== undefined) names = names.map((name) => (name === from ? to : name));
    const dropped = DROP_TABLE_PATTERN.exec(code)?.[1]?.split(/ ?, ?/) ?? [];
    names = names.filter((name) => !dropped.includes(name));
    for (const { kind, name } of createdObjectsIn(sql)) if (kind === "TABLE") names.push(name);
  }
  return names;
}
