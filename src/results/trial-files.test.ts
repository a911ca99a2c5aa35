import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { summaryMs } from "../metrics/histograms.js";
import { Recorder } from "../metrics/recorder.js";
import { Tally } from "../metrics/tally.js";
import { mergedHistogramLog } from "./histogram-log.js";
import { TIMESERIES_COLUMNS, TrialFiles } from "./trial-files.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-trial-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function measureTrial(): Recorder {
  const recorder = new Recorder(["add", "process"]);
  recorder.setWindow(0, 3000);
  for (let i = 0; i < 100; i++)
    recorder.transaction("add", {
      finishedMs: 10 + i,
      events: 5,
      serviceMs: 1 + i,
      responseMs: 2 + i,
      poolWaitMs: 0.25,
    });
  recorder.failure("add", { finishedMs: 2500, serviceMs: 4, sqlstate: "40001" });
  recorder.retry("add", "40001", 2500);
  recorder.emptyPoll("process", 2500, 1);
  recorder.lifecycle("completed", 33, 50);
  return recorder;
}

describe("TrialFiles", () => {
  it("writes a row per second and operation, also for seconds without transactions", () => {
    const files = new TrialFiles(directory, 0);
    const tally = new Tally(["add", "process"], 1, files.onSecond);
    tally.add(0, measureTrial().take(Infinity));
    tally.finish(3);
    files.close();
    const lines = readFileSync(join(directory, "timeseries.csv"), "utf8").split("\n");
    expect(lines).toEqual([
      TIMESERIES_COLUMNS.join(","),
      "0,add,100,500,0,0,0,51.504,51.007,96.063,100.031,101.055,50.504,0.250,,,",
      "0,process,0,0,0,0,0,,,,,,,,,,",
      "1,add,0,0,0,0,0,,,,,,,,,,",
      "1,process,0,0,0,0,0,,,,,,,,,,",
      "2,add,0,0,1,1,0,,,,,,,,,,",
      "2,process,0,0,0,0,1,,,,,,,,,,",
      "",
    ]);
  });

  it("writes offered, dropped and delayed arrivals of open-loop operations only", () => {
    const recorder = new Recorder(["add", "process"]);
    recorder.setWindow(0, 2000);
    for (const intendedMs of [100, 600, 1100]) recorder.recordOffer("add", intendedMs);
    recorder.transaction("add", {
      finishedMs: 150,
      events: 5,
      serviceMs: 40,
      responseMs: 50,
      poolWaitMs: 0,
      intendedMs: 100,
    });
    recorder.recordDrop("add", 600, 2500);
    recorder.recordDrop("add", 1100, 2500);
    const files = new TrialFiles(directory, 0, ["add"]);
    const tally = new Tally(["add", "process"], 1, files.onSecond);
    tally.add(0, recorder.take(Infinity));
    tally.finish(2);
    files.close();
    const lines = readFileSync(join(directory, "timeseries.csv"), "utf8").split("\n");
    expect(lines.filter((line) => line.includes(",add,")).map((line) => line.split(",").slice(-3))).toEqual([
      ["2", "0", "10.004"],
      ["1", "2", ""],
    ]);
    expect(lines.find((line) => line.startsWith("0,process,"))).toMatch(/,,,$/);
  });

  it("writes a histogram log that equals the tally's histograms", async () => {
    const files = new TrialFiles(directory, 0);
    const tally = new Tally(["add", "process"], 1, files.onSecond);
    tally.add(0, measureTrial().take(Infinity));
    const total = tally.finish(3);
    files.close();
    const stored = await mergedHistogramLog(join(directory, "histograms.hlog"));
    expect(stored.entries().map(([tag, h]) => [tag, h.totalCount, summaryMs(h)])).toEqual(
      total.histograms.entries().map(([tag, h]) => [tag, h.totalCount, summaryMs(h)]),
    );
    expect(stored.entries().map(([tag]) => tag)).toEqual([
      "add.response",
      "add.service",
      "add.poolwait",
      "add.failed",
      "lifecycle.completed",
    ]);
  });

  it("refuses to write to a directory that already holds a trial's files", () => {
    writeFileSync(join(directory, "histograms.hlog"), "");
    expect(() => new TrialFiles(directory, 0)).toThrow(/histograms\.hlog/);
  });
});
