// Differences by block whose places add to them: the effect that is taken out, the rest, and what one stalled trial may not
// move.
import fc from "fast-check";
import { expect, test } from "vitest";
import { meanWithoutPlaces, pooledDeviation, logsWithoutPlaces, type Difference } from "./place-effect.js";
import { median, studentInterval, studentPValue } from "./statistics.js";

/** Differences of two sides that change places from block to block; the second place is slower by `effect`. */
function alternatingDifferences(logarithms: readonly number[], effect: number): Difference[] {
  return logarithms.map((logarithm, i) => {
    const places = i % 2 === 0 ? 1 : -1;
    return { logarithm: logarithm + effect * places, places };
  });
}

test.each([3, 5, 6, 7, 15])(
  "%d blocks of equal treatments on unequal servers have a ratio of 1",
  (blocks) => {
    const equal = alternatingDifferences(new Array<number>(blocks).fill(0), 0.1);
    expect(Math.abs(median(equal.map(({ logarithm }) => logarithm)))).toBeCloseTo(
      blocks % 2 === 0 ? 0 : 0.1,
      12,
    );
    expect(median(logsWithoutPlaces(equal))).toBeCloseTo(0, 12);
  },
);

const logarithms = fc.array(fc.double({ min: -0.05, max: 0.05, noNaN: true }), {
  minLength: 5,
  maxLength: 20,
});
const effects = fc.double({ min: -1, max: 1, noNaN: true });

test("an effect of the place moves the median by no more than the noise of the trials", () => {
  fc.assert(
    fc.property(logarithms, effects, (values, effect) => {
      const left = logsWithoutPlaces(alternatingDifferences(values, effect));
      expect(left).toHaveLength(values.length);
      expect(Math.abs(median(left))).toBeLessThanOrEqual(Math.max(...values.map(Math.abs)) + 1e-9);
    }),
  );
});

test("an effect of the place moves neither the mean nor its interval nor its p-value", () => {
  fc.assert(
    fc.property(logarithms, effects, (values, effect) => {
      const [moved, still] = [effect, 0].map((each) =>
        meanWithoutPlaces(alternatingDifferences(values, each)),
      );
      if (!moved || !still) throw new Error("two estimates");
      expect(moved.mean).toBeCloseTo(still.mean, 10);
      expect(studentInterval(moved, 0.05).low).toBeCloseTo(studentInterval(still, 0.05).low, 6);
      expect(moved.degrees).toBe(values.length - 2);
    }),
  );
});

test("one stalled trial of five moves the median by no more than the noise, but the mean by more than 1", () => {
  for (let stalled = 0; stalled < 5; stalled++) {
    const blocks = alternatingDifferences([0.01, -0.01, 0, 0.005, -0.005], 0.1).map((each, i) =>
      i === stalled ? { ...each, logarithm: -10 } : each,
    );
    expect(Math.abs(median(logsWithoutPlaces(blocks)))).toBeLessThanOrEqual(0.11);
    expect(Math.abs(meanWithoutPlaces(blocks).mean)).toBeGreaterThan(1);
  }
});

test("an effect of a place that does not vary stays in the ratio", () => {
  const always = [0.1, 0.2, 0.3].map((logarithm) => ({ logarithm, places: 4 }));
  expect(logsWithoutPlaces(always)).toEqual([0.1, 0.2, 0.3]);
  const { mean, degrees, error } = meanWithoutPlaces(always);
  expect([mean, degrees, error].map((each) => Number(each.toFixed(6)))).toEqual([0.2, 2, 0.057735]);
  expect(pooledDeviation([always, [{ logarithm: 5, places: 0 }]])).toBeCloseTo(0.1, 12);
  expect(pooledDeviation([[{ logarithm: 5, places: 0 }]])).toBeUndefined();
});

test("mean, error and p-value equal least squares with places at any distance", () => {
  // Expected: intercept of the least-squares line of log over places, by a textbook's formulae in Python; p is the integral of
  // Student's density.
  const found = meanWithoutPlaces([
    { logarithm: 0.3, places: 1 },
    { logarithm: 0.1, places: -2 },
    { logarithm: 0.25, places: 1 },
    { logarithm: 0.12, places: -1 },
    { logarithm: 0.41, places: 2 },
  ]);
  expect(found.degrees).toBe(3);
  expect(found.mean).toBeCloseTo(0.220926, 6);
  expect(found.error).toBeCloseTo(0.018734, 6);
  expect(studentPValue(found)).toBeCloseTo(0.001311, 6);
});

test("a mean of rounding errors has a p-value of 1", () => {
  expect(
    studentPValue(meanWithoutPlaces([1e-17, 1e-17, 1e-17].map((logarithm) => ({ logarithm, places: 0 })))),
  ).toBe(1);
});
