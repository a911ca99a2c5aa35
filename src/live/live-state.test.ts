import { describe, expect, it } from "vitest";
import {
  endedTrial,
  exampleExperiment,
  inBudgetedWindow,
  inMidWindow,
  liveSecond,
  liveSecondOf,
  watchedRun,
} from "../../test/support/example-live.js";
import type { Finding } from "../results/result-schema.js";

describe("the live state", () => {
  it("contains trial, phase, operations and latest sample of the experiment", () => {
    const run = watchedRun();
    expect(run.state.view()).toMatchObject({ trial: null, phase: null, trials: 4, operations: [] });
    inMidWindow(run);
    const view = run.state.view();
    expect(view).toMatchObject({
      scenario: "watched",
      elapsedMs: 7_000,
      trials: 4,
      trial: { number: 1, treatment: run.experiment.trials[0]?.treatmentId },
      phase: { name: "measure", sinceMs: 2_000, mostMs: 10_000 },
      evidence: { "queue.pending": 40 },
    });
    expect(view.operations.map(({ operation }) => operation)).toEqual(["add", "process", "archive"]);
    expect(view.operations[0]).toMatchObject({
      events: 500,
      transactions: 50,
      p99Ms: expect.closeTo(20, 1) as number,
      poolWaitMeanMs: 0.5,
      poolWaitP99Ms: 0.5,
      totalRetries: 0,
      totalFailures: 0,
    });
  });

  it("adds up retries and failures over the trial, and resets the sums with the next trial", () => {
    const run = watchedRun();
    inMidWindow(run);
    run.state.second(...liveSecondOf(5, 100, { retries: { "40001": 2 }, failures: { "53300": 1 } }));
    run.state.second(...liveSecondOf(6, 100, { retries: { "40001": 1, "40P01": 1 }, dropped: 3 }));
    expect(run.state.view().operations[0]).toMatchObject({
      totalRetries: 4,
      totalFailures: 1,
      totalDropped: 3,
    });
    const { trial, treatment } = run.trial(2);
    run.state.thresholds([{ metric: "add", expression: "p(99)<50", seen: 20, ok: true }]);
    run.state.trialStarted(trial, treatment);
    const view = run.state.view();
    expect(view.operations[0]).toMatchObject({ events: null, p99Ms: null, totalRetries: 0, totalDropped: 0 });
    expect(view.evidence).toEqual({});
    expect(view.thresholds).toEqual([]);
    expect(run.state.recentEvents("add", 60)).toEqual([]);
  });

  it("adds a late part to its own second, not to the latest one", () => {
    const run = watchedRun();
    inMidWindow(run);
    run.state.second(...liveSecond(1, { add: 7 }, {}, 900));
    expect(run.state.recentEvents("add", 60)).toEqual([100, 207, 300, 400, 500]);
    expect(run.state.view().operations[0]).toMatchObject({
      events: 500,
      p99Ms: expect.closeTo(20, 1) as number,
    });
    run.state.second(...liveSecond(4, { add: 1 }));
    expect(run.state.recentEvents("add", 2)).toEqual([400, 501]);
    expect(run.state.view().operations[0]?.events).toBe(501);
  });

  it("places seconds by the window, however late they arrive", () => {
    const run = watchedRun();
    inMidWindow(run);
    run.clock.ms += 3_000;
    run.state.second(...liveSecondOf(5, 1));
    expect(run.state.fullUpdate().points.map(({ atMs }) => atMs)).toEqual([
      3000, 4000, 5000, 6000, 7000, 8000,
    ]);
  });

  it("sends new points once, and all points to a listener that comes later", () => {
    const run = watchedRun();
    inMidWindow(run);
    run.state.note("first");
    const first = run.state.nextUpdate();
    expect(first.points).toHaveLength(5);
    expect(first.samples).toHaveLength(5);
    expect(first.notes.map(({ text }) => text)).toEqual(["first"]);
    run.state.second(...liveSecondOf(5, 600));
    run.state.second(...liveSecond(2, { add: 1 }));
    run.state.trialEnded(endedTrial(1), run.trial(1).treatment);
    const second = run.state.nextUpdate();
    expect(second.points.map((point) => point.second)).toEqual([5, 2]);
    expect(second.points[1]?.operations.add?.events).toBe(301);
    expect(second.notes).toEqual([]);
    expect(second.ended.map(({ number }) => number)).toEqual([1]);
    expect(run.state.nextUpdate()).toMatchObject({ points: [], samples: [], ended: [], notes: [] });
    const whole = run.state.fullUpdate();
    expect([whole.points.length, whole.ended.length, whole.notes.length]).toEqual([6, 1, 1]);
  });

  it("keeps the last ten minutes", () => {
    const run = watchedRun();
    const { trial, treatment } = run.trial(1);
    run.state.trialStarted(trial, treatment);
    for (let second = 0; second < 2_000; second++) run.state.second(...liveSecondOf(second, second));
    const { points } = run.state.fullUpdate();
    expect(points).toHaveLength(600);
    expect(points.at(-1)?.second).toBe(1_999);
    expect(run.state.nextUpdate().points).toHaveLength(600);
  });

  it("keeps only the samples that are drawn over time", () => {
    const run = watchedRun();
    inMidWindow(run);
    expect(run.state.fullUpdate().samples.at(-1)?.values).toEqual({
      "queue.pending": 40,
      "locks.blocked": 1,
    });
    expect(run.state.view().evidence["wait.Lock:tuple"]).toBe(2);
    expect(run.state.recentEvidence("queue.pending", 3)).toEqual([20, 30, 40]);
  });

  it("shows no sample of the window in the phases after it", () => {
    const run = watchedRun();
    inMidWindow(run);
    run.state.phaseStarted("drain", 5_000);
    expect(run.state.view().evidence).toEqual({});
    expect(run.state.fullUpdate().samples).toHaveLength(5);
  });

  it("lists how trials ended, also trials of an interrupted run", () => {
    const earlier = [{ treatmentId: "jsonb", result: endedTrial(1) }];
    const run = watchedRun({ earlier });
    const { treatment } = run.trial(2);
    const steal: Finding = { check: "steal", invalidates: ["timings"], seen: 1, bound: 0, words: "stolen" };
    const failed = { integrity: null, status: "failed", reason: "gone" } as const;
    run.state.trialEnded(endedTrial(2, { ...failed, diagnosis: [steal] }), treatment);
    expect(run.state.fullUpdate().ended).toMatchObject([
      { number: 1, treatment: "jsonb", status: "complete", integrity: "ok", reason: null, invalid: [] },
      { number: 2, status: "failed", integrity: null, reason: "gone", invalid: ["timings not valid: steal"] },
    ]);
  });
});

describe("a budget of iterations", () => {
  it("counts iterations that ended in any way, by role, and only in the window", () => {
    const run = inBudgetedWindow();
    const budget = { role: "loaders", ended: 40, iterations: 500, leftMs: 115_000 };
    expect(run.state.view().budgets).toEqual([budget]);
    run.state.second(...liveSecond(8, { load: 100 }, { emptyPolls: 2 }));
    const windowMs = 10_000;
    expect(run.state.view().budgets).toEqual([{ ...budget, ended: 52, leftMs: (448 * windowMs) / 52 }]);
    expect(run.state.view().operations[0]).toMatchObject({ events: 30, totalEvents: 490, meanEvents: 49 });
    run.state.phaseStarted("audit", undefined);
    expect(run.state.view().budgets).toEqual([]);
  });

  it("is the sum over all clients, and counts rounds, if each client of a cycle has iterations", () => {
    const experiment = exampleExperiment(`
name: rounds
topology: cycle
actors: { cycle: { load: { executor: per-client-iterations, clients: 4, iterations: 25 } } }
`);
    const run = watchedRun({ experiment });
    const { trial, treatment } = run.trial(1);
    run.state.trialStarted(trial, treatment);
    run.state.phaseStarted("measure", undefined);
    expect(run.state.view().budgets).toEqual([{ role: "cycle", ended: 0, iterations: 100, leftMs: null }]);
    run.state.second(...liveSecond(0, { add: 70, process: 80, archive: 90, __cycle__: 50 }));
    expect(run.state.view().budgets).toMatchObject([{ ended: 5, leftMs: 19_000 }]);
  });
});

describe("the time left", () => {
  it("is the planned time plus the overhead that earlier trials took", () => {
    const run = watchedRun();
    const plannedMs = 11_000;
    expect(run.state.view().leftMs).toBe(4 * (plannedMs + 2_000));
    const first = run.trial(1);
    run.state.trialStarted(first.trial, first.treatment);
    run.clock.ms += 4_000;
    expect(run.state.view().leftMs).toBe(4 * (plannedMs + 2_000) - 4_000);
    run.clock.ms += 12_000;
    run.state.trialEnded(endedTrial(1), first.treatment);
    // The trial took 16 s instead of 11 s, so trials of either treatment are now expected to take 16 s.
    expect(run.state.view().leftMs).toBe(3 * 16_000);
  });

  it("is never below the time of the remaining trials, however long the current one lasts", () => {
    const run = watchedRun();
    const { trial, treatment } = run.trial(1);
    run.state.trialStarted(trial, treatment);
    run.clock.ms += 100_000;
    expect(run.state.view().leftMs).toBe(3 * 13_000);
  });

  it("excludes trials that are already complete", () => {
    const earlier = [1, 3].map((number) => ({ treatmentId: "jsonb", result: endedTrial(number) }));
    expect(watchedRun({ earlier }).state.view().leftMs).toBe(2 * 13_000);
  });

  it("is unknown for a search, and for iteration budgets until a trial has ended", () => {
    expect(watchedRun({ isSearch: true }).state.view()).toMatchObject({ leftMs: null, trials: null });
    const experiment = exampleExperiment(`
name: budgeted
seed: 1
trials: 3
actors:
  producers: { load: { executor: shared-iterations, clients: 2, iterations: 10, maxDuration: 1m } }
`);
    const run = watchedRun({ experiment });
    expect(run.state.view().leftMs).toBeNull();
    const { trial, treatment } = run.trial(1);
    run.state.trialStarted(trial, treatment);
    run.clock.ms += 6_000;
    run.state.trialEnded(endedTrial(1), treatment);
    expect(run.state.view().leftMs).toBe(12_000);
  });
});
