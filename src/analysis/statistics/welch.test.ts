import * as fc from "fast-check";
import { expect, it } from "vitest";
import { pValueOfDeviate, deviateAtLevel, deviateOf, shiftOf, shiftInterval } from "./welch.js";

it("Welch's test agrees with R on the sleep data (t 1.8608, 17.776 degrees, p 0.0794, interval -0.205 to 3.365)", () => {
  const before = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
  const after = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
  const shift = shiftOf(before, after);
  expect(shift.difference / shift.error).toBeCloseTo(1.8608, 4);
  expect(shift.degrees).toBeCloseTo(17.776, 3);
  expect(pValueOfDeviate(deviateOf(shift))).toBeCloseTo(0.07939, 3);
  const [low, high] = shiftInterval(shift, deviateAtLevel(0.05));
  expect(low).toBeCloseTo(-0.2055, 2);
  expect(high).toBeCloseTo(3.3655, 2);
});

const sample = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 5, maxLength: 12 });
const level = fc.double({ min: 0.001, max: 0.5, noNaN: true });

it("Welch's test rejects a shift exactly if the interval excludes the shift", () => {
  fc.assert(
    fc.property(
      sample,
      sample,
      level,
      fc.double({ min: -30, max: 30, noNaN: true }),
      (before, after, at, expected) => {
        const shift = shiftOf(before, after);
        const [low, high] = shiftInterval(shift, deviateAtLevel(at));
        const p = pValueOfDeviate(deviateOf(shift, expected));
        fc.pre(Math.abs(p - at) > 1e-9);
        expect(p < at).toBe(expected < low || expected > high);
      },
    ),
  );
});

it("Welch's test gives an interval of width 0 to values that do not vary", () => {
  const shift = shiftOf([1, 1, 1, 1, 1], [2, 2, 2, 2, 2]);
  const [low, high] = shiftInterval(shift, deviateAtLevel(0.05));
  expect([low, high].map((end) => end.toFixed(6))).toEqual(["1.000000", "1.000000"]);
  expect(pValueOfDeviate(deviateOf(shift))).toBeLessThan(1e-6);
  expect(deviateOf(shift, 1)).toBe(0);
});
