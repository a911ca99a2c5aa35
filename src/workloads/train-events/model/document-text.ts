// Reads and changes a document's text in a tenth of the time of parsing it, with members in any order.
import { EventType, type DocumentState } from "./event.js";

/**
 * Ends of keys, without the quote before them: each occurs once in a document, and a search that begins with a quote would
 * stop at every quote.
 */
const EVENT_TYPE = 'eventType":';
const STATE = 'state":';
const FLEETED = 'fleeted":';

const SPACE = 0x20;

/** Offset of the value that follows `key`. Throws if the text lacks the key. */
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

/** Event type of a document. Throws if the text is not an event's document. */
export function eventTypeIn(json: string): EventType {
  return EventType.parse(json.slice(...stringAt(json, EVENT_TYPE)));
}

/**
 * The text with another state and another fleeted flag, which `fleetedFrom` derives from the old one. Throws if it is not
 * an event's document.
 */
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
