// The difference of two levels: computed by hand, and wider if runs resemble their neighbours.
import { expect, it } from "vitest";
import { isSignificant, levelDifference } from "./level-difference.js";

it("the difference of two levels is that of their means, with Student's interval for equal spreads", () => {
  const { difference, low, high } = levelDifference([0, 2], [10, 12]);
  expect(difference).toBe(10);
  // Spread 1.414, standard error 1.414, and 4.303 of them at two degrees of freedom.
  expect(low).toBeCloseTo(3.915, 3);
  expect(high).toBeCloseTo(16.085, 3);
});

it("the interval is wider for the same values if each run resembles the next one", () => {
  const alternating = [1, 4, 2, 5, 3, 6];
  const rising = alternating.toSorted((a, b) => a - b);
  const widthOf = (level: readonly number[]): number => {
    const { low, high } = levelDifference(
      level,
      level.map((value) => value + 10),
    );
    return high - low;
  };
  expect(widthOf(rising)).toBeGreaterThan(1.2 * widthOf(alternating));
});

it("two levels are apart only if the interval of their difference excludes 0", () => {
  expect(isSignificant(levelDifference([1, 2, 3], [11, 12, 13]))).toBe(true);
  expect(isSignificant(levelDifference([11, 12, 13], [1, 2, 3]))).toBe(true);
  expect(isSignificant(levelDifference([1, 2, 3], [2, 3, 4]))).toBe(false);
});
