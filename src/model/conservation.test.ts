// The conservation law as arithmetic: whatever the way a trial loses, doubles or invents an event, it is seen.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conservationOf, type TableCounts } from "./conservation.js";

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
const loss = fc.integer({ min: 1, max: 1000 });

function total(held: TableCounts): number {
  return held.pending + held.processing + held.complete + held.failed + held.archived;
}

describe("conservationOf", () => {
  test("holds when every acknowledged event is in exactly one place", () => {
    fc.assert(
      fc.property(counts, (held) => {
        const result = conservationOf(total(held), 0, 0, held);
        expect(result).toEqual({
          ...held,
          published: total(held),
          inDoubt: 0,
          lost: 0,
          unexpected: 0,
          violations: [],
          verdict: "ok",
        });
      }),
    );
  });

  test("sees every lost event", () => {
    fc.assert(
      fc.property(counts, loss, (held, missing) => {
        const result = conservationOf(total(held) + missing, 0, 0, held);
        expect(result).toMatchObject({ verdict: "violated", lost: missing, unexpected: 0 });
        expect(result.violations.join()).toContain(`${missing} of ${total(held) + missing} acknowledged`);
      }),
    );
  });

  test("sees events that nobody was told were inserted", () => {
    fc.assert(
      fc.property(counts, loss, (held, extra) => {
        const result = conservationOf(total(held), 0, 0, { ...held, pending: held.pending + extra });
        expect(result).toMatchObject({ verdict: "violated", lost: 0, unexpected: extra });
      }),
    );
  });

  test("sees an event both live and archived, and counts it once", () => {
    fc.assert(
      fc.property(counts, loss, (held, both) => {
        const doubled = { ...held, archived: held.archived + both, duplicated: both };
        const result = conservationOf(total(held), 0, 0, doubled);
        expect(result).toMatchObject({ verdict: "violated", lost: 0, unexpected: 0, duplicated: both });
      }),
    );
  });

  test("a doubled event does not make up for a lost one", () => {
    const held = {
      pending: 9,
      processing: 0,
      complete: 0,
      failed: 0,
      archived: 1,
      orphaned: 0,
      duplicated: 1,
    };
    expect(conservationOf(10, 0, 0, held)).toMatchObject({ lost: 1, duplicated: 1, verdict: "violated" });
  });

  test("sees an event without its status row, or the other way about", () => {
    const held = {
      pending: 10,
      processing: 0,
      complete: 0,
      failed: 0,
      archived: 0,
      orphaned: 1,
      duplicated: 0,
    };
    const result = conservationOf(10, 0, 0, held);
    expect(result.verdict).toBe("violated");
    expect(result.violations).toEqual(["1 rows have an event or a status but not both"]);
  });

  test("events in doubt break nothing, found or not, and hide no loss", () => {
    fc.assert(
      fc.property(counts, fc.nat(100), fc.nat(100), fc.nat(5), (held, found, absent, missing) => {
        const inDoubt = found + absent;
        const result = conservationOf(total(held) + missing, inDoubt, found, {
          ...held,
          processing: held.processing + found,
        });
        expect(result).toMatchObject({ lost: missing, unexpected: 0, inDoubt });
        expect(result.verdict).toBe(missing > 0 ? "violated" : "ok");
      }),
    );
  });

  test("reports every way in which the law is broken", () => {
    const held = {
      pending: 5,
      processing: 0,
      complete: 0,
      failed: 0,
      archived: 1,
      orphaned: 2,
      duplicated: 1,
    };
    expect(conservationOf(10, 0, 0, held).violations).toHaveLength(3);
  });
});
