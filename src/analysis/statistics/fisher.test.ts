import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fisherPValue, leastFisherPValue, oddsInterval, type EventCounts } from "./fisher.js";

const counts = fc
  .record({ ofBefore: fc.integer({ min: 1, max: 25 }), ofAfter: fc.integer({ min: 1, max: 25 }) })
  .chain(({ ofBefore, ofAfter }) =>
    fc.record({
      ofBefore: fc.constant(ofBefore),
      ofAfter: fc.constant(ofAfter),
      before: fc.integer({ min: 0, max: ofBefore }),
      after: fc.integer({ min: 0, max: ofAfter }),
    }),
  );
const level = fc.double({ min: 0.001, max: 0.5, noNaN: true });

describe("Fisher's exact test", () => {
  it("agrees with R's fisher.test on the tea tasting: twice the tail, and the interval of the odds ratio", () => {
    // R: fisher.test(matrix(c(3, 1, 1, 3), 2)) has 0.2117 to 621.93, one-sided p 0.2429. Its search of the upper end stops early.
    const tea: EventCounts = { before: 1, ofBefore: 4, after: 3, ofAfter: 4 };
    expect(fisherPValue(tea)).toBeCloseTo(2 * 0.242857, 5);
    const [low, high] = oddsInterval(tea, 0.05);
    expect(low).toBeCloseTo(0.2117, 4);
    const weights = [1, 16 * high, 36 * high ** 2, 16 * high ** 3, high ** 4];
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    expect(1 - (weights[4] ?? 0) / all).toBeCloseTo(0.025, 8);
  });

  it("has an open interval if a count is 0 or the whole", () => {
    const all: EventCounts = { before: 0, ofBefore: 5, after: 5, ofAfter: 5 };
    expect(fisherPValue(all)).toBeCloseTo(2 / 252, 12);
    const [low, high] = oddsInterval(all, 0.05);
    expect(low).toBeGreaterThan(1);
    expect(high).toBe(Number.POSITIVE_INFINITY);
    expect(oddsInterval({ ...all, before: 5 }, 0.05)).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  it("rejects equal odds exactly if the interval excludes 1", () => {
    fc.assert(
      fc.property(counts, level, (each, at) => {
        const [low, high] = oddsInterval(each, at);
        const p = fisherPValue(each);
        fc.pre(Math.abs(p - at) > 1e-9);
        expect(p < at).toBe(low > 1 || high < 1);
      }),
    );
  });

  it("is symmetric in both sides and at least the least p-value of its sums", () => {
    fc.assert(
      fc.property(counts, (each) => {
        const p = fisherPValue(each);
        expect(leastFisherPValue(each)).toBeLessThanOrEqual(p + 1e-12);
        const { before, ofBefore, after, ofAfter } = each;
        const exchanged = { before: after, ofBefore: ofAfter, after: before, ofAfter: ofBefore };
        expect(fisherPValue(exchanged)).toBeCloseTo(p, 10);
      }),
    );
  });
});
