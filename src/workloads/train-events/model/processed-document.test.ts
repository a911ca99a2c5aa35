import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyBusinessRule } from "./business-rules.js";
import { DocumentGenerator } from "./document-generator.js";
import { compactText, jsonbText } from "./document-values.js";
import type { EventDocument } from "./event.js";
import { EventStatus } from "./lifecycle.js";
import { differingPaths, processDocument, processValues } from "./processed-document.js";

const documentAt = (index: number): EventDocument =>
  JSON.parse(new DocumentGenerator(1, "producers/0").at(index).json) as EventDocument;

describe("processDocument", () => {
  test("has the same effect as applying each pass in turn", () => {
    const statuses = fc.array(fc.constantFrom(...EventStatus.options), { maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(1000), statuses, (index, passes) => {
        const stepwise = passes.reduce(applyBusinessRule, JSON.stringify(documentAt(index)));
        const atOnce = documentAt(index);
        processDocument(atOnce, passes.at(-1) ?? "PENDING", passes.length);
        expect(atOnce).toEqual(JSON.parse(stepwise));
      }),
    );
  });
});

describe("processValues", () => {
  test("changes values like processDocument changes documents, in both text formats", () => {
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.constantFrom(...EventStatus.options),
        fc.nat(4),
        (index, status, passes) => {
          const values = new DocumentGenerator(1, "producers/0").valuesAt(index);
          processValues(values, status, passes);
          const wanted = documentAt(index);
          processDocument(wanted, status, passes);
          expect(compactText(values)).toBe(JSON.stringify(wanted));
          expect(JSON.parse(jsonbText(values))).toEqual(wanted);
        },
      ),
    );
  });
});

describe("differingPaths", () => {
  test("finds no difference if only the order of keys differs", () => {
    const values = new DocumentGenerator(1, "producers/0").valuesAt(3);
    expect(differingPaths(JSON.parse(jsonbText(values)), documentAt(3))).toEqual([]);
  });

  test("names every path that differs, is missing or is additional", () => {
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
