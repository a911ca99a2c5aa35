// Means of parts come from sums: over seconds, workers and trials each transaction weighs the same, and the slowest of each
// second and worker are kept separately.
import { describe, expect, it } from "vitest";
import { PartSums } from "./part-sums.js";
import { PartNames, PartTimes } from "./part-times.js";
import type { RecorderDelta } from "./recorder-delta.js";
import { Recorder } from "./recorder.js";
import { Totals } from "./totals.js";

/** A simulated worker of a trial; `commit` ends a transaction that began with a claim of `claimMs`. */
function worker(client = 0) {
  const recorder = new Recorder(["process"]);
  recorder.setWindow(0, 10_000);
  const times = new PartTimes(new PartNames(), client);
  return {
    recorder,
    transaction(finishedMs: number, claimMs: number, commitMs: number): void {
      const startMs = finishedMs - claimMs - commitMs;
      times.start(startMs);
      times.onCall("process.claim", startMs, startMs + claimMs);
      times.onCall("commit", startMs + claimMs, finishedMs);
      times.finish(finishedMs, 0);
      const serviceMs = finishedMs - startMs;
      const sample = { finishedMs, events: 1, serviceMs, responseMs: serviceMs, poolWaitMs: 0 };
      recorder.transaction("process", { ...sample, parts: times });
    },
  };
}

function totalsOf(...deltas: readonly RecorderDelta[]): Totals {
  const totals = new Totals(["process"]);
  for (const { seconds } of deltas) for (const second of seconds) totals.addSecond(second);
  return totals;
}

const partsOf = (totals: Totals) => totals.partsOf("process").summary();

describe("the sums of parts", () => {
  it("are shipped by second, with all parts of the slowest transaction", () => {
    const one = worker(4);
    one.transaction(500, 1, 2);
    one.transaction(600, 30, 2.5);
    one.transaction(700, 2, 2);
    expect(one.recorder.take(1000).seconds[0]?.operations.process?.parts).toEqual({
      transactions: 3,
      sums: {
        "process.claim": { ns: 33e6, calls: 3, slowNs: 30e6 },
        commit: { ns: 6.5e6, calls: 3, slowNs: 2.5e6 },
      },
      slowest: { responseMs: 32.5, client: 4, parts: { "process.claim": 30, commit: 2.5 } },
    });
    one.transaction(1500, 5, 1);
    expect(one.recorder.take(2000).seconds[0]?.operations.process?.parts).toMatchObject({
      transactions: 1,
      slowest: { responseMs: 6 },
    });
  });

  it("weigh each transaction and each slowest one equally, over workers of different load", () => {
    const [busy, idle] = [worker(), worker()];
    for (let i = 0; i < 9; i++) busy.transaction(100 + i, 1, 1);
    idle.transaction(500, 11, 1);
    const totals = totalsOf(busy.recorder.take(Infinity), idle.recorder.take(Infinity));
    expect(partsOf(totals)).toEqual([
      { name: "process.claim", meanMs: 2, calls: 1, slowMeanMs: 6 },
      { name: "commit", meanMs: 1, calls: 1, slowMeanMs: 1 },
    ]);
    expect(totals.summary(1).operations.process).toMatchObject({ slowTransactions: 2 });
  });

  it("divide a part that only some transactions have by all transactions", () => {
    const one = worker();
    const times = new PartTimes(new PartNames(), 0);
    one.transaction(100, 1, 1);
    times.start(200);
    times.onCall("process.claim", 200, 201);
    times.onCall("rollback", 201, 205);
    times.finish(205, 0);
    one.recorder.transaction("process", {
      finishedMs: 205,
      events: 1,
      serviceMs: 5,
      responseMs: 5,
      poolWaitMs: 0,
      parts: times,
    });
    expect(partsOf(totalsOf(one.recorder.take(Infinity)))).toContainEqual({
      name: "rollback",
      meanMs: 2,
      calls: 0.5,
      slowMeanMs: 4,
    });
  });

  it("merge several trials like a single one, from memory or from their stored summaries", () => {
    const [first, second] = [worker(), worker()];
    for (let i = 1; i <= 50; i++) first.transaction(i * 100, i / 7, 1);
    for (let i = 1; i <= 7; i++) second.transaction(i * 1000, i * 3, 2);
    const trials = [first, second].map(({ recorder }) => totalsOf(recorder.take(Infinity)));
    const merged = new Totals();
    for (const trial of trials) merged.add(trial);
    const again = new PartSums();
    for (const trial of trials) {
      const { transactions } = trial.countsOf("process");
      const parts = trial.partsOf("process");
      again.addSummary(parts.summary(), transactions, parts.slowCount);
    }
    const expected = partsOf(merged);
    expect(expected).toHaveLength(2);
    expect(again.slowCount).toBe(merged.partsOf("process").slowCount);
    expect(again.summary()).toEqual(expected);
  });

  it("are empty without a committed transaction, and after a reset", () => {
    const totals = totalsOf();
    expect(totals.summary(1).operations.process).not.toHaveProperty("parts");
    const one = worker();
    one.transaction(100, 1, 1);
    const some = totalsOf(one.recorder.take(Infinity));
    some.reset();
    expect(partsOf(some)).toEqual([]);
  });
});
