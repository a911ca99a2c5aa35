// Levels of a rate curve, and its times and counts compared with sums over small steps.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateCurve } from "./rate-curve.js";

describe("a rate curve", () => {
  const ramp = new RateCurve(10, [
    { target: 30, durationMs: 1000 },
    { target: 30, durationMs: 1000 },
    { target: 0, durationMs: 0 },
    { target: 0, durationMs: 1000 },
    { target: 20, durationMs: 1000 },
  ]);

  it("is linear within stages, jumps at a stage without duration and stays at its last target", () => {
    const levels = [0, 500, 999, 1500, 2000, 2500, 3500, 4000, 90_000].map((ms) => ramp.levelAt(ms));
    expect(levels.map((level) => Math.round(level * 100) / 100)).toEqual([
      10, 20, 29.98, 30, 0, 0, 10, 20, 20,
    ]);
  });

  it("brings as many arrivals as the area beneath the curve, and none while the rate is 0", () => {
    expect(ramp.timeOfCount(0)).toBe(0);
    expect(ramp.timeOfCount(20)).toBeCloseTo(1000, 9);
    expect(ramp.timeOfCount(49.999)).toBeLessThan(2000);
    expect(ramp.timeOfCount(50)).toBe(3000);
    expect(ramp.timeOfCount(60)).toBeCloseTo(4000, 9);
    expect(ramp.timeOfCount(80)).toBeCloseTo(5000, 9);
  });

  it("brings no more arrivals once it stays at 0", () => {
    const ending = new RateCurve(10, [{ target: 0, durationMs: 2000 }]);
    expect(ending.timeOfCount(9.99)).toBeLessThan(2000);
    expect(ending.timeOfCount(10)).toBe(Infinity);
    expect(new RateCurve(0, []).timeOfCount(0)).toBe(Infinity);
  });

  it("starts again at its end if it repeats", () => {
    const day = new RateCurve(
      0,
      [
        { target: 10, durationMs: 0 },
        { target: 10, durationMs: 1000 },
        { target: 0, durationMs: 0 },
        { target: 0, durationMs: 500 },
      ],
      true,
    );
    expect([0, 9, 10, 19, 20].map((count) => Math.round(day.timeOfCount(count)))).toEqual([
      0, 900, 1500, 2400, 3000,
    ]);
    expect(day.levelAt(1501)).toBe(10);
    expect(new RateCurve(0, [{ target: 0, durationMs: 100 }], true).timeOfCount(0)).toBe(Infinity);
  });

  it("brings as many arrivals by any moment as a sum over small steps", () => {
    const stage = fc.record({
      target: fc.integer({ min: 1, max: 100 }),
      durationMs: fc.integer({ min: 1, max: 3000 }),
    });
    fc.assert(
      fc.property(fc.nat(100), fc.array(stage, { minLength: 1, maxLength: 5 }), (start, stages) => {
        const curve = new RateCurve(start, stages);
        const totalMs = stages.reduce((sum, { durationMs }) => sum + durationMs, 0);
        let count = 0;
        for (let ms = 0; ms < totalMs; ms++) {
          count += curve.levelAt(ms + 0.5) / 1000;
          expect(Math.abs(curve.timeOfCount(count) - (ms + 1))).toBeLessThan(0.001);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("returns the time at which a level is reached next, from any starting time", () => {
    expect(ramp.timeOfLevel(20, 0)).toBeCloseTo(500, 9);
    expect(ramp.timeOfLevel(20, 700)).toBe(700);
    expect(ramp.timeOfLevel(20, 2100)).toBeCloseTo(4000, 9);
    expect(ramp.timeOfLevel(31, 0)).toBe(Infinity);
    expect(ramp.timeOfLevel(25, 3000)).toBe(Infinity);
    expect(ramp.timeOfLevel(20, 10_000)).toBe(10_000);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 5000 }), (level, fromMs) => {
        const reachedMs = ramp.timeOfLevel(level, fromMs);
        for (let ms = fromMs; ms < Math.min(reachedMs, 5000); ms++)
          expect(ramp.levelAt(ms)).toBeLessThan(level);
        if (reachedMs < Infinity) expect(ramp.levelAt(reachedMs)).toBeGreaterThan(level - 1e-6);
      }),
    );
  });
});
