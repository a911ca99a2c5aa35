import { describe, expect, it } from "vitest";
import { isFull } from "../../../test/support/lanes.js";
import { Prng } from "../../foundation/prng.js";
import type { RatioFinding } from "../../results/result-schema.js";
import {
  findingsOf,
  medianWithInterval,
  pairedTrialsNeeded,
  trialsNeeded,
  type Question,
} from "./findings.js";
import type { LogSeries } from "../steady-state/series.js";

/** Standard normal, by Box and Muller. */
function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());
}

function series(values: readonly number[]): LogSeries {
  return new Map(values.map((value, block) => [block, value]));
}

interface Machine {
  /** Standard deviation of what both trials of a block share. */
  readonly block: number;
  /** What the second trial of a block is slower by, whichever it is. */
  readonly position: number;
  readonly skewed: boolean;
}

/** An A/A question: both sides ran the same thing, in random order within each block, on such a machine. */
function aaQuestion(blocks: number, machine: Machine, prng: Prng): Question {
  const sides: [number[], number[]] = [[], []];
  for (let block = 0; block < blocks; block++) {
    const shared = machine.block * normal(prng);
    const first = prng.intBetween(0, 1);
    for (const place of [0, 1]) {
      const noise = machine.skewed ? Math.exp(normal(prng)) / 2 : normal(prng);
      sides[place === 0 ? first : 1 - first]?.push(shared + place * machine.position + noise);
    }
  }
  return { key: "aa", reference: series(sides[0]), values: series(sides[1]) };
}

function isClaim(finding: RatioFinding | undefined): boolean {
  return finding?.verdict === "higher" || finding?.verdict === "lower";
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
  it("claims a difference in at most 5 % of A/A comparisons, with drift and disturbed trials too", () => {
    const experiments = isFull ? 400 : 80;
    // The binomial's own spread: 5 % plus three standard errors.
    const bound = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / experiments);
    const machines: Machine[] = [
      { block: 0, position: 0, skewed: false },
      { block: 2, position: 0, skewed: false },
      { block: 0, position: 1, skewed: false },
      { block: 0.5, position: 0.5, skewed: true },
    ];
    for (const blocks of [5, 6, 8])
      for (const machine of machines)
        expect(
          claimRate(blocks, machine, experiments),
          JSON.stringify({ blocks, machine }),
        ).toBeLessThanOrEqual(bound);
  });

  it("keeps the chance of one false claim in a family of four below 5 %", () => {
    const bound = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / 200);
    const steady = { block: 0, position: 0, skewed: false };
    for (const blocks of [5, 8]) expect(claimRate(blocks, steady, 200, 4)).toBeLessThanOrEqual(bound);
  });

  it("finds a difference four times the noise in nine of ten experiments of five trials", () => {
    const prng = new Prng(11);
    const found = Array.from({ length: 200 }, (_, i) => {
      const { key, reference, values } = aaQuestion(5, { block: 0, position: 0, skewed: false }, prng);
      const shifted = new Map([...values].map(([block, value]) => [block, value + 4]));
      return findingsOf([{ key, reference, values: shifted }], i)[0];
    });
    expect(found.filter((finding) => finding?.verdict === "higher").length).toBeGreaterThan(180);
  });

  it("uses the paired test from where it can be significant, which needs more blocks in larger families", () => {
    const questions = (family: number, blocks: number): Question[] =>
      Array.from({ length: family }, (_, i) => ({
        key: String(i),
        reference: series(Array.from({ length: blocks }, (_, block) => block)),
        values: series(Array.from({ length: blocks }, (_, block) => block + 0.5)),
      }));
    const tests = (family: number, blocks: number) =>
      findingsOf(questions(family, blocks), 1).map((finding) => finding?.test);
    expect(tests(1, 4)).toEqual([null]);
    expect(tests(1, 5)).toEqual(["unpaired"]);
    expect(tests(1, 6)).toEqual(["paired"]);
    expect(tests(2, 6)).toEqual(["unpaired", "unpaired"]);
    expect(tests(2, 7)).toEqual(["paired", "paired"]);
    expect([1, 2, 3, 4, 6, 7].map((family) => pairedTrialsNeeded(family))).toEqual([6, 7, 7, 8, 8, 9]);
    expect([1, 6, 7, 23].map((family) => trialsNeeded(family))).toEqual([5, 5, 6, 6]);
  });

  it("covers the true ratio in about 95 of 100 intervals, from five blocks on", () => {
    for (const blocks of [5, 7, 10]) {
      const prng = new Prng(blocks);
      const experiments = 400;
      const covered = Array.from({ length: experiments }, (_, seed) => {
        const values = Array.from({ length: blocks }, () => 0.3 + normal(prng));
        const { ciLow, ciHigh } = medianWithInterval(values, seed);
        return ciLow !== null && ciHigh !== null && ciLow <= 0.3 && ciHigh >= 0.3;
      }).filter(Boolean).length;
      // 1 - 2 / 2^5 is 93.75 % for five; three standard errors below that.
      expect(covered / experiments).toBeGreaterThan(0.9375 - 3 * Math.sqrt((0.06 * 0.94) / experiments));
    }
  });

  it("answers only where a block has both sides, and takes blocks in order", () => {
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
