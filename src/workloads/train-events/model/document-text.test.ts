import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DocumentGenerator } from "./document-generator.js";
import { eventTypeIn, replaceStateAndFleeted } from "./document-text.js";
import { jsonbText } from "./document-values.js";
import { DocumentState, type EventDocument } from "./event.js";

/** The value with its members sorted, as CockroachDB writes JSONB. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}

const forms = fc.constantFrom<(generator: DocumentGenerator, index: number) => string>(
  (generator, index) => generator.at(index).json,
  (generator, index) => jsonbText(generator.valuesAt(index)),
  (generator, index) => JSON.stringify(sortKeys(JSON.parse(generator.at(index).json))),
  (generator, index) => JSON.stringify(JSON.parse(generator.at(index).json), null, 1).replace(/\n */g, ""),
);
const texts = fc
  .tuple(forms, fc.nat(1000), fc.constantFrom(undefined, 5000))
  .map(([form, index, bytes]) => form(new DocumentGenerator(7, "producers/0", bytes), index));

test("eventTypeIn reads the event type from every format of the text", () => {
  fc.assert(
    fc.property(texts, (json) => {
      expect(eventTypeIn(json)).toBe((JSON.parse(json) as EventDocument).eventType);
    }),
  );
});

test("withState changes the state and `fleeted`, and nothing else", () => {
  fc.assert(
    fc.property(
      texts,
      fc.constantFrom(...DocumentState.options),
      fc.func(fc.boolean()),
      (json, state, from) => {
        const wanted = JSON.parse(json) as EventDocument;
        wanted.state = state;
        wanted.metrics.flags.fleeted = from(wanted.metrics.flags.fleeted);
        expect(JSON.parse(replaceStateAndFleeted(json, state, from))).toEqual(wanted);
      },
    ),
  );
});

describe("a text that is no event document", () => {
  test.each(["", "null", "{}", '{"eventType":"SIGNAL_CLEAR","state":"NEW"}'])("is refused: %s", (json) => {
    expect(() => replaceStateAndFleeted(json, "QUEUED", (was) => was)).toThrow("no event's document");
  });

  test("is refused if its event type is unknown", () => {
    expect(() => eventTypeIn('{"eventType":"LUNCH"}')).toThrow();
  });
});
