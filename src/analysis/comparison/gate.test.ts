// The gate against SciPy, and its promise: false alarms at 5 % at most, however many metrics are looked at.
import { expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { worsePValues, type GateMetric } from "./gate.js";

const WORSE = { before: [1.0, 1.2, 0.9, 1.1, 1.05], after: [1.3, 1.5, 1.15, 1.4, 1.25] };
const SAME = { before: [2.0, 2.1, 1.9, 2.2, 2.05], after: [2.05, 1.95, 2.15, 2.1, 2.0] };

/** Roughly normal: twelve uniform numbers. */
function noise(prng: Prng): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += prng.float();
  return sum;
}

it("agrees with SciPy's permutation test of Welch's t (one-sided, exact)", () => {
  const prng = new Prng(1);
  expect(worsePValues([WORSE], prng)).toEqual([2 / 252]);
  expect(worsePValues([SAME], prng)).toEqual([142 / 252]);
  // Both together, by the largest t of either, from NumPy: 4 and 193 of 252.
  expect(worsePValues([WORSE, SAME], prng)).toEqual([4 / 252, 193 / 252]);
});

it("finds what is worse in every trial with five trials, whatever else is looked at", () => {
  const prng = new Prng(2);
  const others: GateMetric[] = Array.from({ length: 40 }, () => ({
    before: Array.from({ length: 5 }, () => noise(prng)),
    after: Array.from({ length: 5 }, () => noise(prng)),
  }));
  const clear = { before: [0, 0.01, 0.02, 0.01, 0], after: [0.7, 0.71, 0.69, 0.7, 0.72] };
  const [p = 1] = worsePValues([clear, ...others], prng);
  expect(p).toBeLessThan(0.05);
  expect(worsePValues([{ before: clear.after, after: clear.before }], prng)[0]).toBe(1);
});

it("gives no false alarm in more than 5 % of comparisons of a thing with itself", () => {
  const prng = new Prng(3);
  const rounds = 400;
  let alarms = 0;
  for (let round = 0; round < rounds; round++) {
    // What moves all metrics of a block together, and what each has of its own.
    const shared = Array.from({ length: 10 }, () => noise(prng));
    const metrics = Array.from({ length: 12 }, () => {
      const values = shared.map((common) => 0.05 * common + 0.05 * noise(prng));
      return { before: values.slice(0, 5), after: values.slice(5) };
    });
    if (worsePValues(metrics, prng).some((p) => p <= 0.05)) alarms++;
  }
  // 99.9 % of binomial counts with a chance of 0.05 are at most this.
  expect(alarms).toBeLessThanOrEqual(35);
});

it("samples arrangements where there are too many, and leaves out blocks without a value", () => {
  const prng = new Prng(4);
  const many = {
    before: Array.from({ length: 12 }, () => noise(prng)),
    after: Array.from({ length: 12 }, () => noise(prng) + 3),
  };
  expect(worsePValues([many], prng)[0]).toBeLessThan(0.001);
  const holes = { before: [...WORSE.before, Number.NaN], after: [...WORSE.after, Number.NaN] };
  expect(worsePValues([holes], prng)[0]).toBeLessThan(0.05);
  expect(worsePValues([{ before: [1, Number.NaN], after: [2, 3] }], prng)).toEqual([1]);
  expect(worsePValues([], prng)).toEqual([]);
});
