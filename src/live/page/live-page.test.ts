import { describe, expect, it } from "vitest";
import {
  endedTrial,
  exampleExperiment,
  inBudgetedWindow,
  inMidWindow,
  liveSecond,
  liveSecondOf,
  OTHER_UNITS,
  watchedRun,
} from "../../../test/support/example-live.js";
import { liveChart } from "./live-charts.js";
import type { LiveRow, LiveSample } from "./live-data.js";
import { livePage } from "./live-page.js";
import { LiveStore } from "./live-store.js";
import {
  endedTrialsTable,
  evidenceTable,
  operationTable,
  phaseProgress,
  phaseWords,
  thresholdWords,
  trialHeading,
} from "./live-words.js";
import { plotLines } from "../../report/html/page/charts/line-panels.js";
import { LIGHT } from "../../report/html/page/charts/theme.js";

describe("the store of the live page", () => {
  it("has the same content with and without a reconnection", () => {
    const run = watchedRun();
    const [steady, torn] = [new LiveStore(), new LiveStore()];
    steady.start(run.state.fullUpdate());
    torn.start(run.state.fullUpdate());
    inMidWindow(run);
    run.state.note("a note");
    steady.add(run.state.nextUpdate());
    torn.start(run.state.fullUpdate());
    run.state.second(...liveSecondOf(5, 600));
    run.state.second(...liveSecond(2, { add: 1 }));
    for (const store of [steady, torn]) expect(store.points.length).toBe(5);
    const update = run.state.nextUpdate();
    steady.add(update);
    torn.add(update);
    torn.add(run.state.fullUpdate());
    for (const store of [steady, torn]) {
      expect(store.points).toEqual(run.state.fullUpdate().points);
      expect(store.samples).toEqual(run.state.fullUpdate().samples);
      expect(store.notes.map(({ text }) => text)).toEqual(["a note"]);
    }
  });

  it("keeps at most 600 points", () => {
    const run = watchedRun();
    const store = new LiveStore();
    for (let second = 0; second < 1_500; second += 1) {
      run.state.second(...liveSecondOf(second, 1));
      store.add(run.state.nextUpdate());
    }
    expect(store.points).toHaveLength(600);
    expect(store.points.at(-1)?.second).toBe(1_499);
  });
});

describe("the chart of the live page", () => {
  it("draws operations and queue over the time of the run, with a gap between trials", () => {
    const run = watchedRun();
    const store = new LiveStore();
    expect(liveChart(store, LIGHT)).toBeUndefined();
    inMidWindow(run, 1);
    inMidWindow(run, 2);
    store.start(run.state.fullUpdate());
    const chart = liveChart(store, LIGHT);
    expect(chart?.panels.map(({ title }) => title)).toEqual([
      "Throughput",
      "Response time, p99 of each second",
      "Events in the queue",
      "Sessions and clients",
    ]);
    expect(chart?.panels[0]?.unit).toBe("events/s");
    expect(chart?.x.min).toBe(3);
    const [add] = chart?.panels[0]?.lines ?? [];
    expect(add?.points).toEqual([
      ...[3, 4, 5, 6, 7].map((x, i) => [x, 100 * (i + 1)]),
      [9.95, null],
      ...[10, 11, 12, 13, 14].map((x, i) => [x, 100 * (i + 1)]),
    ]);
    expect(chart?.panels[3]?.lines.map(({ name }) => name)).toEqual(["blocked by a lock"]);
  });
});

describe.each(OTHER_UNITS)("the live page of %s", (workload, unit, [operation = ""]) => {
  it(`counts ${unit}`, () => {
    const run = watchedRun({ experiment: exampleExperiment(`name: x\n${workload}`) });
    const { trial, treatment } = run.trial(1);
    run.state.trialStarted(trial, treatment);
    run.state.second(...liveSecond(0, { [operation]: 100 }));
    const [measured] = Object.values(endedTrial(1).operations);
    run.state.trialEnded(endedTrial(1, { operations: measured ? { [operation]: measured } : {} }), treatment);
    const store = new LiveStore();
    store.start(run.state.fullUpdate());
    expect(operationTable(run.state.view()).columns[1]).toBe(`${unit}/s`);
    expect(liveChart(store, LIGHT)?.panels[0]?.unit).toBe(`${unit}/s`);
    expect(endedTrialsTable(store.ended).rows[0]?.[4]).toContain(` ${unit}/s, `);
  });
});

describe("samples on the live page", () => {
  const chartOf = (samples: readonly LiveSample[]) => {
    const store = new LiveStore();
    store.start({ ...watchedRun().state.fullUpdate(), samples });
    return liveChart(store, LIGHT);
  };
  const sampleAt = (second: number, values: Readonly<Record<string, number>>, trial = 1): LiveSample => ({
    trial,
    atMs: second * 1000,
    values,
  });

  it("are drawn as one line that breaks at gaps longer than their interval", () => {
    const times = [5, 10, 15, 20, 25, 60, 65];
    const samples = times.flatMap((second) => [
      sampleAt(second, { "queue.pending": second }),
      sampleAt(second + 1, { "locks.blocked": 0 }),
    ]);
    const chart = chartOf([...samples, sampleAt(70, { "queue.pending": 70 }, 2)]);
    expect(chart?.panels[0]?.lines[0]?.points).toEqual([
      ...[5, 10, 15, 20, 25].map((x) => [x, x]),
      [59.95, null],
      ...[60, 65].map((x) => [x, x]),
      [69.95, null],
      [70, 70],
    ]);
  });

  it("are kept for ten minutes, however rare they are", () => {
    const samples = Array.from({ length: 200 }, (_, i) => sampleAt(10 * i, { "queue.pending": i }));
    const chart = chartOf(samples);
    expect(chart?.panels[0]?.lines[0]?.points).toHaveLength(60);
    expect(chart?.x.min).toBe(1400);
  });

  it("have whole seconds on the axis and exact times in the table", () => {
    const times = [12_345, 12_346.1, 12_347.1, 12_348.1, 12_349.1, 12_350.1, 12_360.3];
    const chart = chartOf(times.map((second) => sampleAt(second, { "queue.pending": 1 })));
    if (!chart) throw new Error("there is nothing to draw");
    expect(chart.x.tick?.(12_345.3)).toBe("12345 s");
    const { rows } = plotLines(chart, { theme: LIGHT, widthPx: 800 }).table();
    expect(rows.map(([second]) => second)).toEqual([
      "12345",
      "12346.1",
      "12347.1",
      "12348.1",
      "12349.1",
      "12350.1",
      "12360.25",
      "12360.3",
    ]);
  });
});

describe("a text of the live page", () => {
  it("states trial, phase and time left", () => {
    const run = watchedRun();
    expect([trialHeading(run.state.view()), phaseWords(run.state.view())]).toEqual(["Starting", "preparing"]);
    inMidWindow(run);
    const view = run.state.view();
    expect(trialHeading(view)).toBe(`Trial 1 of 4: ${view.trial?.treatment ?? ""}`);
    expect([phaseWords(view), phaseProgress(view)]).toEqual(["measure, 5s left", 0.5]);
    expect(operationTable(view).rows[0]).toEqual([
      "add",
      "500",
      "50",
      "20",
      "0.5",
      "0.5",
      "300",
      "0",
      "0",
      "0",
    ]);
    expect(evidenceTable(view).rows).toContainEqual([
      "wait.Lock:tuple",
      "2",
      expect.stringContaining("active sessions by wait event"),
    ]);
    run.state.phaseStarted("drain", 5_000);
    run.clock.ms += 1_000;
    expect(phaseWords(run.state.view())).toBe("drain, for 1s");
    expect(endedTrialsTable([]).rows).toEqual([]);
  });

  it("states a budget's iterations, share and time left instead of a phase's", () => {
    const view = inBudgetedWindow().state.view();
    expect(phaseWords(view)).toBe("measure, for 10s; loaders: 40 of 500 iterations (8 %), about 1m55s left");
    expect(phaseProgress(view)).toBe(0.08);
  });

  it("lists the operations of each trial, and bytes with their unit", () => {
    const view = watchedRun().state.view();
    const read = { unit: "events", eventsPerSecond: 1200, p99Ms: 2 };
    const ended = { number: 1, treatment: "text", status: "complete" as const, reason: null, invalid: [] };
    const ok = { integrity: "ok", lost: null } as const;
    const { columns, rows } = endedTrialsTable([{ ...ended, ...ok, operations: { read } }]);
    expect(columns).toEqual(["trial", "treatment", "status", "integrity", "read", "notes"]);
    expect(rows[0]?.[4]).toBe("1200 events/s, 2 ms");
    const { rows: samples } = evidenceTable({ ...view, evidence: { "size.tableBytes": 1_234_567_890 } });
    expect(samples[0]?.slice(0, 2)).toEqual(["size.tableBytes", "1.23 GB"]);
  });

  it("has a row for cycles only if cycles were dropped", () => {
    const view = watchedRun().state.view();
    const row: Omit<LiveRow, "totalDropped"> = {
      operation: "__cycle__",
      unit: "events",
      events: 5,
      transactions: 1,
      p99Ms: 9,
      poolWaitMeanMs: 0,
      poolWaitP99Ms: 0,
      totalEvents: 5,
      totalEnded: 1,
      meanEvents: 5,
      totalRetries: 0,
      totalFailures: 0,
    };
    const rowsOf = (totalDropped: number) =>
      operationTable({ ...view, operations: [{ ...row, totalDropped }] }).rows;
    expect(rowsOf(0)).toEqual([]);
    expect(rowsOf(437)).toMatchObject([{ 9: "437" }]);
  });

  it("keeps a threshold's seen value on its side of the bound", () => {
    const broken = { metric: "add", expression: "p(99)<500", seen: 500.224, ok: false };
    expect(thresholdWords(broken)).toBe("add p(99)<500: broken so far: 500.2");
    expect(thresholdWords({ ...broken, seen: null, ok: null })).toBe("add p(99)<500: no sample yet");
  });

  it("references only files of the server that serves it", () => {
    const page = livePage();
    expect(page.startsWith("<!doctype html>\n<html")).toBe(true);
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(named).toEqual(["data:,", "/live.css", "/live.js"]);
  });
});
