// The secret that an agent and its coordinator share, in a file or on standard input, so that no list of processes shows it.
import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { messageOf, UsageError } from "../../foundation/errors.js";

const TOKEN_CHARACTERS_MIN = 16;

/**
 * Reads the token from a file; `-` is the first line of `input`. Rejects with a UsageError if there is no token or it is
 * too short.
 */
export async function readToken(file: string, input: Readable = process.stdin): Promise<string> {
  const isStandardInput = file === "-";
  const tokenHint = `Make one, and copy it to every agent: openssl rand -hex 32 > ${isStandardInput ? "token" : file}`;
  let token: string;
  try {
    token = (isStandardInput ? await readFirstLine(input) : await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new UsageError(`the token file cannot be read: ${messageOf(error)}`, tokenHint);
  }
  if (token.length < TOKEN_CHARACTERS_MIN)
    throw new UsageError(
      `the token ${isStandardInput ? "on standard input" : `in ${file}`} has ${token.length} characters; at least ${TOKEN_CHARACTERS_MIN} are needed`,
      tokenHint,
    );
  return token;
}

async function readFirstLine(input: Readable): Promise<string> {
  let text = "";
  for await (const piece of input.setEncoding("utf8")) {
    text += String(piece);
    if (text.includes("\n")) break;
  }
  return text.split("\n", 1)[0] ?? "";
}

/** Compares tokens in constant time, so that the duration reveals nothing about the token. */
export function isSameToken(presentedToken: string, wanted: string): boolean {
  const [a, b] = [presentedToken, wanted].map((text) => createHash("sha256").update(text).digest()) as [
    Buffer,
    Buffer,
  ];
  return timingSafeEqual(a, b);
}

export function bearerAuthorization(token: string): string {
  return `Bearer ${token}`;
}
