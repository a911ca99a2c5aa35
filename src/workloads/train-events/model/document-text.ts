// Reads and changes a document's text in a tenth of the time of parsing it, with members in any order.
import { EventType, type DocumentState } from "./event.js";

/**
 * Ends of keys, without the quote before them: each occurs once in a document, and a search that begins with a quote would
 * stop at every quote.
 */
const EVENT_TYPE_KEY = 'eventType":';
const STATE_KEY = 'state":';
const FLEETED_KEY = 'fleeted":';

const SPACE_CODE = 0x20;

/** Offset of the value that follows `key`. Throws if the text lacks the key. */
function valueOffset(json: string, key: string): number {
  const keyIndex = json.indexOf(key);
  if (keyIndex < 0) throw new Error(`a payload that was read is no event's document: "${key} is not in it`);
  const at = keyIndex + key.length;
  return json.charCodeAt(at) === SPACE_CODE ? at + 1 : at;
}

function stringRangeAfter(json: string, key: string): readonly [from: number, to: number] {
  const from = valueOffset(json, key) + 1;
  return [from, json.indexOf('"', from)];
}

/** Event type of a document. Throws if the text is not an event's document. */
export function eventTypeIn(json: string): EventType {
  return EventType.parse(json.slice(...stringRangeAfter(json, EVENT_TYPE_KEY)));
}

/**
 * The text with another state and another fleeted flag, which `changeFleeted` derives from the old one. Throws if it is not
 * an event's document.
 */
export function replaceStateAndFleeted(
  json: string,
  state: DocumentState,
  changeFleeted: (wasFleeted: boolean) => boolean,
): string {
  const [from, to] = stringRangeAfter(json, STATE_KEY);
  const at = valueOffset(json, FLEETED_KEY);
  const wasFleeted = json.startsWith("true", at);
  const end = at + String(wasFleeted).length;
  const fleeted = String(changeFleeted(wasFleeted));
  return from < at
    ? `${json.slice(0, from)}${state}${json.slice(to, at)}${fleeted}${json.slice(end)}`
    : `${json.slice(0, at)}${fleeted}${json.slice(end, from)}${state}${json.slice(to)}`;
}
