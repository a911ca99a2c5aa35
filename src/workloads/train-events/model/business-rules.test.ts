import { describe, expect, test } from "vitest";
import { applyBusinessRule, BUSINESS_RULES } from "./business-rules.js";
import { DocumentGenerator } from "./document-generator.js";
import { jsonbText } from "./document-values.js";
import { EVENT_TYPES, EventDocument, type EventType } from "./event.js";
import { EventStatus } from "./lifecycle.js";

const generator = new DocumentGenerator(42, "rules");

/** Texts of a document of the event type in the program's format, and in PostgreSQL's format of a JSONB column. */
function textsOf(eventType: EventType): { eventType: EventType; writer: string; json: string }[] {
  for (let index = 0; index < 10_000; index++) {
    const { json, eventType: made } = generator.at(index);
    const jsonb = jsonbText(generator.valuesAt(index));
    if (made !== eventType) continue;
    return [
      { eventType, writer: "the program", json },
      { eventType, writer: "PostgreSQL", json: jsonb },
    ];
  }
  throw new Error(`no ${eventType} in 10 000 documents`);
}

const read = (json: string): EventDocument => EventDocument.parse(JSON.parse(json));

describe.each(EVENT_TYPES.flatMap(textsOf))(
  "the business rule of $eventType in a document written by $writer",
  ({ eventType, json }) => {
    test("changes the state at each move to another status", () => {
      const moves = [
        ["PENDING", "PROCESSING"],
        ["PROCESSING", "COMPLETE"],
        ["PROCESSING", "FAILED"],
      ] as const;
      expect(read(json).state).toBe("NEW");
      for (const [from, to] of moves) {
        const before = applyBusinessRule(json, from);
        const after = applyBusinessRule(before, to);
        expect(read(after).state).not.toBe(read(before).state);
        expect(read(after).state).not.toBe("NEW");
      }
    });

    test("changes the state of a new document at any first pass", () => {
      for (const status of EventStatus.options)
        expect(read(applyBusinessRule(json, status)).state).not.toBe("NEW");
    });

    test("sets, clears or toggles `fleeted` and changes nothing else but the state", () => {
      const { fleeted: rule, stateByStatus } = BUSINESS_RULES[eventType];
      for (const fleeted of [true, false]) {
        const text = json.replace(/("fleeted": ?)(true|false)/, `$1${fleeted}`);
        const expected = read(text);
        expected.state = stateByStatus.PROCESSING;
        expected.metrics.flags.fleeted = { set: true, clear: false, toggle: !fleeted }[rule];
        expect(read(applyBusinessRule(text, "PROCESSING"))).toEqual(expected);
      }
    });
  },
);

test("business rules use all three treatments of `fleeted`", () => {
  expect(new Set(Object.values(BUSINESS_RULES).map((rule) => rule.fleeted))).toEqual(
    new Set(["set", "clear", "toggle"]),
  );
});
