// The noise of simulated series: correlation and drift as simulated, and series simulated from an estimate.
import { expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { gainOfNoise, independentNoiseOf, noiseOf, simulateNoise } from "./run-noise.js";

function series(kept: number, slope: number, count: number): Float64Array {
  const prng = new Prng(7);
  let value = 0;
  return Float64Array.from({ length: count }, (_, i) => {
    value = kept * value + prng.float() - 0.5;
    return value + slope * i;
  });
}

it("the noise of runs has the correlation of neighbours, at most 0.7", () => {
  expect(noiseOf(series(0, 0, 400)).correlation).toBeLessThan(0.1);
  expect(noiseOf(series(0.6, 0, 400)).correlation).toBeCloseTo(0.6, 1);
  expect(noiseOf(series(0.99, 0, 400)).correlation).toBe(0.7);
});

it("the noise of runs counts no change of level as correlation", () => {
  const values = series(0, 0, 60).map((value, i) => value + (i < 30 ? 0 : 1));
  expect(noiseOf(values).correlation).toBeLessThan(0.2);
});

it("the noise of runs includes a slow drift of at most one standard deviation", () => {
  const slopeOf = (slope: number): number => noiseOf(series(0, slope, 400)).slope;
  expect(slopeOf(0.0002) - slopeOf(0)).toBeCloseTo(0.0002, 6);
  // The spread of independent values between -0.5 and 0.5 is 0.289.
  expect(slopeOf(1) * 399).toBeCloseTo(0.289, 1);
});

it("noise explains the levels of correlated runs, and little of independent runs", () => {
  expect(gainOfNoise(series(0, 0, 60))).toBeLessThan(4);
  expect(gainOfNoise(series(0.8, 0, 60))).toBeGreaterThan(15);
});

it("simulated independent runs are the values in another order, about a mean of 0", () => {
  const into = new Float64Array(3);
  simulateNoise(independentNoiseOf(Float64Array.of(1, 2, 6)), [2, 0, 1], into);
  expect([...into]).toEqual([3, -2, -1]);
});

it("simulated runs are as correlated as the series", () => {
  const [noise, prng] = [noiseOf(series(0.6, 0, 400)), new Prng(1)];
  const order = prng.shuffle(Array.from({ length: 400 }, (_, i) => i));
  const into = new Float64Array(400);
  simulateNoise(noise, order, into);
  expect(noiseOf(into).correlation).toBeCloseTo(noise.correlation, 1);
});
