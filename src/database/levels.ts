import { suggestion } from "../syntax/nearest.js";
import { custom, type Parsed } from "../syntax/scalars.js";

export const ISOLATION_LEVELS = ["read committed", "repeatable read", "serializable"] as const;

export type Isolation = (typeof ISOLATION_LEVELS)[number];

/** Kinds of table storage; `default` leaves the choice to the database. */
export const STORAGES = [
  "default",
  "hash-sharded",
  "unlogged",
  "partitioned",
  "ao-row",
  "ao-column",
  "pax",
  "pax-no-cluster",
] as const;

export type Storage = (typeof STORAGES)[number];

export const LOCK_MODES = [
  "share update exclusive",
  "share",
  "share row exclusive",
  "exclusive",
  "access exclusive",
] as const;

export type LockMode = (typeof LOCK_MODES)[number];

/** A pattern that matches the text in any case, with spaces, dashes or underscores between its words. */
export function looseSpellingPattern(text: string): string {
  const anyCaseText = text.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
  return anyCaseText.replaceAll(" ", "[-_\\s]+");
}

/** Schema of an isolation level, written in any case, with spaces, dashes or underscores between words. */
export function isolationSchema(description: string) {
  const title = `${ISOLATION_LEVELS.join(", ")}; in any case, words with a space, - or _ between them`;
  const pattern = `^(${ISOLATION_LEVELS.map(looseSpellingPattern).join("|")})$`;
  // Editors complete from the first alternative, so that is the plain list.
  const anyOf = [{ enum: [...ISOLATION_LEVELS] }, { type: "string", pattern }];
  return custom({ title, description, anyOf }, (input): Parsed<Isolation> => {
    const text =
      typeof input === "string"
        ? input
            .trim()
            .toLowerCase()
            .replace(/[-_\s]+/g, " ")
        : "";
    const level = ISOLATION_LEVELS.find((known) => known === text);
    if (level) return { value: level };
    return { message: `not an isolation level; ${suggestion(text, ISOLATION_LEVELS, "levels")}` };
  });
}
