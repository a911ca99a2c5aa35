import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HIGHEST_TRACKABLE_US } from "./histograms.js";
import { EndpointSplit } from "./endpoint-split.js";
import { transferablesOf } from "./recorder-delta.js";
import { Recorder, type TransactionSample } from "./recorder.js";

function sample(finishedMs: number, overrides: Partial<TransactionSample> = {}): TransactionSample {
  return { finishedMs, events: 10, serviceMs: 2, responseMs: 3, poolWaitMs: 0.5, ...overrides };
}

describe("Recorder", () => {
  it("counts everything before the window as outside, and records no sample", () => {
    const recorder = new Recorder(["add"]);
    recorder.transaction("add", sample(5));
    recorder.failure("add", { finishedMs: 5, serviceMs: 1, sqlstate: "40001" });
    recorder.retry("add", "40001", 5);
    recorder.emptyPoll("add", 5, 1);
    recorder.recordOffer("add", 5);
    recorder.recordDrop("add", 5, 6);
    recorder.lifecycle("completed", 1, 5);
    const delta = recorder.take(10_000);
    expect(delta.seconds).toEqual([]);
    expect(delta.closedBefore).toBe(0);
    expect(delta.outside).toEqual({
      transactions: 1,
      events: 10,
      failures: 1,
      retries: 1,
      emptyPolls: 1,
      offered: 1,
      dropped: 1,
    });
  });

  it("measures transactions that finish in [start, end), and counts others as outside", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(1000, 3000);
    for (const finishedMs of [999.999, 1000, 2999.999, 3000]) recorder.transaction("add", sample(finishedMs));
    const delta = recorder.take(Infinity);
    expect(delta.seconds.map((second) => [second.second, second.operations.add?.transactions])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(delta.outside).toMatchObject({ transactions: 2, events: 20 });
    expect(delta.closedBefore).toBe(Infinity);
  });

  it("ships samples as microseconds, by measure", () => {
    const recorder = new Recorder(["add", "process"]);
    recorder.setWindow(0, Infinity);
    recorder.transaction("process", sample(9, { serviceMs: 1.5, intendedMs: 0.5 }));
    recorder.failure("process", { finishedMs: 2, serviceMs: 9, sqlstate: "40P01" });
    recorder.retry("process", "40001", 3);
    recorder.retry("process", "40001", 3);
    recorder.emptyPoll("process", 4, 0.25);
    recorder.lifecycle("archived", 100, 5);
    const [second] = recorder.take(Infinity).seconds;
    expect(second).toEqual({
      second: 0,
      operations: {
        process: {
          transactions: 1,
          events: 10,
          emptyPolls: 1,
          emptyPollMs: 0.25,
          unansweredCommits: 0,
          warnedCommits: 0,
          withoutRows: 0,
          offered: 0,
          dropped: 0,
          unfinished: 0,
          outlastedMs: 0,
          retries: { "40001": 2 },
          failures: { "40P01": 1 },
          errorsUs: { "40001": Float64Array.of(3000, 3000), "40P01": Float64Array.of(2000) },
          samplesUs: {
            response: Float64Array.of(3000),
            service: Float64Array.of(1500),
            poolwait: Float64Array.of(500),
            startdelay: Float64Array.of(7000),
            failed: Float64Array.of(9000),
          },
        },
      },
      lifecycleUs: { archived: Float64Array.of(100_000) },
    });
  });

  it("ships only seconds that are over, each once", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(500, 10_500);
    recorder.transaction("add", sample(600));
    recorder.transaction("add", sample(1600));
    const first = recorder.take(1_700);
    expect(first.seconds.map((s) => s.second)).toEqual([0]);
    expect(first.closedBefore).toBe(1);
    expect(recorder.take(1_800).seconds).toEqual([]);
    const last = recorder.take(10_500);
    expect(last.seconds.map((s) => s.second)).toEqual([1]);
    expect(last.closedBefore).toBe(Infinity);
  });

  it("ships a late sample with the second in which it finished", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(0, 5000);
    recorder.take(2000);
    recorder.transaction("add", sample(900));
    const delta = recorder.take(3000);
    expect(delta.seconds.map((s) => [s.second, s.operations.add?.transactions])).toEqual([[0, 1]]);
    recorder.take(Infinity);
    recorder.transaction("add", sample(4999));
    expect(recorder.take(Infinity).seconds.map((s) => s.second)).toEqual([4]);
  });

  it("records an out-of-range sample at the bound, and counts the sample as clamped", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(0, Infinity);
    recorder.lifecycle("completed", -0.4, 1);
    recorder.lifecycle("completed", HIGHEST_TRACKABLE_US, 1);
    recorder.lifecycle("completed", NaN, 1);
    const delta = recorder.take(Infinity);
    expect(delta.clampedSamples).toBe(3);
    expect(delta.seconds[0]?.lifecycleUs.completed).toEqual(Float64Array.of(0, HIGHEST_TRACKABLE_US, 0));
    expect(recorder.take(Infinity).clampedSamples).toBe(0);
  });

  it("counts server transactions of the window, and none of the warm-up or after the end", () => {
    const recorder = new Recorder(["add"]);
    recorder.measureWarmUp(1000);
    recorder.serverTransaction(1500);
    recorder.setWindow(2000, 4000);
    for (const atMs of [1999, 2000, 3999, 4000]) recorder.serverTransaction(atMs);
    expect(recorder.take(3000).serverTransactions).toBe(2);
    recorder.serverTransaction(3500);
    expect(recorder.take(Infinity).serverTransactions).toBe(1);
  });

  it("accepts a window end that becomes known later, but no other start after a sample", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(0, Infinity);
    recorder.transaction("add", sample(10));
    recorder.setWindow(0, 20);
    recorder.transaction("add", sample(30));
    expect(() => {
      recorder.setWindow(5, 20);
    }).toThrow(/cannot move/);
    expect(recorder.take(25)).toMatchObject({ closedBefore: Infinity, outside: { transactions: 1 } });
  });

  it("counts every arrival of the window once: ended in the window, dropped, or unfinished at its end", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(1000, 3000);
    for (const intendedMs of [999, 1000, 1500, 2000, 2500, 2999, 3000])
      recorder.recordOffer("add", intendedMs);
    recorder.transaction("add", sample(1010, { intendedMs: 1000 }));
    recorder.emptyPoll("add", 1600, 1, 1500);
    recorder.failure("add", { finishedMs: 2100, serviceMs: 1, sqlstate: "40001", intendedMs: 2000 });
    recorder.transaction("add", sample(3100, { intendedMs: 2500 }));
    recorder.recordDrop("add", 2999, 3001);
    recorder.transaction("add", sample(3200, { intendedMs: 3000 }));
    const delta = recorder.take(Infinity);
    const counts = delta.seconds.map(({ second, operations: { add } }) => [
      second,
      add?.offered,
      add?.dropped,
    ]);
    expect(counts).toEqual([
      [0, 2, 0],
      [1, 3, 1],
    ]);
    expect(delta.underWay.add?.unfinished).toBe(1);
    expect(delta.outside).toMatchObject({ transactions: 2, offered: 2 });
  });

  it("reports the longest response time among transactions in flight at the end of the window", () => {
    const recorder = new Recorder(["add", "process", "archive"]);
    recorder.measureWarmUp(0);
    recorder.transaction("add", sample(900, { responseMs: 800 }));
    recorder.setWindow(1000, 3000);
    recorder.transaction("add", sample(2900, { responseMs: 1800 }));
    recorder.transaction("add", sample(3100, { responseMs: 400 }));
    recorder.transaction("add", sample(3200, { responseMs: 300 }));
    recorder.transaction("add", sample(3900, { responseMs: 800 })); // began after the window
    recorder.failure("process", { finishedMs: 5000, serviceMs: 2500, sqlstate: "40001" });
    recorder.emptyPoll("archive", 3001, 2);
    const longest = () =>
      Object.entries(recorder.take(Infinity).underWay).map(([operation, counts]) => [
        operation,
        counts.outlastedMs,
      ]);
    expect(longest()).toEqual([
      ["add", 400],
      ["process", 2500],
      ["archive", 2],
    ]);
    recorder.transaction("add", sample(9000, { responseMs: 8500 })); // under way all through the window
    expect(longest()).toEqual([["add", 8500]]);
    expect(longest()).toEqual([]);
  });

  it("places a late window end after all recorded arrivals, so that each arrival counts with its outcome", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(0, Infinity);
    recorder.recordOffer("add", 100);
    recorder.transaction("add", sample(110, { intendedMs: 100 }));
    recorder.recordOffer("add", 120);
    recorder.setWindow(0, 90);
    expect(recorder.windowEndMs).toBeGreaterThan(120);
    recorder.transaction("add", sample(130, { intendedMs: 120 }));
    expect(recorder.take(Infinity)).toMatchObject({
      underWay: { add: { unfinished: 1 } },
      seconds: [{ operations: { add: { transactions: 1, offered: 2 } } }],
    });
  });

  it("refuses an unknown operation", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(0, Infinity);
    expect(() => {
      recorder.transaction("read", sample(1));
    }).toThrow(/read/);
  });

  it("loses and invents no transaction, for any order of finishing and taking", () => {
    const finished = fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { maxLength: 400 });
    fc.assert(
      fc.property(
        finished,
        fc.array(fc.double({ min: 0, max: 20_000, noNaN: true }), { maxLength: 5 }),
        (at, takes) => {
          const recorder = new Recorder(["add"]);
          recorder.setWindow(2000, 15_000);
          const steps = [
            ...at.map((ms) => ({ ms, take: false })),
            ...takes.map((ms) => ({ ms, take: true })),
          ].sort((a, b) => a.ms - b.ms);
          const deltas = steps.flatMap(({ ms, take }) => {
            if (take) return [recorder.take(ms)];
            recorder.transaction("add", sample(ms, { responseMs: ms }));
            return [];
          });
          deltas.push(recorder.take(Infinity));
          const shipped = deltas.flatMap((delta) =>
            delta.seconds.flatMap((second) => {
              const values = [...(second.operations.add?.samplesUs.response ?? [])];
              expect(values).toHaveLength(second.operations.add?.transactions ?? 0);
              return values;
            }),
          );
          const inside = at.filter((ms) => ms >= 2000 && ms < 15_000);
          expect(shipped.sort((a, b) => a - b)).toEqual(
            inside.map((ms) => Math.round(ms * 1000)).sort((a, b) => a - b),
          );
          const outside = deltas.reduce((sum, delta) => sum + delta.outside.transactions, 0);
          expect(outside + inside.length).toBe(at.length);
        },
      ),
    );
  });

  it("ships buffers that can move to another thread without taking its own", () => {
    const recorder = new Recorder(["add"]);
    recorder.setWindow(0, Infinity);
    for (let i = 0; i < 1000; i++) recorder.transaction("add", sample(1));
    const delta = recorder.take(Infinity);
    const moved = structuredClone(delta, { transfer: transferablesOf(delta) });
    expect(moved.seconds[0]?.operations.add?.samplesUs.response).toHaveLength(1000);
    expect(delta.seconds[0]?.operations.add?.samplesUs.response).toHaveLength(0);
    recorder.transaction("add", sample(1));
    expect(recorder.take(Infinity).seconds[0]?.operations.add?.samplesUs.response).toHaveLength(1);
  });

  it("measures the warm-up like the window, marks it as warm-up and outside, and then forgets it", () => {
    const split = new EndpointSplit(1);
    const recorder = new Recorder(["add"], split);
    recorder.measureWarmUp(1000);
    recorder.transaction("add", sample(900));
    recorder.transaction("add", sample(1100, { endpoint: 0 }));
    recorder.failure("add", { finishedMs: 1200, serviceMs: 1, sqlstate: "40001", endpoint: 0 });
    recorder.retry("add", "40001", 1300, 0);
    recorder.emptyPoll("add", 1400, 1);
    recorder.recordOffer("add", 1500);
    recorder.recordDrop("add", 1500, 1600);
    recorder.lifecycle("completed", 1, 1500);
    expect(recorder.secondAt(1500)).toBeUndefined();
    const warmUp = recorder.take(2000);
    expect(warmUp.isWarmUp).toBe(true);
    expect(warmUp.seconds.map((second) => second.operations.add?.samplesUs.response)).toEqual([
      Float64Array.of(3000),
    ]);
    expect(warmUp.outside).toEqual({
      transactions: 2,
      events: 20,
      failures: 1,
      retries: 1,
      emptyPolls: 1,
      offered: 1,
      dropped: 1,
    });
    recorder.transaction("add", sample(2500, { responseMs: -1 }));
    recorder.setWindow(3000, 5000);
    recorder.transaction("add", sample(3500));
    const measured = recorder.take(Infinity);
    expect(measured.isWarmUp).toBe(false);
    expect(measured.seconds.map((second) => [second.second, second.operations.add?.transactions])).toEqual([
      [0, 1],
    ]);
    expect(measured.seconds[0]?.lifecycleUs).toEqual({});
    expect(measured.outside).toMatchObject({ transactions: 1, events: 10, failures: 0 });
    expect(measured.clampedSamples).toBe(0);
    expect(split.operations()).toEqual([{}]);
  });

  it("forgets the counts by endpoint of a warm-up that no window follows", () => {
    const split = new EndpointSplit(1);
    const recorder = new Recorder(["add"], split);
    recorder.measureWarmUp(1000);
    recorder.transaction("add", sample(1100, { endpoint: 0 }));
    recorder.take(2000);
    recorder.transaction("add", sample(2100, { endpoint: 0 }));
    recorder.take(Infinity);
    expect(split.operations()).toEqual([{}]);
  });
});
