// Workers that are reported as hanging, with a manual clock.
import { describe, expect, it } from "vitest";
import { Heartbeat } from "./heartbeat.js";

function setUp() {
  let nowMs = 1_000;
  const hanging: [worker: number, sinceReportMs: number][] = [];
  const heartbeat = new Heartbeat({
    nowMs: () => nowMs,
    everyMs: 1_000,
    reportTimeoutMs: 15_000,
    onMissingReports: (worker, sinceReportMs) => void hanging.push([worker, sinceReportMs]),
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
  return { heartbeat, hanging, pass, jump };
}

describe("a heartbeat", () => {
  it("reports a worker once if its last report is older than the timeout", () => {
    const { heartbeat, hanging, pass } = setUp();
    heartbeat.expectReports(0);
    heartbeat.expectReports(1);
    pass(15, [1]);
    expect(hanging).toEqual([]);
    pass(20, [1]);
    expect(hanging).toEqual([[0, 16_000]]);
  });

  it("gives a worker its whole time again with each report", () => {
    const { heartbeat, hanging, pass } = setUp();
    heartbeat.expectReports(0);
    pass(14);
    pass(1, [0]);
    pass(15);
    expect(hanging).toEqual([]);
    pass(1);
    expect(hanging).toEqual([[0, 16_000]]);
  });

  it("allows a starting worker its grace time", () => {
    const { heartbeat, hanging, pass } = setUp();
    heartbeat.expectReports(0, 45_000);
    pass(60);
    expect(hanging).toEqual([]);
    pass(1);
    expect(hanging).toHaveLength(1);
  });

  it("ignores workers that have ended or are unknown", () => {
    const { heartbeat, hanging, pass } = setUp();
    heartbeat.expectReports(0);
    heartbeat.forget(0);
    heartbeat.reset(0);
    heartbeat.reset(7);
    pass(60);
    expect(hanging).toEqual([]);
  });

  it("reports no worker right after the coordinator itself was delayed", () => {
    const { heartbeat, hanging, pass, jump } = setUp();
    heartbeat.expectReports(0);
    heartbeat.expectReports(1, 100_000);
    jump(60_000);
    expect(hanging).toEqual([]);
    pass(15);
    expect(hanging).toEqual([]);
    pass(1);
    expect(hanging).toEqual([[0, 16_000]]);
    // Worker 1 keeps its grace time: 100 s from the start.
    pass(38);
    expect(hanging).toHaveLength(1);
  });
});
