// The levels of a series: computed by hand, and compared with every way to cut random series.
import fc from "fast-check";
import { expect, it } from "vitest";
import { gainAt, likeliestLevels } from "./levels.js";

const levelsOf = (values: readonly number[], changesMost: number) =>
  likeliestLevels(Float64Array.from(values), changesMost);

it("levels are cut at each change", () => {
  const noise = [0.1, -0.2, 0.15, 0, -0.1, 0.05];
  const series = [...noise, ...noise.map((value) => value + 5), ...noise.map((value) => value - 4)];
  expect(levelsOf(series, 3).cuts).toEqual([6, 12]);
  expect(levelsOf(series.slice(0, 12), 3).cuts).toEqual([6]);
});

it("every level has at least two values", () => {
  expect(levelsOf([0, 0.1, 0, 0.1, 9], 2).cuts).not.toContain(4);
  expect(gainAt(Float64Array.of(0, 1, 2, 3), 3)).toBe(Number.NEGATIVE_INFINITY);
});

it("the gain of a cut grows with the logarithm of the squares that it explains", () => {
  // Squares 4 + 0.04 about one level, of which a change in the middle explains 4.
  expect(gainAt(Float64Array.of(-0.9, -1.1, 0.9, 1.1), 2)).toBeCloseTo(-4 * Math.log(0.04 / 4.04), 9);
});

it("the chosen cut is the one with the largest gain in any series", () => {
  const series = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 5, maxLength: 30 });
  fc.assert(
    fc.property(series, (values) => {
      const typed = Float64Array.from(values);
      fc.pre(typed.some((value) => Math.abs(value - (typed[0] as number)) > 0.1));
      const gains = values.map((_, cut) => gainAt(typed, cut));
      expect(levelsOf(values, 1).gain).toBeCloseTo(Math.max(...gains), 6);
    }),
  );
});
