// What the schema of a program makes: names for grants and evidence, and all that is dropped with the namespace.
import type { SqlText } from "./program.js";
import { tokensOf } from "./sql-text.js";

const CREATE =
  /^CREATE (?:OR REPLACE )?(?:UNLOGGED |RECURSIVE )*(TABLE|VIEW|MATERIALIZED VIEW|TYPE|FUNCTION|PROCEDURE|SEQUENCE|DOMAIN|AGGREGATE) (?:IF NOT EXISTS )?((?:"(?:[^"]|"")+"|[^\s(;"]+))/i;

interface Made {
  readonly kind: string;
  /** As SQL has it. */
  readonly name: string;
}

function madeIn({ pieces }: SqlText): Made[] {
  const code = tokensOf(pieces.join(""))
    .map(({ kind, text }) => (kind === "blank" ? " " : text))
    .join("");
  const [, kind, name] = CREATE.exec(code.trim()) ?? [];
  return kind === undefined || name === undefined ? [] : [{ kind: kind.toUpperCase(), name }];
}

/** In the order in which they are made, as `TYPE mood`. */
export function madeBy(schema: readonly SqlText[]): string[] {
  return schema.flatMap(madeIn).map(({ kind, name }) => `${kind} ${name}`);
}

export function tableNames(schema: readonly SqlText[]): string[] {
  return schema
    .flatMap(madeIn)
    .filter(({ kind }) => kind === "TABLE")
    .map(({ name }) => name);
}
