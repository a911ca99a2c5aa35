import { createHash } from "node:crypto";

const DIGEST_DIGITS = 16;

/** First 16 hexadecimal digits of the text's SHA-256, to compare texts at a glance. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_DIGITS);
}
