// One table of changes by event type, applied in the program and turned into SQL by `sql/`.
import { eventTypeIn, withState } from "./document-text.js";
import type { DocumentState, EventType } from "./event.js";
import type { EventStatus } from "./lifecycle.js";

/** The change that a pass makes to the flag `metrics.flags.fleeted`. */
export type FleetedRule = "set" | "clear" | "toggle";

export interface BusinessRule {
  readonly fleeted: FleetedRule;
  /** New state of the document, by the event's status after the pass. */
  readonly stateOn: Readonly<Record<EventStatus, DocumentState>>;
}

const ACTIVE = {
  PENDING: "QUEUED",
  PROCESSING: "IN_PROGRESS",
  COMPLETE: "APPLIED",
  FAILED: "CANCELLED",
} as const;
/** States of notices. A notice takes effect while it is active, so completing it cancels it. */
const NOTICE = { ...ACTIVE, COMPLETE: "CANCELLED" } as const;

export const BUSINESS_RULES: Readonly<Record<EventType, BusinessRule>> = {
  ROUTE_AUTHORIZATION: { fleeted: "set", stateOn: ACTIVE },
  SIGNAL_CLEAR: { fleeted: "toggle", stateOn: ACTIVE },
  SPEED_RESTRICTION: { fleeted: "clear", stateOn: NOTICE },
  TRACK_OUT_OF_SERVICE: { fleeted: "clear", stateOn: NOTICE },
  TRAIN_POSITION_UPDATE: { fleeted: "toggle", stateOn: ACTIVE },
  SWITCH_POSITION_CHANGE: { fleeted: "toggle", stateOn: ACTIVE },
  WORK_ZONE_PROTECTION: { fleeted: "clear", stateOn: NOTICE },
  CROSSING_FAILURE: { fleeted: "clear", stateOn: ACTIVE },
  POWER_OUTAGE: { fleeted: "clear", stateOn: ACTIVE },
  DISPATCH_NOTE: { fleeted: "set", stateOn: ACTIVE },
};

/** The document as JSON text after a pass that left the event in `status`. Throws if `json` is not an event's document. */
export function applyBusinessRule(json: string, status: EventStatus): string {
  const { fleeted, stateOn } = BUSINESS_RULES[eventTypeIn(json)];
  return withState(json, stateOn[status], (was) => (fleeted === "toggle" ? !was : fleeted === "set"));
}
