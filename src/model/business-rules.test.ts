// Processing changes documents: a move always shows in `state`, `fleeted` follows its rule, nothing else is touched.
import { describe, expect, test } from "vitest";
import { applyBusinessRule, BUSINESS_RULES } from "./business-rules.js";
import { DocumentGenerator } from "./document-generator.js";
import { EVENT_TYPES, EventDocument, type EventType } from "./event.js";
import { EventStatus } from "./lifecycle.js";

const generator = new DocumentGenerator(42, "rules");

function documentOf(eventType: EventType): EventDocument {
  for (let index = 0; index < 10_000; index++) {
    const made = generator.at(index);
    if (made.eventType === eventType) return EventDocument.parse(JSON.parse(made.json));
  }
  throw new Error(`no ${eventType} in 10 000 documents`);
}

describe.each(EVENT_TYPES)("%s", (eventType) => {
  test("changes its state on each move from one status to another", () => {
    const moves = [
      ["PENDING", "PROCESSING"],
      ["PROCESSING", "COMPLETE"],
      ["PROCESSING", "FAILED"],
    ] as const;
    for (const [from, to] of moves) {
      const document = documentOf(eventType);
      expect(document.state).toBe("NEW");
      applyBusinessRule(document, from);
      const before = document.state;
      applyBusinessRule(document, to);
      expect(document.state).not.toBe(before);
      expect(document.state).not.toBe("NEW");
      expect(EventDocument.safeParse(document).success).toBe(true);
    }
  });

  test("changes its state when a new event is claimed or even only looked at", () => {
    for (const status of EventStatus.options) {
      const document = documentOf(eventType);
      applyBusinessRule(document, status);
      expect(document.state).not.toBe("NEW");
    }
  });

  test("sets, clears or toggles fleeted as its rule says and leaves the rest alone", () => {
    for (const fleeted of [true, false]) {
      const document = documentOf(eventType);
      document.metrics.flags.fleeted = fleeted;
      const before = structuredClone(document);
      applyBusinessRule(document, "PROCESSING");
      const expected = { set: true, clear: false, toggle: !fleeted }[BUSINESS_RULES[eventType].fleeted];
      expect(document.metrics.flags.fleeted).toBe(expected);
      before.state = document.state;
      before.metrics.flags.fleeted = expected;
      expect(document).toEqual(before);
    }
  });
});

test("all three ways to treat fleeted are in use", () => {
  expect(new Set(Object.values(BUSINESS_RULES).map((rule) => rule.fleeted))).toEqual(
    new Set(["set", "clear", "toggle"]),
  );
});
