import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHistogram, percentileMs } from "../../metrics/histograms.js";
import { percentileCurve } from "./collect.js";

function curveOf(valuesUs: readonly number[]) {
  const histogram = createHistogram();
  for (const value of valuesUs) histogram.recordValue(value);
  return { histogram, points: percentileCurve(histogram) };
}

describe("a percentile curve", () => {
  it("ascends from 0 to 100 through values of the histogram", () => {
    const values = fc.array(fc.integer({ min: 1, max: 10_000_000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, (valuesUs) => {
        const { histogram, points } = curveOf(valuesUs);
        expect(points[0]?.[0]).toBe(0);
        expect(points.at(-1)).toEqual([100, Number(percentileMs(histogram, 100).toPrecision(4))]);
        for (const [i, [percentile, ms]] of points.entries()) {
          const [before, below] = points[i - 1] ?? [-1, 0];
          expect(percentile).toBeGreaterThan(before);
          expect(ms).toBeGreaterThanOrEqual(below);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("has as many points between 99 and 99.9 as between 90 and 99", () => {
    const { points } = curveOf(Array.from({ length: 100_000 }, (_, i) => 1000 + i * 37));
    const between = (low: number, high: number): number =>
      points.filter(([percentile]) => percentile >= low && percentile < high).length;
    expect(between(90, 99)).toBe(16);
    expect(between(99, 99.9)).toBe(16);
    expect(points.length).toBeLessThanOrEqual(82);
  });

  it("keeps the first and last point of equal values", () => {
    expect(curveOf([...Array.from({ length: 999 }, () => 1000), 50_000]).points).toEqual([
      [0, 1],
      [99.9, 1],
      [100, 50.02],
    ]);
    expect(curveOf([7000]).points).toEqual([
      [0, 7],
      [100, 7.003],
    ]);
  });
});
