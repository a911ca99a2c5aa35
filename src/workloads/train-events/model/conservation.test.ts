import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exampleFacts } from "../../../../test/support/example-result.js";
import { conservationOf, VIOLATION_KINDS, type TableCounts } from "./conservation.js";

const count = fc.integer({ min: 0, max: 1_000_000 });
const counts: fc.Arbitrary<TableCounts> = fc.record({
  pending: count,
  processing: count,
  complete: count,
  failed: count,
  archived: count,
  orphaned: fc.constant(0),
  duplicated: fc.constant(0),
});

function total(held: TableCounts): number {
  return held.pending + held.processing + held.complete + held.failed + held.archived;
}

describe("the conservation law", () => {
  test("holds if every acknowledged event is there and nothing was found", () => {
    fc.assert(
      fc.property(counts, (held) => {
        const result = conservationOf(exampleFacts(total(held)), held);
        expect(result).toMatchObject({
          ...held,
          published: total(held),
          lost: 0,
          unexpected: 0,
          violations: [],
          verdict: "ok",
        });
      }),
    );
  });

  describe("missing acknowledged events", () => {
    const held = {
      pending: 2,
      processing: 0,
      complete: 0,
      failed: 0,
      archived: 0,
      orphaned: 0,
      duplicated: 0,
    };
    const facts = exampleFacts(5);
    const span = { sinceMs: 0, untilMs: 1 };
    const judge = (isAllowed: boolean, explained: number) =>
      conservationOf(
        {
          ...facts,
          found: { ...facts.found, lost: 3 },
          explained: { lost: explained, undone: 0 },
          losses: [{ operation: "add", lost: 3, unexplained: 3 - explained }],
          terms: { spans: [span], isAllowed, windowStartMs: 0 },
        },
        held,
      );

    test("are no violation if a fault explains all missing events and the scenario allows losses", () => {
      expect(judge(true, 3)).toMatchObject({ verdict: "ok", violations: [], lost: 3 });
      expect(judge(true, 3).losses).toEqual([{ operation: "add", lost: 3, unexplained: 0 }]);
    });

    test.each([
      [false, 3],
      [false, 0],
      [true, 2],
    ])("are a violation otherwise: allowed %s, explained %d of 3", (isAllowed, explained) => {
      expect(judge(isAllowed, explained)).toMatchObject({
        verdict: "violated",
        violations: [`3 of 5 acknowledged events are in no table (explained by a fault: ${explained} of 3)`],
      });
    });
  });

  test.each(VIOLATION_KINDS)("is violated by one event that is %s, with one sentence", (kind) => {
    fc.assert(
      fc.property(counts, (held) => {
        const facts = exampleFacts(total(held));
        const {
          violations,
          verdict,
          [kind]: found,
        } = conservationOf({ ...facts, found: { ...facts.found, [kind]: 1 } }, held);
        expect({ verdict, found }).toEqual({ verdict: "violated", found: 1 });
        expect(violations).toHaveLength(1);
        expect(violations[0]).toMatch(/^1 /);
      }),
    );
  });

  test("is violated by table counts that exceed the acknowledged events", () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 1000 }), (held, more) => {
        const result = conservationOf(exampleFacts(total(held)), { ...held, pending: held.pending + more });
        expect(result.verdict).toBe("violated");
        expect(result.violations[0]).toContain(`${total(held) + more} events are in the tables`);
      }),
    );
  });

  test("holds with events in doubt, whether or not they were found", () => {
    fc.assert(
      fc.property(counts, fc.nat(100), fc.nat(100), (held, found, absent) => {
        const facts = { ...exampleFacts(total(held)), inDoubt: found + absent, inDoubtFound: found };
        const result = conservationOf(facts, { ...held, processing: held.processing + found });
        expect(result).toMatchObject({ verdict: "ok", inDoubt: found + absent, inDoubtFound: found });
      }),
    );
  });

  test("holds with additional events if a ledger was not closed", () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 1000 }), (held, more) => {
        const notAudited = ["the work of consumers worker 0 after its last note"];
        const facts = { ...exampleFacts(total(held)), notAudited };
        const result = conservationOf(facts, { ...held, pending: held.pending + more });
        expect(result).toMatchObject({ verdict: "ok", notAudited });
      }),
    );
  });

  test("lists every violation", () => {
    const held = {
      pending: 5,
      processing: 0,
      complete: 0,
      failed: 0,
      archived: 1,
      orphaned: 2,
      duplicated: 1,
    };
    const facts = exampleFacts(10);
    const found = { ...facts.found, lost: 6, orphaned: 2, duplicated: 1 };
    expect(conservationOf({ ...facts, found }, held).violations).toEqual([
      "6 of 10 acknowledged events are in no table",
      "1 event is both live and archived",
      "2 rows have an event or a status but not both",
    ]);
  });
});

test.each(VIOLATION_KINDS)("the sentence about %s events uses singular and plural", (kind) => {
  const facts = exampleFacts(9);
  const held = { pending: 9, processing: 0, complete: 0, failed: 0, archived: 0, orphaned: 0, duplicated: 0 };
  const sentence = (events: number): string =>
    conservationOf({ ...facts, found: { ...facts.found, [kind]: events } }, held).violations[0] ?? "";
  const one = /^1 (event|row|document) (is|was|has|lacks|shows|contradicts)|^1 of 9 acknowledged events is /;
  expect(sentence(1)).toMatch(one);
  expect(sentence(2)).toMatch(/^2 (events|rows|documents) |^2 of 9 acknowledged events are /);
});
