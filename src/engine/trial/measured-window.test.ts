import { afterEach, expect, test, vi } from "vitest";
import { monotonicMs } from "../../foundation/clock.js";
import { MeasuredWindow } from "./measured-window.js";

const HOUR_MS = 3_600_000;
const now = Date.now.bind(Date);
const setClockBy = (ms: number): void => {
  vi.spyOn(Date, "now").mockImplementation(() => now() + ms);
};
afterEach(() => {
  vi.restoreAllMocks();
});

const NO_USAGE = { assignments: [], usages: new Map<number, never>(), agentCpuSeconds: 0 };

function beginWindow(): MeasuredWindow {
  const window = new MeasuredWindow(monotonicMs(), 1000);
  window.readStart();
  return window;
}

test.each([HOUR_MS, -HOUR_MS])("a clock that was set by %d ms is found at the end of the window", (byMs) => {
  const window = beginWindow();
  setClockBy(byMs);
  window.readEnd(0);
  expect(window.client(NO_USAGE)?.clockStepMs).toBeGreaterThan(0.9 * HOUR_MS);
});

test("a clock that was set and reset within the window is found", () => {
  const window = beginWindow();
  setClockBy(-HOUR_MS);
  window.updateClockStep();
  vi.restoreAllMocks();
  window.readEnd(0);
  expect(window.client(NO_USAGE)?.clockStepMs).toBeGreaterThan(0.9 * HOUR_MS);
});

test("a window that was cut short ends at that time and has no figures of its end", () => {
  const window = new MeasuredWindow(monotonicMs(), 1e9);
  window.readStart();
  window.endEarly();
  const { seconds } = window;
  vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
  expect(window.seconds).toBe(seconds);
  expect(window.client(NO_USAGE)).toBeNull();
});

test("the event loop's delay is the largest of the workers' final reports", () => {
  const window = beginWindow();
  window.readEnd(700);
  const accountedMs = { service: 1, waiting: 0, idle: 0, preparing: 0, finished: 0 };
  const of = (utilization: number, delayP99Ms: number) => ({
    loop: { utilization, delayP99Ms },
    accountedMs,
  });
  const usages = new Map([of(0.5, 3), of(0.25, 40)].entries());
  expect(window.client({ ...NO_USAGE, usages })).toMatchObject({
    eventLoopDelayP99Ms: 40,
    workerUtilization: 0.5,
  });
});

test("the accounted share of time is undefined unless all of the given workers reported", () => {
  const window = beginWindow();
  vi.spyOn(performance, "now").mockReturnValue(window.endMs);
  const usageWith = (service: number) => ({
    accountedMs: { service, waiting: 500, idle: 0, preparing: 0, finished: 0 },
  });
  const assignments = [{ clients: 1 }, { clients: 2 }, { clients: 1 }];
  const usages = new Map([
    [0, usageWith(500)],
    [1, usageWith(1_400)],
  ]);
  const ratioOf = (...workers: number[]) => window.accountedRatio({ assignments, usages }, workers);
  expect(ratioOf(0)).toBeCloseTo(1, 6);
  expect(ratioOf(1)).toBeCloseTo(0.95, 6);
  expect(ratioOf(0, 1)).toBeCloseTo(2.9 / 3, 6);
  expect(ratioOf(1, 2)).toBeUndefined();
});
