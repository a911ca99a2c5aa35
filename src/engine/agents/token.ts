// The secret that an agent and the coordinator of its run share. It is in a file, so that no list of processes shows it.
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { messageOf, UsageError } from "../../foundation/errors.js";

const CHARACTERS_MIN = 16;

/** Throws a UsageError where there is none that is long enough. */
export function readToken(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(`the token file cannot be read: ${messageOf(error)}`, makeOne(file));
  }
  if (token.length < CHARACTERS_MIN)
    throw new UsageError(
      `the token in ${file} has ${token.length} characters; at least ${CHARACTERS_MIN} are needed`,
      makeOne(file),
    );
  return token;
}

function makeOne(file: string): string {
  return `Make one, and copy it to every agent: openssl rand -hex 32 > ${file}`;
}

/** In constant time, so that its duration tells nothing of the token. */
export function isSameToken(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash("sha256").update(text).digest()) as [
    Buffer,
    Buffer,
  ];
  return timingSafeEqual(a, b);
}

/** Value of the `Authorization` header. */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}
