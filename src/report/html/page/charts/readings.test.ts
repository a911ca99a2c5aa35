import { describe, expect, test } from "vitest";
import { bridgeShortGaps, longestBridgedGap } from "./readings.js";

describe("bridged readings", () => {
  test("are interpolated between samples at any interval", () => {
    expect(bridgeShortGaps([null, 10, null, 20, null])).toEqual([null, 10, 15, 20, null]);
    expect(bridgeShortGaps([0, null, null, null, 8, null, null, null, 0])).toEqual([
      0, 2, 4, 6, 8, 6, 4, 2, 0,
    ]);
    expect(bridgeShortGaps([3, 4])).toEqual([3, 4]);
    expect(bridgeShortGaps([null, 7, null])).toEqual([null, 7, null]);
    expect(bridgeShortGaps([])).toEqual([]);
  });

  test("are not interpolated over a gap much longer than the others", () => {
    const gap = [null, null, null, null, null, null];
    expect(bridgeShortGaps([1, 1, 1, null, 1, 1, ...gap, 5, 5])).toEqual([1, 1, 1, 1, 1, 1, ...gap, 5, 5]);
  });

  test("tolerate unequal intervals between samples", () => {
    expect(longestBridgedGap([1, 2, 5, 3, 5, 1, 4])).toBeGreaterThan(10);
    expect(longestBridgedGap([1, 1, 1, 1, 9, 1, 1, 2])).toBeLessThan(5);
  });
});
