// The family-wise test against what it must not do (claim where nothing differs, however many questions are asked) and what
// it must (find a large difference from five blocks on, whatever else is noisy).
import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { familyPValues } from "./family-test.js";
import type { LogSeries } from "../steady-state/series.js";

/** Normal by the sum of twelve uniforms: another way than the program's own. */
function normal(prng: Prng): number {
  return Array.from({ length: 12 }, () => prng.float()).reduce((sum, each) => sum + each, -6);
}

/** Questions that share a part of their noise, as metrics of one trial do. */
function questions(prng: Prng, count: number, blocks: number, shifts: readonly number[] = []): LogSeries[] {
  const shared = Array.from({ length: blocks }, () => normal(prng));
  return Array.from({ length: count }, (_, q) => {
    const noise = 0.03 + 0.1 * prng.float();
    const values = shared.map((common): number => (shifts[q] ?? 0) + noise * (common + normal(prng)));
    return new Map(values.map((value, block) => [block, value]));
  });
}

describe("one error rate for all questions of an experiment", () => {
  it.each([
    { count: 8, blocks: 5 },
    { count: 20, blocks: 6 },
    { count: 3, blocks: 10 },
  ])("holds where nothing differs: $count questions, $blocks blocks", ({ count, blocks }) => {
    const prng = new Prng(7);
    const experiments = 120;
    let wrong = 0;
    for (let i = 0; i < experiments; i++)
      if (familyPValues(questions(prng, count, blocks), new Prng(i)).some((p) => p <= 0.05)) wrong++;
    // 6 are expected; 15 or more come with a chance of 0.001.
    expect(wrong).toBeLessThan(15);
  });

  it("holds for those that do not differ beside one that does, and finds that one", () => {
    const prng = new Prng(11);
    let [wrong, found] = [0, 0];
    for (let i = 0; i < 100; i++) {
      const [first = 1, ...others] = familyPValues(questions(prng, 10, 6, [1]), new Prng(i));
      if (first <= 0.05) found++;
      if (others.some((p) => p <= 0.05)) wrong++;
    }
    expect(wrong).toBeLessThan(14);
    expect(found).toBeGreaterThan(93);
  });

  it("gives the same answer to the same seed, 1 to a question without differences, and takes series that lack blocks", () => {
    const [large, small] = questions(new Prng(3), 2, 6, [2]);
    const lacking = [...(small ?? [])].filter(([block]) => block !== 2);
    const none = [0, 1, 2, 3, 4].map((block): [number, number] => [block, 0]);
    const series = [large ?? [], lacking, none].map((entries) => new Map(entries));
    const pValues = familyPValues(series, new Prng(5));
    expect(familyPValues(series, new Prng(5))).toEqual(pValues);
    expect(pValues[0]).toBeLessThan(0.01);
    expect(pValues[1]).toBeGreaterThan(0.05);
    expect(pValues[2]).toBe(1);
  });
});
