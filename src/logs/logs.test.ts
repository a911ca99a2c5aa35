// The log of a real trial (`locking: nowait`, so with retries and failures) is compared with that trial's `trial.json`. Each
// damaged line is counted once and causes no error. The excerpt keeps the first few
// lines of each kind of retries, failures and slow transactions.
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Operation } from "../metrics/operations.js";
import { LINE_PROBLEMS, parseLogLine } from "../results/log-lines.js";
import { plainMarks } from "../foundation/text/text-table.js";
import { LogFold } from "./read-logs.js";
import type { LogFilter } from "./log-filter.js";
import type { LogReport, TrialLogReport } from "./log-report.js";
import { renderLogReport } from "./render.js";
import { SecondTrack } from "./second-track.js";

const LINES = readFileSync(new URL("../../test/support/example-log.ndjson", import.meta.url), "utf8")
  .trim()
  .split("\n");

const WINDOW_STARTS_AT = "2026-11-21T06:11:52.330Z";
/** Figures from the `trial.json` of the same trial. */
const EXPECTED = {
  add: {
    transactions: 476,
    events: 10658,
    transactionsPerSecond: 95.2,
    eventsPerSecond: 2131.6,
    retries: 0,
    retriesBySqlstate: {},
    failures: {},
    emptyPolls: 0,
    clients: 3,
    threads: 1,
    responseTimeMs: {
      mean: 18.275966,
      p50: 14.279,
      p90: 31.935,
      p95: 41.375,
      p99: 95.615,
      p999: 140.927,
      max: 140.927,
    },
  },
  process: {
    transactions: 240,
    events: 5366,
    transactionsPerSecond: 48,
    eventsPerSecond: 1073.2,
    retries: 1628,
    retriesBySqlstate: { "55P03": 1628 },
    failures: { "55P03": 1520 },
    emptyPolls: 0,
    clients: 6,
    threads: 2,
    responseTimeMs: {
      mean: 28.479725,
      p50: 25.375,
      p90: 42.911,
      p95: 55.263,
      p99: 98.303,
      p999: 185.087,
      max: 185.087,
    },
  },
  archive: {
    transactions: 130,
    events: 1262,
    transactionsPerSecond: 26,
    eventsPerSecond: 252.4,
    retries: 122,
    retriesBySqlstate: { "55P03": 122 },
    failures: { "55P03": 71 },
    emptyPolls: 334,
    clients: 2,
    threads: 1,
    responseTimeMs: {
      mean: 19.177792,
      p50: 15.719,
      p90: 38.559,
      p95: 44.447,
      p99: 73.151,
      p999: 131.007,
      max: 131.007,
    },
  },
};

function reportOf(lines: readonly string[], filter: LogFilter = {}, slowest = 10): LogReport {
  const fold = new LogFold("log.ndjson", filter, slowest);
  lines.forEach((line, i) => fold.add(line, i === lines.length - 1));
  return { version: 1, files: [fold.file], trials: fold.reports() };
}

function only(lines: readonly string[], filter: LogFilter = {}): TrialLogReport {
  const [trial, ...more] = reportOf(lines, filter).trials;
  if (!trial || more.length > 0) throw new Error("one trial was expected");
  return trial;
}

const textOf = (lines: readonly string[], filter: LogFilter = {}): string =>
  renderLogReport(reportOf(lines, filter), plainMarks);

/** The log with lines of one kind changed. */
function changeLines(event: string, change: (line: Record<string, unknown>) => void): string[] {
  return LINES.map((text) => {
    const line = JSON.parse(text) as Record<string, unknown>;
    if (line["event"] === event) change(line);
    return JSON.stringify(line);
  });
}

describe("the log of a trial", () => {
  it("is parsed completely, with every kind of line", () => {
    for (const line of LINES) expect(parseLogLine(line)).toHaveProperty("line");
    const kinds = new Set(LINES.map((line) => (JSON.parse(line) as { event: string }).event));
    expect([...kinds].sort()).toEqual([
      "audit",
      "failure",
      "phase",
      "retry",
      "slow",
      "start",
      "stop",
      "summary",
    ]);
  });

  it("adds up to the counts and times in the trial's result", () => {
    const trial = only(LINES);
    expect(trial).toMatchObject({
      number: 1,
      index: 0,
      treatment: "base",
      status: "complete",
      isCounted: true,
    });
    expect(trial).toMatchObject({ windowSeconds: 5, windowStartsAt: WINDOW_STARTS_AT, integrity: "ok" });
    expect(trial.operations).toEqual(EXPECTED);
    expect(trial).toMatchObject({
      retries: 1750,
      retriesBySqlstate: { "55P03": 1750 },
      failures: { "55P03": 1591 },
    });
    expect(trial.outside).toEqual({ transactions: 2074, retries: 7020, failures: 6275 });
    expect(trial.details.leftOut).toBe(15888);
    expect(trial.phases.map(({ phase }) => phase)).toEqual(["reset", "warm-up", "measure", "drain", "audit"]);
    expect(trial.phases.every(({ seconds }) => (seconds ?? -1) > 0)).toBe(true);
  });

  it("states a phase's length as unknown if the clock was set during the phase, and the window's length as measured", () => {
    const setBack = LINES.map((line) =>
      /"actor":"coordinator".*"phase":"(measure|drain|audit)"|"event":"stop"/.test(line)
        ? line.replace(/"time":"([^"]+)"/, (_, time: string) => {
            const backMs = line.includes('"phase":"measure"') ? 30_000 : 90_000;
            return `"time":"${new Date(Date.parse(time) - backMs).toISOString()}"`;
          })
        : line,
    );
    const { phases } = only(setBack);
    const seconds = Object.fromEntries(phases.map(({ phase, seconds }) => [phase, seconds]));
    expect(seconds).toMatchObject({ "warm-up": null, measure: 5 });
    expect(seconds["drain"]).toBeGreaterThan(0);
    expect(textOf(setBack)).toMatch(/warm-up \(length unknown\), measure 5\.0 s/);
  });

  it("states the steps of the reset, and the time in which the slowest worker opened its connections", () => {
    const [start = ""] = LINES.filter((line) => line.includes('"phase":"reset"'));
    const steps = [
      ["tables", 0.25],
      ["preload", 1.5],
    ].map(([step, seconds]) =>
      JSON.stringify({ ...(JSON.parse(start) as Record<string, unknown>), event: "step", step, seconds }),
    );
    const lines = changeLines("start", (line) => {
      if (line["actor"] !== "coordinator") line["connectSeconds"] = line["actor"] === "consumers" ? 0.4 : 0.1;
    });
    const [reset] = only([...lines, ...steps]).phases;
    expect(reset?.steps).toEqual([
      { step: "tables", seconds: 0.25 },
      { step: "preload", seconds: 1.5 },
      { step: "connections", seconds: 0.4 },
    ]);
    expect(textOf([...lines, ...steps])).toContain(
      "s (tables 0.25 s, preload 1.50 s, connections 0.40 s), warm-up",
    );
    expect(only(LINES).phases[0]).not.toHaveProperty("steps");
  });

  it("lists retries and failures of the window by statement and table", () => {
    const { causes, retryLines, failureLines } = only(LINES).details;
    expect([retryLines, failureLines]).toEqual([6, 6]);
    const place = { sqlstate: "55P03", table: "event_status", count: 3 };
    expect(causes).toEqual([
      expect.objectContaining({
        ...place,
        event: "failure",
        operation: "archive",
        statement: "archive.claim",
      }),
      expect.objectContaining({
        ...place,
        event: "failure",
        operation: "process",
        statement: "process.claim",
      }),
      expect.objectContaining({ ...place, event: "retry", operation: "archive", statement: "archive.claim" }),
      expect.objectContaining({ ...place, event: "retry", operation: "process", statement: "process.claim" }),
    ]);
    const nameless = changeLines("retry", (line) => {
      delete line["table"];
    });
    expect(only(nameless).details.causes.filter(({ event }) => event === "retry")).toHaveLength(2);
    expect(textOf(nameless)).toMatch(/retry +55P03 +process +process\.claim +unknown/);
  });

  it("lists each of the slowest transactions once, slowest first, with the parts of its time", () => {
    const { slowest } = reportOf(LINES, {}, 1000).trials[0] as TrialLogReport;
    const times = slowest.map(({ responseMs }) => responseMs);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(times[0]).toBe(185.076);
    const both = slowest.filter(({ attempts, parts }) => attempts !== null && parts !== null);
    expect(both.length).toBeGreaterThan(0);
    for (const { parts, responseMs } of both)
      expect(Object.values(parts ?? {}).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(responseMs, 1);
    const summaries = LINES.filter((line) => line.includes('"slowest"')).length;
    const slow = LINES.filter((line) => line.includes('"event":"slow"') && line.includes('"second"')).length;
    expect(slowest.length).toBeLessThanOrEqual(summaries + slow);
    expect(only(LINES).slowest).toHaveLength(10);
  });

  it("shows each worker's transactions over time, which add up to the operation's total", () => {
    const { columnSeconds, rows } = only(LINES).timeline;
    expect(columnSeconds).toBe(1);
    const sum = (operation: Operation): number =>
      rows
        .filter((row) => row.operation === operation)
        .flatMap((row) => row.transactionsByColumn)
        .reduce((total, count) => total + count, 0);
    expect(rows.map(({ actor, worker }) => `${actor}/${worker}`)).toEqual([
      "producers/0",
      "consumers/0",
      "consumers/1",
      "archivers/0",
    ]);
    for (const operation of ["add", "process", "archive"] as const)
      expect(sum(operation)).toBe(EXPECTED[operation].transactions);
  });

  it("gives the same totals for any order of its workers' lines", () => {
    const expected = only(LINES).operations;
    const byRole = [...LINES].sort((a, b) => (a.slice(60) < b.slice(60) ? -1 : 1));
    expect(only(byRole).operations).toEqual(expected);
  });
});

it("a log report lists operations in the order of the result's workload", () => {
  const order = ["process", "add"];
  const fold = new LogFold("log.ndjson", {}, 10, undefined, order);
  for (const line of LINES) fold.add(line);
  const [trial] = fold.reports();
  expect(Object.keys(trial?.operations ?? {}).slice(0, 2)).toEqual(order);
  expect(Object.keys(only(LINES).operations).slice(0, 2)).toEqual(order.toReversed());
});

describe("a filter of a log report", () => {
  it("keeps the workers of a role, or a single worker", () => {
    const both = only(LINES, { actors: ["consumers"] });
    expect(Object.keys(both.operations)).toEqual(["process"]);
    const one = only(LINES, { actors: ["consumers/0"] }).operations.process?.transactions ?? 0;
    const other = only(LINES, { actors: ["consumers/1"] }).operations.process?.transactions ?? 0;
    expect(one + other).toBe(240);
    expect(Math.min(one, other)).toBeGreaterThan(0);
  });

  it("keeps the named operations, trials and seconds, and parts of the window add up to the whole", () => {
    expect(Object.keys(only(LINES, { operations: ["add"] }).operations)).toEqual(["add"]);
    expect(reportOf(LINES, { trials: [2] }).trials).toEqual([]);
    expect(textOf(LINES, { trials: [2] })).toContain("Nothing in these logs fits the filters");
    const early = only(LINES, { to: { second: 2 } });
    const late = only(LINES, { from: { second: 2 } });
    for (const operation of ["add", "process", "archive"] as const)
      expect(
        (early.operations[operation]?.transactions ?? 0) + (late.operations[operation]?.transactions ?? 0),
      ).toBe(EXPECTED[operation].transactions);
    expect([early.secondsCounted, late.secondsCounted]).toEqual([2, 3]);
    expect(early.outside).toBeNull();
  });

  it("counts every second that contains one of its instants", () => {
    const startsAtMs = Date.parse(WINDOW_STARTS_AT);
    const seconds = only(LINES, { from: { second: 1 }, to: { second: 4 } });
    const instants = only(LINES, { from: { atMs: startsAtMs + 1400 }, to: { atMs: startsAtMs + 3100 } });
    expect(instants).toEqual(seconds);
    const unplaced = changeLines("phase", (line) => {
      delete line["windowStartsAt"];
    });
    expect(() => only(unplaced, { from: { atMs: startsAtMs } })).toThrow(/does not say when the window/);
  });
});

describe("an incomplete log", () => {
  it("has unknown totals, not zeros, if its level is above info", () => {
    const warnings = LINES.filter((line) => !line.startsWith('{"level":"info"'));
    const trial = only(warnings);
    expect(trial).toMatchObject({
      isCounted: false,
      operations: {},
      retries: null,
      failures: null,
      outside: null,
    });
    expect(trial.details).toMatchObject({ retryLines: 6, failureLines: 6, leftOut: null });
    const text = textOf(warnings);
    expect(text).toContain("totals: not logged, because log.level is above info");
    expect(text).toContain("how many lines were left out is not");
    expect(text).not.toMatch(/retries: none|failures: none|stalls: none/);
  });

  it("has counts but no rate if it does not end", () => {
    const cut = LINES.filter((line) => !line.includes('"event":"stop"'));
    const trial = only(cut);
    expect(trial).toMatchObject({ status: null, windowSeconds: null });
    expect(trial.operations.add).toMatchObject({ transactions: 476, transactionsPerSecond: null });
    expect(textOf(cut)).toContain("the log does not end");
  });

  it("has no percentiles without histograms, and times without parts if parts were not logged", () => {
    const older = changeLines("summary", (line) => {
      delete line["responseHistogram"];
      delete line["slowest"];
    });
    expect(only(older).operations.add).toMatchObject({ transactions: 476, responseTimeMs: null });
    expect(textOf(older)).toContain("response times of add, process, archive: unknown");
    expect(only(older).slowest[0]).toMatchObject({ responseMs: 185.076, parts: null, client: null });
    expect(textOf(older)).toContain("not logged");
  });

  it("shows an operation with zeros if its worker finished nothing", () => {
    const idle = LINES.filter((line) => !(line.includes('"summary"') && line.includes('"archivers"')));
    expect(only(idle).operations.archive).toMatchObject({
      transactions: 0,
      responseTimeMs: null,
      clients: 2,
    });
  });

  it("shows a stall: seconds without a finished transaction between seconds with some", () => {
    const stalled = LINES.filter((line) => !/"operation":"add","second":[12],/.test(line));
    const [stall] = only(stalled).stalls;
    expect(stall).toMatchObject({ operation: "add", fromSecond: 1, seconds: 2 });
    expect(textOf(stalled)).toMatch(/^ +1 +2 +add/m);
    expect(only(LINES).stalls).toEqual([]);
  });

  it("shows no stall of a rare operation, and one stall of an operation that stood still for most of the time", () => {
    const track = (seconds: readonly number[], finished: number): SecondTrack => {
      const made = new SecondTrack();
      for (const second of seconds) made.add(second, { finished, failed: 0, longestMs: 1 });
      return made;
    };
    expect(track([0, 10, 20, 30, 40], 1).stalls()).toEqual([]);
    expect(track([0, 1, 2, 3, 4, 600, 601, 602, 603, 604], 10).stalls()).toMatchObject([
      { fromSecond: 5, seconds: 595 },
    ]);
  });
});

describe("a damaged line", () => {
  it("is counted by kind of damage, and the first ones are named with their numbers", () => {
    const lines = ["", "not json", '{"level":30,"msg":"of another program"}', ...LINES];
    const wrong = LINES.findIndex((line) => line.includes('"event":"summary"'));
    lines[wrong + 3] = (lines[wrong + 3] ?? "").replace(/"transactions":\d+/, '"transactions":-1');
    lines.push('{"level":"info","tim');
    const { files, trials } = reportOf(lines);
    expect(files[0]).toMatchObject({
      blank: 1,
      problems: { broken: 1, foreign: 1, malformed: 1, truncated: 1 },
      understood: LINES.length - 1,
    });
    expect(files[0]?.examples.map(({ line, problem }) => [line, problem])).toEqual([
      [2, "broken"],
      [3, "foreign"],
      [wrong + 4, "malformed"],
    ]);
    const text = renderLogReport({ version: 1, files, trials }, plainMarks);
    expect(text).toContain("left out: 1 broken, 1 truncated, 1 foreign, 1 malformed");
    expect(text).toMatch(/line \d+: malformed: summary, transactions/);
  });

  it("is left out completely if its count and its histogram disagree", () => {
    const wrong = changeLines("summary", (line) => {
      if (line["operation"] === "add" && line["second"] === 0) line["transactions"] = 1;
    });
    const { files, trials } = reportOf(wrong);
    expect(files[0]?.problems.malformed).toBe(1);
    expect(trials[0]?.operations.add?.transactions).toBeLessThan(476);
  });

  it("is counted once and causes no error for any kind of damage", () => {
    const mutation = fc.record({
      line: fc.nat(LINES.length - 1),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      kind: fc.constantFrom("cut", "flip", "drop", "insert", "digit", "type"),
      with: fc.string({ maxLength: 8 }),
    });
    fc.assert(
      fc.property(fc.array(mutation, { maxLength: 12 }), (mutations) => {
        const lines = [...LINES];
        for (const { line: number, at, kind, with: text } of mutations) {
          const line = number % lines.length;
          const old = lines[line] ?? "";
          const place = Math.floor(at * old.length);
          if (kind === "cut") lines[line] = old.slice(0, place);
          if (kind === "flip") lines[line] = old.slice(0, place) + text + old.slice(place + text.length);
          if (kind === "drop") lines.splice(line, 1);
          if (kind === "insert") lines.splice(line, 0, text.replaceAll("\n", " "));
          if (kind === "digit") lines[line] = old.slice(0, place) + old.slice(place).replace(/\d/, "9");
          if (kind === "type") lines[line] = old.replace(/:\d+/, ":null");
        }
        const report = reportOf(lines);
        const [file] = report.files;
        const problems = LINE_PROBLEMS.reduce((sum, problem) => sum + (file?.problems[problem] ?? 0), 0);
        expect((file?.understood ?? 0) + (file?.blank ?? 0) + problems).toBe(file?.lines);
        expect(file?.lines).toBe(lines.length);
        expect(JSON.parse(JSON.stringify(report))).toEqual(report);
        expect(renderLogReport(report, plainMarks)).not.toContain("NaN");
      }),
      { numRuns: 60 },
    );
  });

  it("puts no escape sequence into the text", () => {
    const escape = changeLines("retry", (line) => (line["reason"] = "a\u001b[2Jb"));
    expect(textOf(escape)).not.toContain("\u001b");
  });
});
