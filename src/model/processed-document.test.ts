// What an event's document must be follows from its first form, its status and its passes alone; the text of it is the
// one that PostgreSQL gives (which a db test holds); differences are told by path.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { applyBusinessRule } from "./business-rules.js";
import { DocumentGenerator } from "./document-generator.js";
import { EventDocument } from "./event.js";
import { EventStatus } from "./lifecycle.js";
import { differingPaths, jsonbWriter, processDocument, processText } from "./processed-document.js";

const documentAt = (index: number): EventDocument =>
  JSON.parse(new DocumentGenerator(1, "producers/0").at(index).json) as EventDocument;

describe("processDocument", () => {
  test("does at once what the passes did one by one, whatever they were", () => {
    const statuses = fc.array(fc.constantFrom(...EventStatus.options), { maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(1000), statuses, (index, passes) => {
        const stepwise = documentAt(index);
        for (const status of passes) applyBusinessRule(stepwise, status);
        const atOnce = documentAt(index);
        processDocument(atOnce, passes.at(-1) ?? "PENDING", passes.length);
        expect(atOnce).toEqual(stepwise);
      }),
    );
  });
});

describe("processText", () => {
  test("does the same to the text", () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.constantFrom(...EventStatus.options),
        fc.nat(4),
        (index, status, passes) => {
          const { json, eventType } = new DocumentGenerator(1, "producers/0").at(index);
          const wanted = JSON.parse(json) as EventDocument;
          processDocument(wanted, status, passes);
          expect(processText(json, eventType, status, passes)).toBe(JSON.stringify(wanted));
        },
      ),
    );
  });
});

describe("jsonbWriter", () => {
  test("orders keys by length, then by character, and puts spaces and escapes as PostgreSQL does", () => {
    const write = jsonbWriter(
      z.strictObject({
        bb: z.array(z.string()),
        a: z.strictObject({ z: z.boolean(), c: z.number(), gone: z.string().optional() }),
        ab: z.string().optional(),
      }),
    );
    expect(write({ bb: ["x, y", "\n"], a: { z: true, c: 0.5 }, ab: 'q"' })).toBe(
      '{"a": {"c": 0.5, "z": true}, "ab": "q\\"", "bb": ["x, y", "\\n"]}',
    );
  });

  test("leaves nothing of a document out", () => {
    expect(JSON.parse(jsonbWriter(EventDocument)(documentAt(5)))).toEqual(documentAt(5));
  });
});

describe("differingPaths", () => {
  test("finds none in a document and itself, however its keys are ordered", () => {
    const document = documentAt(3);
    expect(differingPaths(JSON.parse(jsonbWriter(EventDocument)(document)), document)).toEqual([]);
  });

  test("names every place that differs, is missing, or is one too many", () => {
    const wanted = documentAt(3);
    const seen = structuredClone(wanted) as EventDocument & { extra?: number };
    seen.extra = 1;
    seen.route.segments = seen.route.segments.map((each, i) => (i === 1 ? { ...each, id: "other" } : each));
    delete (seen.meta as Partial<EventDocument["meta"]>).userId;
    expect(differingPaths(seen, wanted).sort()).toEqual(["extra", "meta.userId", "route.segments.1.id"]);
    expect(differingPaths([], {})).toEqual([""]);
    expect(differingPaths(null, {})).toEqual([""]);
    expect(differingPaths({ a: {} }, { a: [] })).toEqual(["a"]);
  });
});
