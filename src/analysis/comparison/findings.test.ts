import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test/support/lanes.js";
import { Prng } from "../../foundation/prng.js";
import type { RatioFinding } from "../../results/result-schema.js";
import { findingsOf, medianWithInterval, medianSummary, familySettler, type Question } from "./findings.js";
import type { LogarithmSeries } from "../steady-state/series.js";
import { isDifference } from "./verdicts.js";

/** A standard normal number, by Box and Muller. */
function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());
}

function series(values: readonly number[]): LogarithmSeries {
  return new Map(values.map((value, block) => [block, value]));
}

interface Machine {
  /** Standard deviation of the noise that both trials of a block share. */
  readonly block: number;
  /** Slow-down of the second trial of a block, regardless of its side. */
  readonly position: number;
  readonly skewed: boolean;
}

/** An A/A question on such a machine: both sides ran the same settings, and took turns at being first. */
function aaQuestion(blocks: number, machine: Machine, prng: Prng): Question {
  const sides: [number[], number[]] = [[], []];
  const places: number[] = [];
  const start = prng.intBetween(0, 1);
  for (let block = 0; block < blocks; block++) {
    const shared = machine.block * normal(prng);
    const first = (start + block) % 2;
    places.push(first === 0 ? 1 : -1);
    for (const place of [0, 1]) {
      const noise = machine.skewed ? Math.exp(normal(prng)) / 2 : normal(prng);
      sides[place === 0 ? first : 1 - first]?.push(shared + place * machine.position + noise);
    }
  }
  return { key: "aa", reference: series(sides[0]), values: series(sides[1]), places: series(places) };
}

function isClaim(finding: RatioFinding | undefined): boolean {
  return finding?.verdict === "exploratory";
}

function claimRate(blocks: number, machine: Machine, experiments: number, family = 1): number {
  const prng = new Prng(blocks * 1000 + family);
  let claimed = 0;
  for (let i = 0; i < experiments; i++) {
    const questions = Array.from({ length: family }, () => aaQuestion(blocks, machine, prng));
    if (findingsOf(questions, i).some(isClaim)) claimed++;
  }
  return claimed / experiments;
}

describe("findingsOf", () => {
  it("claims a difference in at most 5 % of A/A comparisons, also with drift and disturbed trials", () => {
    const experiments = isFull ? 400 : 80;
    // The bound is 5 % plus three standard errors of the binomial distribution.
    const bound = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / experiments);
    const machines: Machine[] = [
      { block: 0, position: 0, skewed: false },
      { block: 2, position: 0, skewed: false },
      { block: 0, position: 1, skewed: false },
      { block: 1, position: 20, skewed: false },
      { block: 0.5, position: 0.5, skewed: true },
    ];
    for (const blocks of [5, 6, 8])
      for (const machine of machines)
        expect(
          claimRate(blocks, machine, experiments),
          JSON.stringify({ blocks, machine }),
        ).toBeLessThanOrEqual(bound);
  });

  it("keeps the chance of one false claim among four comparisons below 5 %", () => {
    const experiments = isFull ? 200 : 80;
    const bound = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / experiments);
    const steady = { block: 0, position: 0, skewed: false };
    for (const blocks of [5, 8]) expect(claimRate(blocks, steady, experiments, 4)).toBeLessThanOrEqual(bound);
  });

  it("finds a difference of four times the noise in nine of ten experiments with five trials", () => {
    const prng = new Prng(11);
    const found = Array.from({ length: 200 }, (_, i) => {
      const question = aaQuestion(5, { block: 0, position: 0, skewed: false }, prng);
      const values = new Map([...question.values].map(([block, value]) => [block, value + 4]));
      return findingsOf([{ ...question, values }], i)[0];
    });
    expect(found.filter((finding) => isClaim(finding) && (finding?.ratio ?? 0) > 1).length).toBeGreaterThan(
      180,
    );
  });

  it("gives verdicts, intervals and findings that agree for any trials", () => {
    const logarithm = fc.oneof(
      fc.double({ min: -0.1, max: 0.1, noNaN: true }),
      fc.double({ min: -9, max: 9, noNaN: true }),
    );
    const trial = fc.record({
      reference: logarithm,
      values: logarithm,
      places: fc.constantFrom(-2, -1, 1, 2),
    });
    const shifted = fc.record({
      trials: fc.array(trial, { minLength: 5, maxLength: 12 }),
      shift: fc.double({ min: -1, max: 1, noNaN: true }),
      shrunk: fc.constantFrom(1, 0.1, 0.001),
    });
    const bounds = fc.record({
      level: fc.constantFrom(0.05, 0.005),
      equivalence: fc.double({ min: 1.01, max: 1.5, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(shifted, { minLength: 1, maxLength: 3 }), bounds, (family, bound) => {
        const asked = findingsOf(
          family.map(({ trials, shift, shrunk }, i) => ({
            key: String(i),
            reference: series(trials.map(({ reference }) => shrunk * reference)),
            values: series(trials.map(({ values }) => shift + shrunk * values)),
            places: series(trials.map(({ places }) => places)),
          })),
          1,
          bound,
        ).flatMap((each) => each ?? []);
        for (const each of asked.map(familySettler(asked, 1, bound))) {
          const { ciLow, ciHigh, ratio, pAdjusted, familyP, verdict } = each;
          if (ciLow === null || ciHigh === null) throw new Error("five blocks have an interval");
          expect(ciLow).toBeLessThanOrEqual(ratio);
          expect(ciHigh).toBeGreaterThanOrEqual(ratio);
          const differs = isDifference(each);
          if (differs) expect([ciLow > 1 || ciHigh < 1, (pAdjusted ?? 1) <= 0.05]).toEqual([true, true]);
          if (differs) expect(verdict === "finding").toBe((familyP ?? 1) <= 0.05);
          if (verdict !== "indistinguishable") continue;
          expect(ciLow).toBeGreaterThanOrEqual(1 / bound.equivalence);
          expect(ciHigh).toBeLessThanOrEqual(bound.equivalence);
        }
      }),
      { numRuns: isFull ? 300 : 40 },
    );
  });

  it("covers the true ratio in about 95 of 100 intervals, from five blocks on", () => {
    for (const blocks of [5, 7, 10]) {
      const prng = new Prng(blocks);
      const experiments = isFull ? 400 : 150;
      const covered = Array.from({ length: experiments }, (_, seed) => {
        const values = Array.from({ length: blocks }, () => 0.3 + normal(prng));
        const { ciLow, ciHigh } = medianWithInterval(values, seed);
        return ciLow !== null && ciHigh !== null && ciLow <= 0.3 && ciHigh >= 0.3;
      }).filter(Boolean).length;
      // 1 - 2 / 2^5 is 93.75 % for five; three standard errors below that.
      expect(covered / experiments).toBeGreaterThan(0.9375 - 3 * Math.sqrt((0.06 * 0.94) / experiments));
    }
  });

  it("gives non-negative values an interval that is not negative", () => {
    const amounts = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e6, noNaN: true })), {
      minLength: 5,
      maxLength: 9,
    });
    fc.assert(
      fc.property(amounts, fc.integer(), (values, seed) => {
        const { median, ciLow, ciHigh } = medianSummary(values, seed);
        expect(ciLow).toBeGreaterThanOrEqual(0);
        expect(ciLow).toBeLessThanOrEqual(median * (1 + 1e-9));
        expect(ciHigh).toBeGreaterThanOrEqual(median * (1 - 1e-9));
        expect(ciHigh).toBeLessThan(Number.POSITIVE_INFINITY);
      }),
    );
  });

  it("compares only blocks with both sides, in the order of blocks", () => {
    const reference = new Map([
      [2, 1],
      [0, 1],
    ]);
    const values = new Map([
      [0, 1],
      [1, 9],
      [2, 1 + Math.log(4)],
    ]);
    const [finding, none] = findingsOf(
      [
        { key: "a", reference, values },
        { key: "b", reference, values: new Map([[7, 1]]) },
      ],
      1,
    );
    expect(finding).toMatchObject({ blocks: 2, verdict: "inconclusive", test: null, ciLow: null });
    expect(finding?.ratio).toBeCloseTo(2, 12);
    expect(none).toBeUndefined();
  });
});
