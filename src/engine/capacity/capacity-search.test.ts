import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { simulateSearches, walkSearch } from "../../../test/support/simulated-searches.js";
import { PROBES_MAX, roundRate, type SearchResult } from "./capacity-search.js";

const OPTIONS = {
  startRatePerSecond: 50,
  leastRatePerSecond: 1,
  mostRatePerSecond: 100_000,
  precision: 0.05,
  confirmations: 3,
};

interface Walk extends SearchResult {
  /** Probes without the first, which is discarded. */
  readonly probes: readonly (readonly [rate: number, purpose: string, held: boolean])[];
}

/** `holds` is asked for probes that count, with their position from 0; the discarded probe does not hold. */
function walk(holds: (rate: number, index: number) => boolean | undefined): Walk {
  const probes: [number, string, boolean][] = [];
  const result = walkSearch(OPTIONS, ({ ratePerSecond: rate, purpose, discarded }) => {
    if (discarded) return false;
    const held = holds(rate, probes.length);
    if (held !== undefined) probes.push([rate, purpose, held]);
    return held;
  });
  return { ...result, probes };
}

describe("the search for capacity", () => {
  it("finds any capacity within its precision and confirms the rate", () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 90_000, noNaN: true }), (capacity) => {
        const { outcome, ratePerSecond, failsAtPerSecond, probes } = walk((rate) => rate <= capacity);
        expect(outcome).toBe("found");
        const rate = ratePerSecond ?? 0;
        expect(rate).toBeLessThanOrEqual(capacity);
        expect(rate * 1.06).toBeGreaterThan(capacity);
        expect(failsAtPerSecond).toBeGreaterThan(capacity);
        const confirming = probes.filter(([, purpose]) => purpose === "confirm");
        expect(confirming).toEqual(Array(3).fill([rate, "confirm", true]));
        const counting = probes.filter(([, purpose]) => purpose !== "recover");
        expect(counting.slice(-2)).toEqual(Array(2).fill([failsAtPerSecond, "bracket", false]));
        expect(probes.length).toBeLessThanOrEqual(42);
        expect(probes.every(([each]) => each === roundRate(each))).toBe(true);
      }),
    );
  });

  it("finds a lower rate if a rate above the capacity held by chance", () => {
    const prng = new Prng(1);
    // Above 100/s a probe may hold or not; from 130/s on it never does.
    const { outcome, ratePerSecond, probes } = walk(
      (rate) => rate <= 100 || (rate < 130 && prng.float() < 0.3),
    );
    expect(outcome).toBe("found");
    const confirming = probes.filter(([rate, purpose]) => purpose === "confirm" && rate === ratePerSecond);
    expect(confirming.filter(([, , held]) => held)).toHaveLength(3);
    expect(confirming.length).toBeLessThanOrEqual(4);
    const others = probes.filter(([rate, purpose]) => purpose === "confirm" && rate !== ratePerSecond);
    expect(others.filter(([, , held]) => !held).length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ["the first probe", () => false],
    ["a probe below the capacity", (rate: number, index: number) => rate === 100 && index === 1],
    // Two probes in a row fail, as in a long stall: the rate bounds the search until the search repeats it at its end.
    ["two probes of the upper bound", (rate: number, index: number) => rate === 100 && index <= 2],
    ["a confirmation", (_: number, index: number) => index === 12],
  ])("finds the capacity if a stall disturbs %s", (_, isDisturbed) => {
    const { outcome, ratePerSecond } = walk((rate, index) => rate <= 868 && !isDisturbed(rate, index));
    expect(outcome).toBe("found");
    expect((ratePerSecond ?? 0) / 868).toBeGreaterThan(0.95);
    expect(ratePerSecond).toBeLessThanOrEqual(868);
  });

  it("discards the first probe and repeats its rate", () => {
    const asked: [number, boolean][] = [];
    walkSearch(OPTIONS, ({ ratePerSecond: rate, discarded }) => {
      asked.push([rate, discarded === true]);
      return rate <= 868 && discarded !== true;
    });
    expect(asked.slice(0, 3)).toEqual([
      [50, true],
      [50, false],
      [100, false],
    ]);
    expect(asked.filter(([, discarded]) => discarded)).toHaveLength(1);
  });

  it("ends within a limit of probes if probes hold at random", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const prng = new Prng(seed);
        const { probes } = walk(() => prng.float() < 0.5);
        expect(probes.length).toBeLessThan(PROBES_MAX);
      }),
    );
  });

  it("reports that no rate holds, that every rate holds, or that it was stopped", () => {
    const nothing = walk(() => false);
    expect(nothing).toMatchObject({ outcome: "none", ratePerSecond: null, failsAtPerSecond: 1 });
    expect(nothing.probes.at(-1)).toEqual([1, "bracket", false]);
    expect(walk(() => true)).toMatchObject({
      outcome: "at-least",
      ratePerSecond: 100_000,
      failsAtPerSecond: null,
    });
    let left = 5;
    const stopped = walk((rate) => (left-- > 0 ? rate < 300 : undefined));
    expect(stopped).toMatchObject({ outcome: "stopped", ratePerSecond: null });
    expect(stopped.probes).toHaveLength(5);
  });

  it("reports no rate if the lowest rate held once and failed when repeated", () => {
    const held = new Set<number>();
    const { outcome } = walk((rate) => {
      const isFirst = !held.has(rate);
      held.add(rate);
      return rate <= 1 && isFirst;
    });
    expect(outcome).toBe("none");
  });

  it("repeats its best rate after each failed rate", () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 90_000, noNaN: true }), (capacity) => {
        const { probes } = walk((rate) => rate <= capacity);
        for (const [i, [rate, purpose, held]] of probes.entries()) {
          const best = Math.max(0, ...probes.slice(0, i).flatMap(([each, , did]) => (did ? each : [])));
          const isDue = probes[i - 1]?.[2] === false && best > 0;
          expect(purpose === "recover").toBe(isDue);
          if (isDue) expect([rate, held]).toEqual([best, true]);
        }
      }),
    );
  });

  it.each([-0.01, 0.01])("is inconclusive on a server whose capacity changes by %d per probe", (change) => {
    const { outcome, ratePerSecond, drift } = walk((rate, index) => rate <= 400 * (1 + change) ** index);
    expect([outcome, ratePerSecond]).toEqual(["inconclusive", null]);
    const { firstPerSecond = 0, lastPerSecond = 0 } = drift ?? {};
    expect(Math.sign(lastPerSecond - firstPerSecond)).toBe(Math.sign(change));
  });

  it.each([0, 0.05, 0.1])(
    "names less than half of the capacity in under 1 % of searches if a share of %d of the probes is disturbed",
    (disturbedShare) => {
      const quality = simulateSearches(7, {
        searches: 200,
        noise: 0.03,
        confirmations: 3,
        disturbedShare,
      });
      expect(quality.belowHalf).toBeLessThan(0.01);
      expect(quality.above).toBeLessThan(0.01);
      expect(quality.covered).toBeGreaterThan(0.95);
      expect(quality.refused).toBeLessThan(0.05);
      expect(quality.probes).toBeLessThanOrEqual(32);
    },
  );

  it.each([
    ["noise persists between probes", { noise: 0.05, kept: 0.6 }],
    ["an overload slows the next probe", { noise: 0.03, afterEffect: { share: 0.3, left: 0 } }],
    ["an overload slows several probes", { noise: 0.03, afterEffect: { share: 0.3, left: 0.5 } }],
    ["the machine drifts", { noise: 0.03, drift: -0.01 }],
  ])("covers the capacity with 90 % of its intervals if %s", (_, simulated) => {
    const quality = simulateSearches(7, { searches: 60, confirmations: 3, ...simulated });
    expect(quality.covered).toBeGreaterThanOrEqual(0.9);
  });
});
