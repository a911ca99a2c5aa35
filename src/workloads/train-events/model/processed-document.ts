// Documents are compared by value, because JSONB keeps neither the order of keys nor spaces.
import { BUSINESS_RULES } from "./business-rules.js";
import type { DocumentValues } from "./document-values.js";
import type { EventDocument, EventType } from "./event.js";
import type { EventStatus } from "./lifecycle.js";

/** Value of the flag `fleeted` after `passes` passes over an event of that type. */
function fleetedAfter(type: EventType, before: boolean, passes: number): boolean {
  const { fleeted } = BUSINESS_RULES[type];
  if (passes === 0 || (fleeted === "toggle" && passes % 2 === 0)) return before;
  return fleeted === "toggle" ? !before : fleeted === "set";
}

/** Changes `document` in place like `passes` process passes, the last of which left the event in `status`. */
export function processDocument(document: EventDocument, status: EventStatus, passes: number): void {
  const { flags } = document.metrics;
  flags.fleeted = fleetedAfter(document.eventType, flags.fleeted, passes);
  if (passes > 0) document.state = BUSINESS_RULES[document.eventType].stateByStatus[status];
}

/** Makes the change of `processDocument` to a document's values, which need no parsing. */
export function processValues(values: DocumentValues, status: EventStatus, passes: number): void {
  values.fleeted = fleetedAfter(values.eventType, values.fleeted, passes);
  if (passes > 0) values.state = BUSINESS_RULES[values.eventType].stateByStatus[status];
}

/** Paths at which two values differ, such as `route.segments.0.id`; the empty path is the whole value. */
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
