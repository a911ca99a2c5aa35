// Steady state on synthetic windows, seeded: steady series raise false alarms at the promised rate, changes are found and
// named. The statistics of the tests agree with published worked examples.
import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { levelTest, mser5, trendTest, varianceInflation } from "../statistics/change-tests.js";
import { ASSESSED_SECONDS_MIN, steadyStateOf, type Series } from "./steady-state.js";

function gauss(prng: Prng): number {
  const radius = Math.sqrt(-2 * Math.log(1 - prng.float()));
  return radius * Math.cos(2 * Math.PI * prng.float());
}

/** Seconds around 100 with 10 % of noise, each of which keeps the share `memory` of the deviation before it. */
function window(
  seed: number,
  seconds: number,
  { memory = 0, shape = () => 0 }: { memory?: number; shape?: (second: number) => number } = {},
): number[] {
  const prng = new Prng(seed);
  let deviation = 0;
  return Array.from({ length: seconds }, (_, second) => {
    deviation = memory * deviation + Math.sqrt(1 - memory ** 2) * gauss(prng);
    return 100 + 10 * deviation + shape(second);
  });
}

function series(values: readonly (number | null)[], name = "add events/s"): Series {
  return { name, values };
}

/** Share of 200 trials of six steady series each that are called not steady. */
function falseAlarms(seconds: number, memory: number): number {
  const trials = Array.from({ length: 200 }, (_, trial) =>
    steadyStateOf(
      Array.from({ length: 6 }, (__, i) => series(window(trial * 100 + i, seconds, { memory }), `s${i}`)),
    ),
  );
  return trials.filter(({ isSteady }) => isSteady === false).length / trials.length;
}

describe("a steady window", () => {
  it("is called unsteady in at most 5 of 100 trials, over all its series together", () => {
    expect(falseAlarms(30, 0)).toBeLessThanOrEqual(0.05);
    expect(falseAlarms(120, 0)).toBeLessThanOrEqual(0.05);
  });

  it("is called unsteady in at most 10 of 100 trials if seconds resemble their neighbours", () => {
    expect(falseAlarms(60, 0.5)).toBeLessThanOrEqual(0.1);
  });

  it("may drift by less than matters", () => {
    const values = Array.from({ length: 300 }, (_, second) => 1000 + second / 10);
    expect(steadyStateOf([series(values)]).isSteady).toBe(true);
  });

  it("may be constant, or zero throughout", () => {
    expect(steadyStateOf([series(new Array<number>(40).fill(7))]).isSteady).toBe(true);
    expect(steadyStateOf([series(new Array<number>(40).fill(0))]).isSteady).toBe(true);
  });
});

describe("a window whose throughput changes", () => {
  const isSteady = (seed: number, seconds: number, shape: (second: number) => number): boolean | null =>
    steadyStateOf([series(window(seed, seconds, { shape })), series(window(seed + 999, seconds), "other")])
      .isSteady;
  const seeds = Array.from({ length: 50 }, (_, i) => i);

  it("is found if it drifts by half", () => {
    const caught = seeds.filter((seed) => isSteady(seed, 30, (second) => (second * 50) / 30) === false);
    expect(caught.length).toBeGreaterThanOrEqual(48);
  });

  it("is found if it steps by half, with the second of the step", () => {
    const caught = seeds.filter((seed) => isSteady(seed, 30, (second) => (second < 15 ? 0 : 50)) === false);
    expect(caught.length).toBeGreaterThanOrEqual(48);
    const step = window(1, 60, { shape: (second) => (second < 30 ? 0 : 50) });
    expect(steadyStateOf([series(step)]).reason).toMatch(
      /^add events\/s changes from \d+(\.\d+)? to \d+(\.\d+)? after (29|30|31) s/,
    );
  });

  it("states the missing warm-up if it settles", () => {
    const values = window(3, 120, { shape: (second) => (second < 20 ? -60 : 0) });
    const state = steadyStateOf([series(values)]);
    expect(state).toMatchObject({ isSteady: false, settledAfterSeconds: 20 });
    expect(state.reason).toMatch(/steady after 20 s: lengthen the warm-up by that time$/);
  });

  it("states the missing warm-up in most windows with a different start, among other series", () => {
    const start = 20;
    const states = seeds.map((seed) => {
      const shape = (second: number): number => (second < start ? -60 : 0);
      const changed = [0, 1].map((i) => series(window(seed * 100 + i, 120, { shape }), `changed ${i}`));
      const others = [2, 3, 4, 5].map((i) => series(window(seed * 100 + i, 120), `steady ${i}`));
      return steadyStateOf([...changed, ...others]);
    });
    expect(states.every(({ isSteady }) => isSteady === false)).toBe(true);
    const settled = states.flatMap(({ settledAfterSeconds }) => settledAfterSeconds ?? []);
    expect(settled.length).toBeGreaterThanOrEqual(40);
    expect(Math.min(...settled)).toBeGreaterThanOrEqual(start);
    expect(settled.sort((a, b) => a - b)[Math.floor(settled.length / 2)]).toBeLessThanOrEqual(2 * start);
  });

  it("states the missing warm-up in elapsed seconds, also if some seconds have no value", () => {
    const values = window(3, 120, { shape: (second) => (second < 40 ? -60 : 0) });
    // Every other one of the first 40 seconds has a value: the change is after 20 values.
    const sparse = values.map((value, second) => (second < 40 && second % 2 === 1 ? null : value));
    const state = steadyStateOf([series(sparse)]);
    expect(state.reason).toMatch(
      / after (39|40|41) s; steady after 40 s: lengthen the warm-up by that time$/,
    );
    expect(state.settledAfterSeconds).toBe(40);
  });

  it("states no warm-up if too few seconds have a value after it", () => {
    const values = window(3, 60, { shape: (second) => (second < 20 ? -60 : 0) });
    const sparse = values.map((value, second) => (second >= 20 && second % 3 !== 0 ? null : value));
    const state = steadyStateOf([series(sparse)]);
    expect(state.isSteady).toBe(false);
    expect(state).not.toHaveProperty("settledAfterSeconds");
  });

  it("states no warm-up if it never settles", () => {
    const values = window(4, 120, { shape: (second) => second });
    expect(steadyStateOf([series(values)])).not.toHaveProperty("settledAfterSeconds");
  });
});

describe("the steady state of a window", () => {
  it("is not assessed if the window is too short", () => {
    const state = steadyStateOf([series(window(1, ASSESSED_SECONDS_MIN - 1))]);
    expect(state).toEqual({ isSteady: null, reason: "19 whole seconds of a window, at least 20 are needed" });
  });

  it("is not assessed if too few seconds have a value", () => {
    expect(
      steadyStateOf([series(window(1, 60).map((value, i) => (i % 4 ? null : value)))]).isSteady,
    ).toBeNull();
  });
});

describe("the tests for steadiness", () => {
  it("Mann-Kendall has S = 45, z = 3.935 and p = 8.3e-5 for a rising series of ten", () => {
    const { pValue, from, to } = trendTest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(pValue).toBeCloseTo(8.303e-5, 6);
    expect([from, to]).toEqual([1, 10]);
  });

  it("Pettitt has K = 100 and p = 2 exp(-6 K^2 / (n^3 + n^2)) for a step between ten and ten values", () => {
    const change = levelTest([...new Array<number>(10).fill(1), ...new Array<number>(10).fill(2)]);
    expect(change).toMatchObject({ at: 10, from: 1, to: 2 });
    expect(change.pValue).toBeCloseTo(2 * Math.exp(-60_000 / 8400), 10);
  });

  it("variance inflation is small for independent values and large for a slow wave", () => {
    expect(varianceInflation(window(5, 200))).toBeLessThan(1.6);
    expect(varianceInflation(window(5, 200, { memory: 0.9 }))).toBeGreaterThan(3);
  });

  it("MSER-5 cuts the batches of a transient and none of a constant level", () => {
    const transient = [...new Array<number>(10).fill(50), ...new Array<number>(40).fill(100)];
    expect(mser5(transient)).toBe(10);
    expect(mser5(new Array<number>(50).fill(100))).toBe(0);
    expect(mser5(Array.from({ length: 50 }, (_, i) => i))).toBeUndefined();
  });

  it("MSER-5 is not misled by two similar batches at the end", () => {
    const wave = Array.from({ length: 50 }, (_, i) => (i < 40 && i % 10 < 5 ? 90 : 100));
    expect(mser5(wave)).toBe(0);
  });
});
