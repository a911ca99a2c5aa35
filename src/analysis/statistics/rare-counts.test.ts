// Exact intervals of rare counts: compared with published values, and with the sums of the binomial distribution.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { betaCdf, rateRatioInterval, shareInterval } from "./rare-counts.js";

/** The chance of each number of events, from 0 to `all`. */
function chances(all: number, share: number): number[] {
  // Logarithms, since the first chances may be too small for a number.
  const found = [all * Math.log1p(-share)];
  for (let k = 1; k <= all; k++)
    found.push((found[k - 1] ?? 0) + Math.log((all - k + 1) / k) + Math.log(share) - Math.log1p(-share));
  return found.map(Math.exp);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("the interval of a share", () => {
  it.each([
    // R: binom.test(count, all)$conf.int; of 0 and of all, one-sided.
    [1, 10, 0.002_528_579, 0.445_016_1],
    [5, 10, 0.187_086_0, 0.812_914_0],
    [12, 51_003, 0.000_121_578, 0.000_410_957],
    [0, 10, 0, 0.258_865_6],
    [10, 10, 0.741_134_4, 1],
  ])("%d of %d has R's exact interval from %d to %d", (count, all, low, high) => {
    const found = shareInterval(count, all);
    expect(found.low).toBeCloseTo(low, 7);
    expect(found.high).toBeCloseTo(high, 7);
  });

  it("ends at about three in n if none of n was seen", () => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 100_000_000 }), (all) => {
        expect(shareInterval(0, all).high * all).toBeCloseTo(2.9957, 0);
        expect(shareInterval(0, all).high).toBeLessThan(3 / all);
      }),
    );
  });

  it("covers the true share in at least 92.5 % of experiments", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 120 }),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (all, share) => {
          const held = chances(all, share).map((chance, count) => {
            const { low, high } = shareInterval(count, all);
            return low <= share && share <= high ? chance : 0;
          });
          // Counts of 0 and of all have 5 % at their one open end, so both tails together may miss 2.5 % more.
          expect(sum(held)).toBeGreaterThan(0.925 - 1e-9);
        },
      ),
      { numRuns: 60 },
    );
  });
});

it("the incomplete beta function equals sums of the binomial distribution", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.nat(59),
      (all, share, some) => {
        const most = Math.min(some, all - 1);
        const tail = sum(chances(all, share).slice(0, most + 1));
        expect(1 - betaCdf(share, most + 1, all - most)).toBeCloseTo(tail, 9);
      },
    ),
  );
});

describe("the interval of a ratio of two rates", () => {
  it("covers the true ratio in at least 95 % of experiments, for any number of trials on each side", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0.05, max: 20, noNaN: true }),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        (events, ratio, exposure) => {
          const part = (ratio * exposure) / (ratio * exposure + 1);
          const held = chances(events, part).map((chance, count) => {
            const interval = rateRatioInterval(
              { count, all: 1000 * exposure },
              { count: events - count, all: 1000 },
            );
            const { low = 0, high = 0 } = interval ?? {};
            return low <= ratio && ratio <= high ? chance : 0;
          });
          expect(sum(held)).toBeGreaterThan(0.95 - 1e-9);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is open upwards against no event, starts at 0 without one, and is undefined without any", () => {
    const none = { count: 0, all: 52_134 };
    const some = { count: 12, all: 51_003 };
    const above = rateRatioInterval(some, none);
    expect(above?.high).toBe(Number.POSITIVE_INFINITY);
    expect(above?.low).toBeGreaterThan(1);
    expect(rateRatioInterval(none, some)?.low).toBe(0);
    expect(rateRatioInterval(none, some)?.high).toBeLessThan(1);
    expect(rateRatioInterval(none, none)).toBeUndefined();
  });
});
