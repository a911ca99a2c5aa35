import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exampleOperation, exampleTrial } from "../../test/support/example-result.js";
import {
  endedTrial,
  exampleExperiment,
  inBudgetedWindow,
  inMidWindow,
  liveSecond,
  watchedRun,
  type WatchedRun,
} from "../../test/support/example-live.js";
import { isUnicodeLocale, openProgress, type Progress, type ProgressStream } from "./progress.js";

class Stream implements ProgressStream {
  readonly writes: string[] = [];
  constructor(
    readonly isTTY: boolean,
    readonly columns = 100,
    readonly rows = 30,
  ) {}
  write(text: string): void {
    this.writes.push(text);
  }
  get text(): string {
    return this.writes.join("");
  }
}

/** Advances the clock of the state and the clock of the timers together. */
function pass(run: WatchedRun, ms: number): void {
  for (let passed = 0; passed < ms; passed += 50) {
    run.clock.ms += 50;
    vi.advanceTimersByTime(50);
  }
}

let opened: Progress | undefined;
function open(run: WatchedRun, stream: Stream, environment: NodeJS.ProcessEnv = {}): Progress {
  opened = openProgress(run.state, stream, environment);
  return opened;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  opened?.close();
  vi.useRealTimers();
});

describe("progress without a terminal", () => {
  it("names the unit of the workload's operations", () => {
    const run = watchedRun({ experiment: exampleExperiment("name: watched\nworkload: accounts\n") });
    const stream = new Stream(false);
    open(run, stream);
    const { trial, treatment } = run.trial(1);
    const transfer = { ...exampleOperation(10), eventsPerSecond: 12 };
    run.state.trialStarted(trial, treatment);
    opened?.trialEnded({ ...exampleTrial(0, 1, 10), operations: { transfer } }, treatment);
    expect(stream.text).toContain("  transfer 12 transfers/s  integrity");
    run.state.second(...liveSecond(0, { transfer: 30 }));
    pass(run, 10_000);
    expect(stream.text).toContain("  transfer 30 transfers/s (30 so far) p99 20.0ms");
  });

  it("writes a line every ten seconds in every phase, and none in between", () => {
    const run = watchedRun();
    const stream = new Stream(false);
    open(run, stream);
    const { trial, treatment } = run.trial(1);
    run.state.trialStarted(trial, treatment);
    run.state.phaseStarted("drain", 60_000);
    pass(run, 9_000);
    expect(stream.writes).toEqual([]);
    pass(run, 22_000);
    expect(stream.writes).toHaveLength(3);
    expect(stream.writes[0]).toBe(`[10s] trial 1/4  ${treatment.id}  drain  42s left in all\n`);
  });

  it("contains rates, latencies, backlog and broken thresholds", () => {
    const run = watchedRun();
    const stream = new Stream(false);
    open(run, stream);
    inMidWindow(run);
    run.state.thresholds([{ metric: "add", expression: "max<1", seen: 20, ok: false }]);
    pass(run, 10_000);
    const line = stream.writes.at(-1) ?? "";
    expect(line).toContain("add 500 ev/s (300 so far) p99 20.0ms  process 1000 ev/s (600 so far) p99 20.0ms");
    expect(line).toContain("backlog 40");
    expect(line).toContain("BROKEN add max<1");
    expect(line).not.toContain("\u001b");
  });

  it("contains the iterations of a budget, their share and the time left", () => {
    const run = inBudgetedWindow();
    const stream = new Stream(false);
    open(run, stream);
    pass(run, 10_000);
    expect(stream.text).toContain(
      "measure  loaders: 40 of 500 iterations (8 %), about 1m55s left  load 30 calls/s (39 so far)",
    );
  });

  it("writes notes and the end of each trial at once", () => {
    const run = watchedRun();
    const stream = new Stream(false);
    const progress = open(run, stream);
    const { treatment } = run.trial(1);
    progress.note("PostgreSQL 18\u001b[2J");
    progress.trialEnded(endedTrial(1, { status: "partial", reason: "stopped by SIGINT" }), treatment);
    expect(stream.writes[0]).toBe("[0s] PostgreSQL 18 [2J\n");
    expect(stream.writes[1]).toMatch(
      /^\[0s\] trial 1\/4 {2}\S+ +add \d+ ev\/s .*integrity ok \(partial: stopped by SIGINT\)\n$/,
    );
  });

  it("writes nothing after it is closed", () => {
    const run = watchedRun();
    const stream = new Stream(false);
    open(run, stream).close();
    pass(run, 60_000);
    expect(stream.writes).toEqual([]);
  });
});

describe("progress on a terminal", () => {
  it("draws at most four frames a second, however many updates arrive", () => {
    const run = watchedRun();
    const stream = new Stream(true);
    const progress = open(run, stream, { LANG: "C.UTF-8" });
    inMidWindow(run);
    pass(run, 1_000);
    stream.writes.length = 0;
    for (let i = 0; i < 20; i++) {
      progress.note(`note ${i}`);
      progress.phaseStarted();
      progress.second();
      pass(run, 100);
    }
    expect(stream.writes.length).toBeGreaterThanOrEqual(4);
    expect(stream.writes.length).toBeLessThanOrEqual(9);
    for (let i = 0; i < 20; i++) expect(stream.text.split(`note ${i}\u001b`)).toHaveLength(2);
  });

  it("is coloured unless NO_COLOR is set", () => {
    const drawProgress = (environment: NodeJS.ProcessEnv): string => {
      const run = watchedRun();
      const stream = new Stream(true);
      const progress = open(run, stream, environment);
      pass(run, 1_000);
      progress.close();
      return stream.text;
    };
    expect(drawProgress({})).toContain("\u001b[1mtrain-sim");
    expect(drawProgress({ NO_COLOR: "" })).toContain("\u001b[1mtrain-sim");
    expect(drawProgress({ NO_COLOR: "1" })).not.toContain("\u001b[1m");
  });

  it("is plain lines on a dumb terminal", () => {
    const run = watchedRun();
    const stream = new Stream(true);
    open(run, stream, { TERM: "dumb" });
    pass(run, 11_000);
    expect(stream.text).toMatch(/^\[10s\] starting/);
    expect(stream.text).not.toContain("\u001b");
  });

  it("detects Unicode by LC_ALL, LC_CTYPE and LANG, in the order of C programs", () => {
    expect(isUnicodeLocale({ LANG: "en_GB.UTF-8" })).toBe(true);
    expect(isUnicodeLocale({ LC_ALL: "C", LANG: "en_GB.UTF-8" })).toBe(false);
    expect(isUnicodeLocale({ LC_ALL: "", LC_CTYPE: "de_DE.utf8" })).toBe(true);
    expect(isUnicodeLocale({})).toBe(false);
  });
});
