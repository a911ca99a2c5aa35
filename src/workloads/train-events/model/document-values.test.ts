// `audit/sieves.db.test.ts` shows that PostgreSQL writes JSONB in this format.
import fc from "fast-check";
import { expect, test } from "vitest";
import { DOCUMENT_SHAPES } from "../settings.js";
import { DocumentGenerator } from "./document-generator.js";
import { compactText, jsonbText } from "./document-values.js";

/** A text of JSON whose numbers with a fraction are texts, because a double has fewer digits than some of them. */
const withFractionsAsTexts = (json: string): string => json.replaceAll(/:( ?)(0\.\d+)/g, ':$1"$2"');

/** Any value without escapes, in PostgreSQL's format of JSONB. */
function asJsonb(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asJsonb).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return `{${members.map(([key, inner]) => `"${key}": ${asJsonb(inner)}`).join(", ")}}`;
}

test("the JSONB text and the compact text of a document have the same content for any draw and size", () => {
  const anyInteger = fc.integer({ min: 0, max: 0xffffffff });
  const anyShape = fc.constantFrom(...DOCUMENT_SHAPES);
  const anySize = fc.integer({ min: 1, max: 5000 });
  fc.assert(
    fc.property(
      anyInteger,
      anyInteger,
      anySize,
      anyShape,
      fc.boolean(),
      (seed, index, bytes, shape, isNew) => {
        const generator = new DocumentGenerator(seed, "producers/0", bytes, shape, isNew);
        const { json } = generator.at(index);
        expect(compactText(generator.valuesAt(index))).toBe(json);
        const jsonb = withFractionsAsTexts(jsonbText(generator.valuesAt(index)));
        expect(jsonb).toBe(asJsonb(JSON.parse(withFractionsAsTexts(json))));
      },
    ),
    { numRuns: 500 },
  );
});

test("each call returns new values of a document", () => {
  const generator = new DocumentGenerator(1, "producers/0");
  const before = jsonbText(generator.valuesAt(3));
  generator.valuesAt(3).state = "APPLIED";
  expect(jsonbText(generator.valuesAt(3))).toBe(before);
});
