// Workers that are reported as silent, with a manual clock.
import { describe, expect, it } from "vitest";
import { Heartbeat } from "./heartbeat.js";

function setUp() {
  let nowMs = 1_000;
  const silent: [worker: number, silentMs: number][] = [];
  const heartbeat = new Heartbeat({
    nowMs: () => nowMs,
    everyMs: 1_000,
    silenceMs: 15_000,
    onSilent: (worker, silentMs) => void silent.push([worker, silentMs]),
  });
  /** Looks once a second for `seconds`; `live` workers report before each look. */
  const pass = (seconds: number, live: readonly number[] = []): void => {
    for (let second = 0; second < seconds; second++) {
      nowMs += 1_000;
      for (const worker of live) heartbeat.reset(worker);
      heartbeat.check();
    }
  };
  const jump = (ms: number): void => {
    nowMs += ms;
    heartbeat.check();
  };
  return { heartbeat, silent, pass, jump };
}

describe("a heartbeat", () => {
  it("reports a worker once that was silent for longer than allowed", () => {
    const { heartbeat, silent, pass } = setUp();
    heartbeat.expectReports(0);
    heartbeat.expectReports(1);
    pass(15, [1]);
    expect(silent).toEqual([]);
    pass(20, [1]);
    expect(silent).toEqual([[0, 16_000]]);
  });

  it("restarts with each report", () => {
    const { heartbeat, silent, pass } = setUp();
    heartbeat.expectReports(0);
    pass(14);
    pass(1, [0]);
    pass(15);
    expect(silent).toEqual([]);
    pass(1);
    expect(silent).toEqual([[0, 16_000]]);
  });

  it("allows a starting worker its grace time", () => {
    const { heartbeat, silent, pass } = setUp();
    heartbeat.expectReports(0, 45_000);
    pass(60);
    expect(silent).toEqual([]);
    pass(1);
    expect(silent).toHaveLength(1);
  });

  it("ignores workers that have ended or are unknown", () => {
    const { heartbeat, silent, pass } = setUp();
    heartbeat.expectReports(0);
    heartbeat.forget(0);
    heartbeat.reset(0);
    heartbeat.reset(7);
    pass(60);
    expect(silent).toEqual([]);
  });

  it("reports no worker right after the coordinator itself was delayed", () => {
    const { heartbeat, silent, pass, jump } = setUp();
    heartbeat.expectReports(0);
    heartbeat.expectReports(1, 100_000);
    jump(60_000);
    expect(silent).toEqual([]);
    pass(15);
    expect(silent).toEqual([]);
    pass(1);
    expect(silent).toEqual([[0, 16_000]]);
    // Worker 1 keeps its grace time: 100 s from the start.
    pass(38);
    expect(silent).toHaveLength(1);
  });
});
