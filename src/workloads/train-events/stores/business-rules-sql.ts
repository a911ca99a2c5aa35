// Rolls go to the database, which advances statuses and changes documents, so that a TEXT is parsed there.
import { BUSINESS_RULES, type FleetedRule } from "../model/business-rules.js";
import { EVENT_TYPES, type EventType } from "../model/event.js";
import { EventStatus, TERMINAL_STATUSES } from "../model/lifecycle.js";
import { literal, literals } from "./literals.js";
import { PAYLOAD_TRAITS } from "../settings.js";
import type { Payload } from "../settings.js";

/** `lifecycle.advance` in SQL: `roll`, `claim`, `complete` and `fail` are float8 expressions, `status` a text expression. */
export function advanceSql(
  status: string,
  roll: string,
  chances: Readonly<Record<"claim" | "complete" | "fail", string>>,
  isOneStep: boolean,
): string {
  const { claim, complete, fail } = chances;
  if (isOneStep)
    return `CASE
    WHEN ${status} IN (${literals(TERMINAL_STATUSES)}) THEN ${status}
    WHEN ${roll} < ${complete} THEN 'COMPLETE'
    WHEN ${roll} < ${complete} + ${fail} THEN 'FAILED'
    WHEN ${roll} < ${complete} + ${fail} + ${claim} THEN 'PROCESSING'
    ELSE ${status} END`;
  return `CASE
    WHEN ${status} = 'PENDING' THEN CASE WHEN ${roll} < ${claim} THEN 'PROCESSING' ELSE 'PENDING' END
    WHEN ${status} = 'PROCESSING' THEN CASE
      WHEN ${roll} < ${complete} THEN 'COMPLETE'
      WHEN ${roll} < ${complete} + ${fail} THEN 'FAILED'
      ELSE 'PROCESSING' END
    ELSE ${status} END`;
}

function groupEventTypes<K>(key: (type: EventType) => K): Map<K, EventType[]> {
  const groups = new Map<K, EventType[]>();
  for (const type of EVENT_TYPES) {
    const group = groups.get(key(type));
    if (group) group.push(type);
    else groups.set(key(type), [type]);
  }
  return groups;
}

/** SQL of the document's state by event type, for one status: a literal if all types agree. */
function stateSql(status: EventStatus, eventType: string): string {
  const [first, ...rest] = groupEventTypes((type) => BUSINESS_RULES[type].stateByStatus[status]);
  const fallback = first ? literal(first[0]) : "NULL";
  if (rest.length === 0) return fallback;
  const cases = rest.map(
    ([state, types]) => `WHEN ${eventType} IN (${literals(types)}) THEN ${literal(state)}`,
  );
  return `CASE ${cases.join(" ")} ELSE ${fallback} END`;
}

const FLEETED_SQL: Readonly<Record<FleetedRule, (fleeted: string) => string>> = {
  set: () => "true",
  clear: () => "false",
  toggle: (fleeted) => `NOT ${fleeted}`,
};

/** SQL of the payload of `events AS e` after `applyBusinessRule` with the status in `status`, in the column's type. */
export function rewriteSql(payload: Payload, status: string): string {
  const isText = PAYLOAD_TRAITS[payload].columnType === "text";
  const document = isText ? "e.payload::jsonb" : "e.payload";
  const states = EventStatus.options.map(
    (option) => `WHEN ${literal(option)} THEN ${stateSql(option, "e.event_type")}`,
  );
  const fleeted = `(${document} #>> '{metrics,flags,fleeted}')::boolean`;
  const flags = [...groupEventTypes((type) => BUSINESS_RULES[type].fleeted)].map(
    ([rule, types]) => `WHEN e.event_type IN (${literals(types)}) THEN ${FLEETED_SQL[rule](fleeted)}`,
  );
  const rewrittenDocument = `jsonb_set(
    jsonb_set(${document}, '{state}', to_jsonb(CASE ${status}
      ${states.join("\n      ")} END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      ${flags.join("\n      ")} END))`;
  return isText ? `(${rewrittenDocument})::text` : rewrittenDocument;
}
