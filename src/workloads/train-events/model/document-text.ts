// Reads and changes a document's text in a tenth of the time of parsing it, with members in any order.
import { EventType, type DocumentState } from "./event.js";

/** Ends of keys, unique in a document: a search for the quote before them would stop at each quote. */
const EVENT_TYPE = 'eventType":';
const STATE = 'state":';
const FLEETED = 'fleeted":';

const SPACE = 0x20;

/** Offset of that key's value. */
function valueAt(json: string, key: string): number {
  const found = json.indexOf(key);
  if (found < 0) throw new Error(`a payload that was read is no event's document: "${key} is not in it`);
  const at = found + key.length;
  return json.charCodeAt(at) === SPACE ? at + 1 : at;
}

function stringAt(json: string, key: string): readonly [from: number, to: number] {
  const from = valueAt(json, key) + 1;
  return [from, json.indexOf('"', from)];
}

/** The event type in a document. Throws if the text is no document of an event. */
export function eventTypeIn(json: string): EventType {
  return EventType.parse(json.slice(...stringAt(json, EVENT_TYPE)));
}

/** The text with that state and flag, by `fleetedFrom`. Throws if it is no document of an event. */
export function withState(
  json: string,
  state: DocumentState,
  fleetedFrom: (was: boolean) => boolean,
): string {
  const [from, to] = stringAt(json, STATE);
  const at = valueAt(json, FLEETED);
  const was = json.startsWith("true", at);
  const end = at + String(was).length;
  const fleeted = String(fleetedFrom(was));
  return from < at
    ? `${json.slice(0, from)}${state}${json.slice(to, at)}${fleeted}${json.slice(end)}`
    : `${json.slice(0, at)}${fleeted}${json.slice(end, from)}${state}${json.slice(to)}`;
}
