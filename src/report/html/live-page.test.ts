import { describe, expect, it } from "vitest";
import { inMidWindow, liveOperation, liveSecondOf, watchedRun } from "../../testing/example-live.js";
import { liveChart } from "./live-charts.js";
import { livePage } from "./live-page.js";
import { LiveStore } from "./live-store.js";
import {
  endedTable,
  evidenceTable,
  operationTable,
  phaseProgress,
  phaseWords,
  trialHeading,
} from "./live-words.js";
import { LIGHT } from "./page/charts/theme.js";

describe("what the live page keeps", () => {
  it("is the same after a reconnection as without one", () => {
    const run = watchedRun();
    const [steady, torn] = [new LiveStore(), new LiveStore()];
    steady.start(run.state.whole());
    torn.start(run.state.whole());
    inMidWindow(run);
    run.state.note("a note");
    steady.add(run.state.takeUpdate());
    torn.start(run.state.whole());
    run.state.second(liveSecondOf(5, 600));
    run.state.second({ second: 2, operations: { add: liveOperation(1) } });
    for (const store of [steady, torn]) expect(store.points.length).toBe(5);
    const update = run.state.takeUpdate();
    steady.add(update);
    torn.add(update);
    torn.add(run.state.whole());
    for (const store of [steady, torn]) {
      expect(store.points).toEqual(run.state.whole().points);
      expect(store.samples).toEqual(run.state.whole().samples);
      expect(store.notes.map(({ text }) => text)).toEqual(["a note"]);
    }
  });

  it("is bounded", () => {
    const run = watchedRun();
    const store = new LiveStore();
    for (let second = 0; second < 1_500; second += 1) {
      run.state.second(liveSecondOf(second, 1));
      store.add(run.state.takeUpdate());
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
    store.start(run.state.whole());
    const chart = liveChart(store, LIGHT);
    expect(chart?.panels.map(({ title }) => title)).toEqual([
      "Events per second",
      "Response time, p99 of each second",
      "Events in the queue",
      "Sessions and clients",
    ]);
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

describe("the words of the live page", () => {
  it("say where the run stands", () => {
    const run = watchedRun();
    expect([trialHeading(run.state.view()), phaseWords(run.state.view())]).toEqual([
      "Starting",
      "between two trials",
    ]);
    inMidWindow(run);
    const view = run.state.view();
    expect(trialHeading(view)).toBe(`Trial 1 of 4: ${view.trial?.treatment ?? ""}`);
    expect([phaseWords(view), phaseProgress(view)]).toEqual(["measure, 5s left", 0.5]);
    expect(operationTable(view).rows[0]).toEqual(["add", "500", "50", "20", "0.5", "0.5", "0", "0", "0"]);
    expect(evidenceTable(view).rows).toContainEqual([
      "wait.Lock:tuple",
      "2",
      expect.stringContaining("active sessions by wait event"),
    ]);
    run.state.phaseStarted("drain", 5_000);
    run.clock.ms += 1_000;
    expect(phaseWords(run.state.view())).toBe("drain, for 1s");
    expect(endedTable([]).rows).toEqual([]);
  });

  it("stand in a document that names nothing but its own server", () => {
    const page = livePage();
    expect(page.startsWith("<!doctype html>\n<html")).toBe(true);
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(named).toEqual(["data:,", "/live.css", "/live.js"]);
  });
});
