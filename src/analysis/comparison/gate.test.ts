// The gate's promise: false alarms at 5 % at most however many metrics are looked at, and no claim that its interval denies.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { pValueOfDeviate, deviateOf, shiftOf } from "../statistics/welch.js";
import type { LogarithmSeries } from "../steady-state/series.js";
import { largestChanceDeviates, deviateToClaim, familyPValue, type GateColumn } from "./gate.js";
import { ratioInterval } from "./unpaired.js";

/** Roughly normal noise: the sum of twelve uniform numbers. */
function noise(prng: Prng): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += prng.float();
  return sum;
}

const series = (values: readonly number[]): LogarithmSeries =>
  new Map(values.map((value, block) => [block, value]));

const shiftIn = ({ before, after }: GateColumn) => shiftOf([...before.values()], [...after.values()]);

const largest = (columns: readonly GateColumn[]): number =>
  Math.max(...columns.map((column) => Math.abs(deviateOf(shiftIn(column)))));

it("the gate is hardly stricter for a single metric than the test of that metric", () => {
  const prng = new Prng(1);
  const columns = [
    {
      run: 0,
      before: series([1, 1.2, 0.9, 1.1, 1.05, 1, 1.15, 0.95]),
      after: series([1.3, 1.5, 1.15, 1.4, 1.25, 1.3, 1.2, 1.35]),
    },
  ];
  const maxima = largestChanceDeviates(columns, prng);
  expect(deviateToClaim(maxima)).toBeGreaterThan(1.959);
  expect(deviateToClaim(maxima)).toBeLessThan(2.4);
  expect(familyPValue(maxima, 0)).toBeCloseTo(1, 6);
  expect(familyPValue(maxima, 9)).toBeLessThan(0.001);
});

it("the gate finds a clear difference with five trials among 40 other metrics", () => {
  const prng = new Prng(2);
  const drawSeries = (): LogarithmSeries => series(Array.from({ length: 5 }, () => noise(prng)));
  const others = Array.from({ length: 40 }, () => ({ run: 0, before: drawSeries(), after: drawSeries() }));
  const clear = {
    run: 0,
    before: series([0, 0.01, 0.02, 0.01, 0]),
    after: series([0.7, 0.71, 0.69, 0.7, 0.72]),
  };
  const maxima = largestChanceDeviates([clear, ...others], prng);
  expect(familyPValue(maxima, deviateOf(shiftIn(clear)))).toBeLessThan(0.01);
});

it("the gate gives a false alarm in at most 5 % of comparisons of equal runs, over all metrics and runs", () => {
  const prng = new Prng(3);
  const rounds = 40;
  let alarms = 0;
  for (let round = 0; round < rounds; round++) {
    const shared = Array.from({ length: 3 }, () => Array.from({ length: 5 }, () => noise(prng)));
    const columns = [1, 2].flatMap((run) =>
      Array.from({ length: 4 }, () => {
        const [before, after] = [0, run].map((own) =>
          series((shared[own] ?? []).map((common) => 0.05 * common + 0.05 * noise(prng))),
        ) as [LogarithmSeries, LogarithmSeries];
        return { run, before, after };
      }),
    );
    if (familyPValue(largestChanceDeviates(columns, prng), largest(columns)) <= 0.05) alarms++;
  }
  // 99.9 % of binomial counts with a chance of 0.05 are at most this.
  expect(alarms).toBeLessThanOrEqual(7);
});

it("the gate leaves out blocks without a value", () => {
  const prng = new Prng(4);
  const before = series(Array.from({ length: 12 }, () => noise(prng)));
  const after = series(Array.from({ length: 12 }, () => noise(prng) + 4));
  const holes = { run: 0, before, after: new Map([...after].filter(([block]) => block > 4)) };
  const maxima = largestChanceDeviates([{ run: 0, before, after }, holes], prng);
  expect(familyPValue(maxima, deviateOf(shiftIn(holes)))).toBeLessThan(0.01);
  expect(largestChanceDeviates([], prng).at(-1)).toBe(0);
});

const values = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 5, maxLength: 9 });
const columns = fc.array(fc.record({ run: fc.integer({ min: 0, max: 2 }), before: values, after: values }), {
  minLength: 1,
  maxLength: 4,
});

it("the gate claims a difference from a ratio exactly if the interval excludes that ratio", () => {
  fc.assert(
    fc.property(
      columns,
      fc.double({ min: 0.1, max: 10, noNaN: true }),
      fc.constantFrom(0.05, 0.025, 0.008),
      (drawn, ratio, level) => {
        const all = drawn.map(({ run, before, after }) => ({
          run,
          before: series(before),
          after: series(after),
        }));
        const maxima = largestChanceDeviates(all, new Prng(5));
        for (const column of all) {
          const shift = shiftIn(column);
          const [low, high] = ratioInterval(shift, deviateToClaim(maxima, level));
          const deviate = deviateOf(shift, Math.log(ratio));
          expect(familyPValue(maxima, deviate) <= level).toBe(ratio < low || ratio > high);
          expect(familyPValue(maxima, deviate)).toBeGreaterThanOrEqual(pValueOfDeviate(deviate));
        }
      },
    ),
    { numRuns: 30 },
  );
});
