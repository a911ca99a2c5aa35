import { createHash } from "node:crypto";

const DIGITS = 16;

/** SHA-256 of the text, its first 16 hexadecimal digits. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGITS);
}
