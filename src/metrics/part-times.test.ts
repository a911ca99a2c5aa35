// The stopwatch of a transaction: for any bookings, in any order, overlapping or not, no part is negative and together they
// are the response time.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BACKOFF_PART,
  sortedPartNames,
  PartNames,
  PartTimes,
  POOL_WAIT_PART,
  RELEASE_PART,
} from "./part-times.js";

function stopwatch(): PartTimes {
  return new PartTimes(new PartNames(), 3);
}

const sum = (ms: readonly number[]): number => ms.reduce((total, each) => total + each, 0);

describe("the parts of a transaction", () => {
  it("are the booked waits and calls, the delay of its start and the program's own time between", () => {
    const times = stopwatch();
    times.start(1000);
    times.book(POOL_WAIT_PART, 1000.5, 1002);
    times.onCall("begin", 1002, 1003);
    times.onCall("add.events", 1003.25, 1008);
    times.onCall("add.events", 1008, 1009);
    times.onCall("commit", 1009, 1010);
    times.book(RELEASE_PART, 1010, 1010.5);
    times.finish(1011, 7);
    expect(times.byName()).toEqual({
      startDelay: 7,
      poolWait: 1.5,
      begin: 1,
      "add.events": 5.75,
      commit: 1,
      release: 0.5,
      program: 1.25,
    });
    expect(times.calls[times.names.numberOf("add.events")]).toBe(2);
    expect(times.calls[POOL_WAIT_PART]).toBe(0);
  });

  it("add up over all attempts, failed ones included", () => {
    const times = stopwatch();
    times.start(0);
    for (const failedAtMs of [10, 30]) {
      times.onCall("process.claim", failedAtMs - 10, failedAtMs);
      times.onCall("rollback", failedAtMs, failedAtMs + 1);
      times.book(BACKOFF_PART, failedAtMs + 1, failedAtMs + 10);
    }
    times.onCall("process.claim", 40, 43);
    times.onCall("commit", 44, 46);
    times.finish(46, 0);
    expect(times.byName()).toEqual({
      "process.claim": 23,
      commit: 2,
      rollback: 2,
      backoff: 18,
      program: 1,
    });
    expect(times.calls[times.names.numberOf("process.claim")]).toBe(3);
  });

  it("are reset for the client's next transaction", () => {
    const times = stopwatch();
    times.start(0);
    times.onCall("commit", 0, 5);
    times.finish(6, 3);
    times.start(100);
    times.finish(102, 0);
    expect(times.byName()).toEqual({ program: 2 });
    expect(times.calls.every((count) => count === 0)).toBe(true);
  });

  it("are listed in the order of a transaction, with statements and pauses by first occurrence", () => {
    const met = ["commit", "backoff", "begin", "process.claim", "program", "appDelay", "process.payload"];
    expect(sortedPartNames(["startDelay", ...met, "poolWait", "release"])).toEqual([
      "startDelay",
      "poolWait",
      "begin",
      "process.claim",
      "appDelay",
      "process.payload",
      "commit",
      "release",
      "backoff",
      "program",
    ]);
  });

  it("are never negative and always add up to the response time, also if calls overlap", () => {
    const at = fc.double({ min: 0, max: 1000, noNaN: true });
    const interval = fc.record({
      name: fc.constantFrom("begin", "a", "b", "commit", "backoff"),
      a: at,
      b: at,
    });
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 30 }), at, (intervals, delayMs) => {
        const times = stopwatch();
        const startMs = 12_345.678;
        times.start(startMs);
        for (const { name, a, b } of intervals)
          times.onCall(name, startMs + Math.min(a, b), startMs + Math.max(a, b));
        const endMs = startMs + 1000;
        times.finish(endMs, delayMs);
        for (const ms of times.ms) expect(ms).toBeGreaterThanOrEqual(0);
        expect(sum(times.ms)).toBeCloseTo(endMs - startMs + delayMs, 6);
      }),
    );
  });

  it("contain the exact time of the program if calls do not overlap", () => {
    const step = fc.record({
      name: fc.constantFrom("begin", "a", "b", "commit"),
      callMs: fc.double({ min: 0, max: 50, noNaN: true }),
      gapMs: fc.double({ min: 0, max: 5, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const times = stopwatch();
        let nowMs = 50_000;
        times.start(nowMs);
        for (const { name, callMs, gapMs } of steps) {
          nowMs += gapMs;
          times.onCall(name, nowMs, (nowMs += callMs));
        }
        times.finish(nowMs, 0);
        for (const name of ["begin", "a", "b", "commit"]) {
          const expected = sum(steps.filter((each) => each.name === name).map(({ callMs }) => callMs));
          expect(times.msOf(times.names.numberOf(name))).toBeCloseTo(expected, 6);
        }
        const gapsMs = sum(steps.map(({ gapMs }) => gapMs));
        expect(times.msOf(times.names.numberOf("program"))).toBeCloseTo(gapsMs, 6);
      }),
    );
  });
});
