// The search for capacity on systems whose capacity is known: it finds it within its precision, walks few probes,
// repeats what it claims, and claims nothing that did not hold.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../foundation/prng.js";
import { roundRate, searchCapacity, type SearchResult } from "./capacity-search.js";

const OPTIONS = {
  startRatePerSecond: 50,
  leastRatePerSecond: 1,
  mostRatePerSecond: 100_000,
  precision: 0.05,
  confirmations: 3,
};

interface Walk extends SearchResult {
  readonly probes: readonly (readonly [rate: number, purpose: string, held: boolean])[];
}

async function walk(holds: (rate: number) => boolean | undefined): Promise<Walk> {
  const probes: [number, string, boolean][] = [];
  const result = await searchCapacity((rate, purpose) => {
    const held = holds(rate);
    if (held !== undefined) probes.push([rate, purpose, held]);
    return Promise.resolve(held);
  }, OPTIONS);
  return { ...result, probes };
}

describe("the search for capacity", () => {
  it("finds any capacity within its precision, and confirms the rate that it claims", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 1, max: 90_000, noNaN: true }), async (capacity) => {
        const { outcome, ratePerSecond, failsAtPerSecond, probes } = await walk((rate) => rate <= capacity);
        expect(outcome).toBe("found");
        const rate = ratePerSecond ?? 0;
        expect(rate).toBeLessThanOrEqual(capacity);
        expect(rate * 1.06).toBeGreaterThan(capacity);
        expect(failsAtPerSecond).toBeGreaterThan(capacity);
        expect(probes.slice(-3)).toEqual(Array(3).fill([rate, "confirm", true]));
        expect(probes.length).toBeLessThanOrEqual(25);
        expect(probes.every(([each]) => each === roundRate(each))).toBe(true);
      }),
    );
  });

  it("lowers a rate that held by luck until one holds every time", async () => {
    const prng = new Prng(1);
    // Above 100/s a probe may hold or not; from 130/s on it never does.
    const { outcome, ratePerSecond, probes } = await walk(
      (rate) => rate <= 100 || (rate < 130 && prng.float() < 0.3),
    );
    expect(outcome).toBe("found");
    const confirming = probes.filter(([rate, purpose]) => purpose === "confirm" && rate === ratePerSecond);
    expect(confirming.length).toBeGreaterThanOrEqual(3);
    expect(confirming.slice(-3).every(([, , held]) => held)).toBe(true);
  });

  it("says when nothing holds, when everything does, and when it was stopped", async () => {
    const nothing = await walk(() => false);
    expect(nothing).toMatchObject({ outcome: "none", ratePerSecond: null, failsAtPerSecond: 1 });
    expect(nothing.probes.at(-1)).toEqual([1, "bracket", false]);
    expect(await walk(() => true)).toMatchObject({
      outcome: "at-least",
      ratePerSecond: 100_000,
      failsAtPerSecond: null,
    });
    let left = 5;
    const stopped = await walk((rate) => (left-- > 0 ? rate < 300 : undefined));
    expect(stopped).toMatchObject({ outcome: "stopped", ratePerSecond: null });
    expect(stopped.probes).toHaveLength(5);
  });

  it("claims no rate that only held until it was repeated at the lowest", async () => {
    const held = new Set<number>();
    const { outcome } = await walk((rate) => {
      const isFirst = !held.has(rate);
      held.add(rate);
      return rate <= 1 && isFirst;
    });
    expect(outcome).toBe("none");
  });
});
