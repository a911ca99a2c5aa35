// One table of changes by event type, applied in the program and turned into SQL by `sql/`.
import { eventTypeIn, replaceStateAndFleeted } from "./document-text.js";
import type { DocumentState, EventType } from "./event.js";
import type { EventStatus } from "./lifecycle.js";

/** The change that a pass makes to the flag `metrics.flags.fleeted`. */
export type FleetedRule = "set" | "clear" | "toggle";

export interface BusinessRule {
  readonly fleeted: FleetedRule;
  /** New state of the document, by the event's status after the pass. */
  readonly stateByStatus: Readonly<Record<EventStatus, DocumentState>>;
}

const ACTIVE_STATES = {
  PENDING: "QUEUED",
  PROCESSING: "IN_PROGRESS",
  COMPLETE: "APPLIED",
  FAILED: "CANCELLED",
} as const;
/** States of notices. A notice takes effect while it is active, so completing it cancels it. */
const NOTICE_STATES = { ...ACTIVE_STATES, COMPLETE: "CANCELLED" } as const;

export const BUSINESS_RULES: Readonly<Record<EventType, BusinessRule>> = {
  ROUTE_AUTHORIZATION: { fleeted: "set", stateByStatus: ACTIVE_STATES },
  SIGNAL_CLEAR: { fleeted: "toggle", stateByStatus: ACTIVE_STATES },
  SPEED_RESTRICTION: { fleeted: "clear", stateByStatus: NOTICE_STATES },
  TRACK_OUT_OF_SERVICE: { fleeted: "clear", stateByStatus: NOTICE_STATES },
  TRAIN_POSITION_UPDATE: { fleeted: "toggle", stateByStatus: ACTIVE_STATES },
  SWITCH_POSITION_CHANGE: { fleeted: "toggle", stateByStatus: ACTIVE_STATES },
  WORK_ZONE_PROTECTION: { fleeted: "clear", stateByStatus: NOTICE_STATES },
  CROSSING_FAILURE: { fleeted: "clear", stateByStatus: ACTIVE_STATES },
  POWER_OUTAGE: { fleeted: "clear", stateByStatus: ACTIVE_STATES },
  DISPATCH_NOTE: { fleeted: "set", stateByStatus: ACTIVE_STATES },
};

/** The document as JSON text after a pass that left the event in `status`. Throws if `json` is not an event's document. */
export function applyBusinessRule(json: string, status: EventStatus): string {
  const { fleeted, stateByStatus } = BUSINESS_RULES[eventTypeIn(json)];
  return replaceStateAndFleeted(json, stateByStatus[status], (was) =>
    fleeted === "toggle" ? !was : fleeted === "set",
  );
}
