import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Prng } from "../../../foundation/prng.js";
import {
  advance,
  EventStatus,
  isTerminal,
  possiblePasses,
  TERMINAL_STATUSES,
  WORKABLE_STATUSES,
} from "./lifecycle.js";

const chances = { claim: 0.7, complete: 0.6, fail: 0.1 };

describe("the advance of an event", () => {
  test.each([
    ["PENDING", 0, "PROCESSING"],
    ["PENDING", 0.699, "PROCESSING"],
    ["PENDING", 0.7, "PENDING"],
    ["PROCESSING", 0, "COMPLETE"],
    ["PROCESSING", 0.599, "COMPLETE"],
    ["PROCESSING", 0.6, "FAILED"],
    ["PROCESSING", 0.699, "FAILED"],
    ["PROCESSING", 0.7, "PROCESSING"],
    ["COMPLETE", 0, "COMPLETE"],
    ["FAILED", 0, "FAILED"],
  ] as const)("moves %s with a roll of %d to %s", (from, roll, to) => {
    expect(advance(from, roll, chances)).toBe(to);
  });

  test("always moves with a chance of 1 and never with a chance of 0", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (roll) => {
        expect(advance("PENDING", roll, { claim: 1, complete: 1, fail: 0 })).toBe("PROCESSING");
        expect(advance("PROCESSING", roll, { claim: 1, complete: 1, fail: 0 })).toBe("COMPLETE");
        expect(advance("PROCESSING", roll, { claim: 1, complete: 0, fail: 1 })).toBe("FAILED");
        expect(advance("PENDING", roll, { claim: 0, complete: 1, fail: 0 })).toBe("PENDING");
        expect(advance("PROCESSING", roll, { claim: 0, complete: 0, fail: 0 })).toBe("PROCESSING");
      }),
    );
  });

  test("completes and fails the stated shares of events", () => {
    const prng = new Prng(17);
    const counts = { PENDING: 0, PROCESSING: 0, COMPLETE: 0, FAILED: 0 };
    for (let i = 0; i < 100_000; i++) counts[advance("PROCESSING", prng.float(), chances)]++;
    expect(Math.abs(counts.COMPLETE - 60_000)).toBeLessThan(800);
    expect(Math.abs(counts.FAILED - 10_000)).toBeLessThan(500);
    expect(counts.PENDING).toBe(0);
  });
});

describe("a status", () => {
  test("is either workable or terminal", () => {
    expect([...WORKABLE_STATUSES, ...TERMINAL_STATUSES].sort()).toEqual([...EventStatus.options].sort());
    for (const status of WORKABLE_STATUSES) expect(isTerminal(status)).toBe(false);
    for (const status of TERMINAL_STATUSES) expect(isTerminal(status)).toBe(true);
  });
});

describe("possiblePasses", () => {
  const anyChance = fc.constantFrom(0, 0.3, 0.5, 1);
  const anyChances = fc
    .record({ claim: anyChance, complete: anyChance, fail: anyChance, isOneStep: fc.boolean() })
    .filter(({ claim, complete, fail, isOneStep }) => (isOneStep ? claim : 0) + complete + fail <= 1);

  test("contains every number of passes that a simulated event reaches", () => {
    fc.assert(
      fc.property(anyChances, fc.nat(), (some, seed) => {
        const prng = new Prng(seed);
        let status: EventStatus = "PENDING";
        for (let passes = 0; passes < 12 && !isTerminal(status); passes++) {
          const possible = possiblePasses(status, some);
          expect(possible && possible.least <= passes && passes <= possible.most).toBe(true);
          status = advance(status, prng.float(), some);
        }
      }),
    );
  });

  test("gives exact limits, and undefined for a status that cannot be reached", () => {
    const certain = { claim: 1, complete: 0.8, fail: 0.2 };
    expect(possiblePasses("PENDING", certain)).toEqual({ least: 0, most: 0 });
    expect(possiblePasses("PROCESSING", certain)).toEqual({ least: 1, most: 1 });
    expect(possiblePasses("FAILED", certain)).toEqual({ least: 2, most: 2 });
    expect(possiblePasses("COMPLETE", chances)).toEqual({ least: 2, most: Number.POSITIVE_INFINITY });
    expect(possiblePasses("FAILED", { claim: 1, complete: 1, fail: 0 })).toBeUndefined();
    expect(possiblePasses("PROCESSING", { claim: 0, complete: 1, fail: 0 })).toBeUndefined();
    const oneStep = { claim: 0.6, complete: 0.4, fail: 0, isOneStep: true };
    expect(possiblePasses("PENDING", oneStep)).toEqual({ least: 0, most: 0 });
    expect(possiblePasses("COMPLETE", oneStep)).toEqual({ least: 1, most: Number.POSITIVE_INFINITY });
    expect(possiblePasses("COMPLETE", { ...oneStep, claim: 0, complete: 1 })).toEqual({ least: 1, most: 1 });
    expect(possiblePasses("FAILED", oneStep)).toBeUndefined();
  });
});
