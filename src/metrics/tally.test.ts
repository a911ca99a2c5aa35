import fc from "fast-check";
import hdr from "hdr-histogram-js";
import { describe, expect, it } from "vitest";
import { createHistogram } from "./histograms.js";
import { Recorder } from "./recorder.js";
import { Tally } from "./tally.js";
import { Totals } from "./totals.js";

function record(recorder: Recorder, finishedMs: number, responseMs = 1): void {
  recorder.transaction("add", { finishedMs, events: 2, serviceMs: responseMs, responseMs, poolWaitMs: 0 });
}

function recorderOf(...finishedMs: number[]): Recorder {
  const recorder = new Recorder(["add", "process"]);
  recorder.setWindow(0, 10_000);
  for (const at of finishedMs) record(recorder, at);
  return recorder;
}

describe("Tally", () => {
  it("emits a second once every worker has shipped it, in order, seconds without a sample included", () => {
    const seen: [number, number][] = [];
    const tally = new Tally(["add"], 2, (second, totals) =>
      seen.push([second, totals.countsOf("add").transactions]),
    );
    const [a, b] = [recorderOf(100, 2100), recorderOf(200, 300, 2200)];
    tally.add(0, a.take(3000));
    expect(seen).toEqual([]);
    tally.add(1, b.take(2000));
    expect(seen).toEqual([
      [0, 3],
      [1, 0],
    ]);
    tally.add(1, b.take(3000));
    expect(seen.slice(2)).toEqual([[2, 2]]);
  });

  it("does not wait for a worker that is gone, and keeps its samples", () => {
    const seen: [number, number][] = [];
    const tally = new Tally(["add"], 2, (second, totals) =>
      seen.push([second, totals.countsOf("add").transactions]),
    );
    const [a, b] = [recorderOf(100, 2100), recorderOf(200)];
    tally.add(1, b.take(1000));
    tally.forget(1);
    tally.add(0, a.take(3000));
    expect(seen).toEqual([
      [0, 2],
      [1, 0],
      [2, 1],
    ]);
  });

  it("emits all remaining seconds of the window at the end", () => {
    const seen: number[] = [];
    const tally = new Tally(["add"], 2, (second) => seen.push(second));
    tally.add(0, recorderOf(1500).take(5000));
    const summary = tally.summary(3.5);
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(summary.operations.add?.transactions).toBe(1);
  });

  it("adds a late part to the totals and emits its second again", () => {
    const seen: [number, number][] = [];
    const tally = new Tally(["add"], 1, (second, totals) =>
      seen.push([second, totals.countsOf("add").transactions]),
    );
    const recorder = recorderOf(100);
    tally.add(0, recorder.take(Infinity));
    record(recorder, 200);
    tally.add(0, recorder.take(Infinity));
    expect(seen).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(tally.summary(1).operations.add?.transactions).toBe(2);
  });

  it("summarises counts, rates and latencies by operation and stage", () => {
    const recorder = new Recorder(["add", "process"]);
    recorder.setWindow(0, 10_000);
    for (let i = 1; i <= 100; i++) record(recorder, i, i);
    recorder.retry("add", "40001", 1);
    recorder.retry("add", "40P01", 1);
    recorder.failure("add", { finishedMs: 1, serviceMs: 2, sqlstate: "40001" });
    recorder.emptyPoll("process", 1, 4);
    recorder.lifecycle("completed", 8, 1);
    recorder.lifecycle("completed", -8, 1);
    const tally = new Tally(["add", "process"], 1);
    tally.add(0, recorder.take(Infinity));
    expect(tally.summary(10)).toEqual({
      windowSeconds: 10,
      operations: {
        add: {
          transactions: 100,
          events: 200,
          transactionsPerSecond: 10,
          eventsPerSecond: 20,
          responseTimeMs: expect.objectContaining({ p50: 50.015 }) as unknown,
          serviceTimeMs: expect.objectContaining({ max: 100.031 }) as unknown,
          serviceStddevMs: expect.closeTo(28.87, 1) as number,
          poolWaitMs: { mean: 0, p50: 0, p90: 0, p95: 0, p99: 0, p999: 0, max: 0 },
          failedTimeMs: expect.objectContaining({ max: 2 }) as unknown,
          retries: 2,
          retriesBySqlstate: { "40001": 1, "40P01": 1 },
          failures: { "40001": 1 },
          emptyPolls: 0,
          emptyPollTotalMs: 0,
          offered: 0,
          dropped: 0,
          unfinished: 0,
        },
        process: {
          transactions: 0,
          events: 0,
          transactionsPerSecond: 0,
          eventsPerSecond: 0,
          responseTimeMs: null,
          serviceTimeMs: null,
          poolWaitMs: null,
          retries: 0,
          retriesBySqlstate: {},
          failures: {},
          emptyPolls: 1,
          emptyPollTotalMs: 4,
          offered: 0,
          dropped: 0,
          unfinished: 0,
        },
      },
      lifecycle: {
        completedMs: expect.objectContaining({ p50: 0, max: 8.003 }) as unknown,
      },
      clampedSamples: 1,
    });
  });

  it("merges any number of workers to the histogram of the union", () => {
    const workers = fc.array(
      fc.array(
        fc.record({
          at: fc.double({ min: 0, max: 9_999, noNaN: true }),
          ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
        }),
        { maxLength: 80 },
      ),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(workers, fc.integer({ min: 1, max: 9 }), (perWorker, takes) => {
        const bySecond = new Totals(["add"]);
        const tally = new Tally(["add"], perWorker.length, (_, totals) => bySecond.add(totals));
        const recorders = perWorker.map(() => recorderOf());
        for (let i = 1; i <= takes; i++) {
          perWorker.forEach((samples, worker) => {
            const recorder = recorders[worker] as Recorder;
            for (const { at, ms } of samples)
              if (Math.floor((at * takes) / 10_000) === i - 1) record(recorder, at, ms);
            tally.add(worker, recorder.take((i * 10_000) / takes));
          });
        }
        const union = createHistogram();
        for (const { ms } of perWorker.flat()) union.recordValue(Math.round(ms * 1000));
        const expected = hdr.encodeIntoCompressedBase64(union);
        const total = tally.finish(10);
        expect(hdr.encodeIntoCompressedBase64(total.histograms.at("add.response"))).toBe(expected);
        expect(hdr.encodeIntoCompressedBase64(bySecond.histograms.at("add.response"))).toBe(expected);
        expect(total.countsOf("add").transactions).toBe(union.totalCount);
      }),
      { numRuns: 40 },
    );
  });

  it("frees a second after emitting it, also if the sink throws", () => {
    const totals = new Set<Totals>();
    const tally = new Tally(["add"], 1, (_, second) => totals.add(second));
    const recorder = recorderOf();
    for (let second = 0; second < 9; second++) {
      record(recorder, second * 1000 + 1);
      tally.add(0, recorder.take((second + 1) * 1000));
    }
    expect(totals.size).toBe(1);
    const failing = new Tally(["add"], 1, () => {
      throw new Error("disk full");
    });
    expect(() => {
      failing.add(0, recorderOf(1).take(Infinity));
    }).toThrow("disk full");
    expect(failing.running.countsOf("add").transactions).toBe(1);
  });

  it("emits totals of the warm-up as a single worker measured them", () => {
    const warmUpCounts: number[] = [];
    const onWarmUp = (totals: Totals): unknown => warmUpCounts.push(totals.countsOf("add").transactions);
    const tally = new Tally(["add"], 2, () => undefined, onWarmUp);
    const recorders = [new Recorder(["add"]), new Recorder(["add"])];
    for (const second of [0, 1]) {
      recorders.forEach((recorder, worker) => {
        if (second === 0) recorder.measureWarmUp(0);
        for (let i = 0; i <= second; i++) record(recorder, second * 1000 + 100);
        tally.add(worker, recorder.take((second + 1) * 1000));
      });
    }
    expect(warmUpCounts).toEqual([1, 2]);
  });

  it("emits no second of the warm-up", () => {
    const seen: number[] = [];
    const tally = new Tally(["add"], 1, (second) => seen.push(second));
    const recorder = new Recorder(["add"]);
    recorder.measureWarmUp(0);
    record(recorder, 100, -1);
    record(recorder, 1100);
    tally.add(0, recorder.take(2000));
    expect(seen).toEqual([]);
    recorder.setWindow(2000, 10_000);
    record(recorder, 2100);
    tally.add(0, recorder.take(Infinity));
    expect(seen).toEqual([0]);
    const summary = tally.summary(1);
    expect(summary.operations.add?.transactions).toBe(1);
    expect(summary.clampedSamples).toBe(0);
  });
});
