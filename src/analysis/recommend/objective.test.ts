// Values, gains and excesses of trials against an objective.
import { expect, it } from "vitest";
import { excessOf, lnGain } from "./objective.js";

it("gain and excess are logarithms of ratios, and a larger gain is better", () => {
  expect(lnGain({ isMaximised: true }, 200, 100)).toBeCloseTo(Math.log(2));
  expect(lnGain({ isMaximised: false }, 200, 100)).toBeCloseTo(-Math.log(2));
  const condition = { operator: "<" as const, bound: 50 };
  expect(excessOf(condition, 25)).toBeCloseTo(-Math.log(2));
  expect(excessOf(condition, 100)).toBeCloseTo(Math.log(2));
  expect(excessOf({ operator: ">", bound: 50 }, 25)).toBeCloseTo(Math.log(2));
});
