// The value of `-D name=value`, of the type that pgbench gives it in expressions (makeVariableValue of its source).
import type { Setting } from "../script/program.js";

const TRUE_PATTERN = /^(t|tr|tru|true|y|ye|yes|on)$/i;
const FALSE_PATTERN = /^(f|fa|fal|fals|false|n|no|of|off)$/i;

/** Value of a variable in pgbench's -D: a number, a boolean or the text itself; null for NULL. */
export function definedValue(text: string): Setting["value"] | null {
  if (/^null$/i.test(text)) return null;
  if (TRUE_PATTERN.test(text)) return true;
  if (FALSE_PATTERN.test(text)) return false;
  const number = text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(number) ? number : text;
}
