// The document that an event must hold, known from the one it was published with, its status and its passes: nothing
// else may have become of it. So a lost update, a change by somebody else and a change without a pass all show.
// Documents are compared by value, because JSONB keeps neither the order of keys nor spaces.
import { applyBusinessRule, BUSINESS_RULES } from "./business-rules.js";
import type { EventDocument } from "./event.js";
import type { EventStatus } from "./lifecycle.js";

/** Changes `document` in place to what `passes` of process transactions make of it that left it in `status`. */
export function processDocument(document: EventDocument, status: EventStatus, passes: number): void {
  if (passes === 0) return;
  const { flags } = document.metrics;
  const before = flags.fleeted;
  applyBusinessRule(document, status);
  const isToggled = BUSINESS_RULES[document.eventType].fleeted === "toggle";
  if (isToggled) flags.fleeted = passes % 2 === 1 ? !before : before;
}

function byJsonbOrder(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/**
 * The text that PostgreSQL gives of a JSONB with that value: keys by length, then by their characters. Of the numbers
 * that are in our documents; one with an exponent would be another matter.
 */
export function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = value as Record<string, unknown>;
  const keys = Object.keys(fields).sort(byJsonbOrder);
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${jsonbText(fields[key])}`).join(", ")}}`;
}

/** Paths at which two values differ, as `route.segments.0.id`; the empty path is the whole. */
export function differingPaths(seen: unknown, wanted: unknown, path = ""): string[] {
  if (Object.is(seen, wanted)) return [];
  if (!isContainer(seen) || !isContainer(wanted) || Array.isArray(seen) !== Array.isArray(wanted))
    return [path];
  const keys = new Set([...Object.keys(seen), ...Object.keys(wanted)]);
  return [...keys].flatMap((key) => {
    const inner = path === "" ? key : `${path}.${key}`;
    if (!Object.hasOwn(seen, key) || !Object.hasOwn(wanted, key)) return [inner];
    return differingPaths(seen[key], wanted[key], inner);
  });
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
