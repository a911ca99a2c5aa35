// The family-wise test: no finding without a difference for any number of questions, and a large difference found from five
// blocks on, also among noisy series and with a slower place.
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test/support/lanes.js";
import { Prng } from "../../foundation/prng.js";
import { familyPValues } from "./family-test.js";
import type { Difference, Differences } from "./place-effect.js";

/** A normal number, made as the sum of twelve uniform ones, which is another method than the program's. */
function normal(prng: Prng): number {
  return Array.from({ length: 12 }, () => prng.float()).reduce((sum, each) => sum + each, -6);
}

interface Shifts {
  /** True difference of the sides, by question. */
  readonly shifts?: readonly number[];
  /** Effect of each place; its sign alternates between questions. */
  readonly place?: number;
}

/** Questions that share a part of their noise, like metrics of one trial. Their two sides take turns at being first. */
function questions(
  prng: Prng,
  count: number,
  blocks: number,
  { shifts = [], place = 0 }: Shifts = {},
): Differences[] {
  const shared = Array.from({ length: blocks }, () => normal(prng));
  return Array.from({ length: count }, (_, q) => {
    const noise = 0.03 + 0.1 * prng.float();
    const entries = shared.map((common, block): [number, Difference] => {
      const places = (block + q) % 2 === 0 ? 1 : -1;
      return [
        block,
        { logarithm: (shifts[q] ?? 0) + place * places + noise * (common + normal(prng)), places },
      ];
    });
    return new Map(entries);
  });
}

describe("the error rate over all questions of an experiment", () => {
  it.each([
    { count: 8, blocks: 5, place: 0 },
    { count: 20, blocks: 6, place: 0.5 },
    { count: 3, blocks: 10, place: 1 },
  ])(
    "is held if nothing differs: $count questions, $blocks blocks, place effect $place",
    ({ count, blocks, place }) => {
      const prng = new Prng(7);
      const experiments = isFull ? 120 : 40;
      let wrong = 0;
      for (let i = 0; i < experiments; i++)
        if (familyPValues(questions(prng, count, blocks, { place }), new Prng(i)).some((p) => p <= 0.05))
          wrong++;
      // 6 false findings are expected in 120 experiments, and 2 in 40; 15 and 8 or more have a chance of 0.001.
      expect(wrong).toBeLessThan(isFull ? 15 : 8);
    },
  );

  it("is held for equal series if another series differs, and the difference is found", () => {
    const prng = new Prng(11);
    let [wrong, found] = [0, 0];
    const experiments = isFull ? 100 : 40;
    for (let i = 0; i < experiments; i++) {
      const [first = 1, ...others] = familyPValues(
        questions(prng, 10, 6, { shifts: [1], place: 1 }),
        new Prng(i),
      );
      if (first <= 0.05) found++;
      if (others.some((p) => p <= 0.05)) wrong++;
    }
    expect(wrong).toBeLessThan(isFull ? 14 : 8);
    expect(found / experiments).toBeGreaterThan(0.93);
  });

  it("gives the same p-values for the same seed, 1 for equal series, and accepts missing blocks", () => {
    const [large, small] = questions(new Prng(3), 2, 6, { shifts: [2] });
    const lacking = [...(small ?? [])].filter(([block]) => block !== 2);
    const none = [0, 1, 2, 3, 4].map((block): [number, Difference] => [
      block,
      { logarithm: 0, places: block % 2 },
    ]);
    const series = [large ?? [], lacking, none].map((entries) => new Map(entries));
    const pValues = familyPValues(series, new Prng(5));
    expect(familyPValues(series, new Prng(5))).toEqual(pValues);
    expect(pValues[0]).toBeLessThan(0.01);
    expect(pValues[1]).toBeGreaterThan(0.05);
    expect(pValues[2]).toBe(1);
  });
});
