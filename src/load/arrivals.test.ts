// The arrival schedule as a random process: rate, order, dispersion, and shares that neither lose nor duplicate an arrival.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFull } from "../../test/support/lanes.js";
import { ArrivalSchedule, type Arrival, type ArrivalDistribution, type WorkerShare } from "./arrivals.js";
import { RateCurve } from "./rate-curve.js";

const ALONE: WorkerShare = { totalClients: 1, workers: 1, workerIndex: 0 };

function until(endMs: number, schedule: ArrivalSchedule): Arrival[] {
  const taken: Arrival[] = [];
  while (schedule.peek().offsetMs < endMs) taken.push(schedule.take());
  return taken;
}

const distribution = fc.constantFrom<ArrivalDistribution>("poisson", "uniform");
const stages = fc.array(
  fc.record({
    target: fc.integer({ min: 0, max: 300 }),
    durationMs: fc.constantFrom(0, 100, 1000, 2500),
  }),
  { maxLength: 6 },
);

/**
 * Index of dispersion of the counts in `windows` equal windows: variance over mean, times windows - 1, which is
 * chi-squared.
 */
function dispersion(arrivals: readonly Arrival[], endMs: number, windows: number): number {
  const counts = new Array<number>(windows).fill(0);
  for (const { offsetMs } of arrivals) {
    const window = Math.floor((offsetMs / endMs) * windows);
    counts[window] = (counts[window] ?? 0) + 1;
  }
  const mean = arrivals.length / windows;
  return counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / mean;
}

describe("a schedule of arrivals", () => {
  it("goes forward in time for any rate curve", () => {
    fc.assert(
      fc.property(fc.nat(300), stages, distribution, fc.nat(), (start, curve, kind, seed) => {
        const taken = until(8000, new ArrivalSchedule(new RateCurve(start, curve), kind, ALONE, seed));
        taken.forEach(({ offsetMs, number }, i) => {
          expect(number).toBe(i);
          expect(offsetMs).toBeGreaterThanOrEqual(taken[i - 1]?.offsetMs ?? 0);
        });
      }),
      { numRuns: isFull ? 100 : 30 },
    );
  });

  it("is split over any number of workers without losing or duplicating an arrival", () => {
    const role = fc.tuple(fc.integer({ min: 1, max: 7 }), fc.nat(40)).map(([workers, more]) => ({
      workers,
      totalClients: workers + more,
    }));
    fc.assert(
      fc.property(role, distribution, fc.nat(), ({ workers, totalClients }, kind, seed) => {
        const curve = new RateCurve(100, []);
        const whole = until(1000, new ArrivalSchedule(curve, kind, ALONE, seed));
        const parts = Array.from({ length: workers }, (_, workerIndex) =>
          until(1000, new ArrivalSchedule(curve, kind, { workers, totalClients, workerIndex }, seed)),
        );
        expect(parts.flat().sort((a, b) => a.number - b.number)).toEqual(whole);
      }),
    );
  });

  it("gives each worker its clients' share of the rate", () => {
    const share = (workerIndex: number): WorkerShare => ({ totalClients: 5, workers: 2, workerIndex });
    const countOf = (index: number): number =>
      until(10_000, new ArrivalSchedule(new RateCurve(500, []), "uniform", share(index), 1)).length;
    expect([countOf(0), countOf(1)]).toEqual([3000, 2000]);
  });

  it("interleaves evenly spaced arrivals over workers of equal size", () => {
    const offsets = [0, 1].map((workerIndex) =>
      until(
        100,
        new ArrivalSchedule(
          new RateCurve(100, []),
          "uniform",
          { totalClients: 4, workers: 2, workerIndex },
          1,
        ),
      ).map(({ offsetMs }) => offsetMs),
    );
    expect(offsets).toEqual([
      [0, 20, 40, 60, 80],
      [10, 30, 50, 70, 90],
    ]);
  });

  it("is the same for the same seed and differs for another seed", () => {
    const first = (seed: number): Arrival[] =>
      until(1000, new ArrivalSchedule(new RateCurve(50, []), "poisson", ALONE, seed));
    expect(first(7)).toEqual(first(7));
    expect(first(7)).not.toEqual(first(8));
  });
});

describe("Poisson arrivals", () => {
  const endMs = 1_000_000;
  const poisson = (seed: number, curve = new RateCurve(100, [])): Arrival[] =>
    until(endMs, new ArrivalSchedule(curve, "poisson", ALONE, seed));

  it("come at the configured rate, within 2.6 standard deviations", () => {
    for (const seed of [1, 2, 3]) expect(Math.abs(poisson(seed).length - 100_000)).toBeLessThan(2.6 * 316.3);
  });

  it("have a ratio of variance to mean within the 99 % band of a Poisson process", () => {
    // Bounds are the 0.5 % and 99.5 % points of chi-squared with 999 degrees of freedom, from tables.
    for (const seed of [1, 2, 3]) {
      const statistic = dispersion(poisson(seed), endMs, 1000);
      expect(statistic).toBeGreaterThan(887.6);
      expect(statistic).toBeLessThan(1117.9);
    }
  });

  it("differ from evenly spaced arrivals, whose dispersion lies outside of that band", () => {
    const even = until(endMs, new ArrivalSchedule(new RateCurve(100, []), "uniform", ALONE, 1));
    expect(dispersion(even, endMs, 1000)).toBeLessThan(1);
  });

  it("have the configured rate and dispersion at 5000 a second, counted in intervals of 10 ms", () => {
    const minuteMs = 60_000;
    for (const seed of [1, 2, 3]) {
      const taken = until(minuteMs, new ArrivalSchedule(new RateCurve(5000, []), "poisson", ALONE, seed));
      expect(Math.abs(taken.length / 300_000 - 1)).toBeLessThan(0.01);
      // Chi-squared with 5999 degrees of freedom is nearly normal: 5999 -+ 2.576 * sqrt(2 * 5999).
      const statistic = dispersion(taken, minuteMs, 6000);
      expect(statistic).toBeGreaterThan(5716.8);
      expect(statistic).toBeLessThan(6281.2);
    }
  });

  it("have exponential gaps, whose mean equals their standard deviation", () => {
    const gaps = poisson(4).map(({ offsetMs }, i, all) => offsetMs - (all[i - 1]?.offsetMs ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1);
  });

  it("follow a ramp from 0 to 200 a second: a quarter of them comes in the first half", () => {
    const taken = poisson(5, new RateCurve(0, [{ target: 200, durationMs: endMs }]));
    const early = taken.filter(({ offsetMs }) => offsetMs < endMs / 2).length;
    expect(Math.abs(taken.length - 100_000)).toBeLessThan(2.6 * 316.3);
    expect(Math.abs(early - 25_000)).toBeLessThan(2.6 * 158.2);
  });
});
