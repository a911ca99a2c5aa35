import { expect, it } from "vitest";
import { Recorder } from "./recorder.js";
import { WorkerTallies } from "./worker-tallies.js";

/** A window of 2 s in which three arrivals of `add` were offered; one ended, one was dropped, one was under way at the end. */
function startRecorder(): Recorder {
  const recorder = new Recorder(["add"]);
  recorder.setWindow(1_000, 3_000);
  for (const intendedMs of [1_100, 1_200, 2_900]) recorder.recordOffer("add", intendedMs);
  const times = { serviceMs: 5, poolWaitMs: 0 };
  recorder.transaction("add", { ...times, events: 1, finishedMs: 1_110, responseMs: 10, intendedMs: 1_100 });
  recorder.recordDrop("add", 1_200, 1_210);
  recorder.transaction("add", { ...times, events: 1, finishedMs: 3_010, responseMs: 110, intendedMs: 2_900 });
  return recorder;
}

it("every arrival that ended, was dropped or was unfinished is accounted for", () => {
  const tallies = new WorkerTallies();
  tallies.add(1, startRecorder().take(Number.POSITIVE_INFINITY));
  expect(tallies.findUnaccountedArrivals()).toBeUndefined();
  expect(tallies.totalsOf(1).share("add").transactions).toBe(1);
});

it("an arrival that is not accounted for is reported with its worker and operation", () => {
  const tallies = new WorkerTallies();
  tallies.add(0, startRecorder().take(Number.POSITIVE_INFINITY));
  tallies.add(1, { ...startRecorder().take(Number.POSITIVE_INFINITY), underWay: {} });
  expect(tallies.findUnaccountedArrivals()).toEqual({
    worker: 1,
    operation: "add",
    offered: 3,
    accounted: 2,
  });
});
