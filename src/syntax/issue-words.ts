// Problems of a stored document in words of limited length, because keys may be anything.
import type * as z from "zod";
import { elidedText } from "../foundation/shown.js";

const ISSUE_CHARACTERS_MAX = 300;

/** Text of a zod issue, such as `treatments.0.id: missing; expected string`. */
export function issueWords({ path, message }: z.core.$ZodIssue): string {
  const words = message.replace(/^Invalid input: (expected .*), received undefined$/, "missing; $1");
  return elidedText(`${path.map(String).join(".") || "document"}: ${words}`, ISSUE_CHARACTERS_MAX);
}
