import { describe, expect, it } from "vitest";
import { colourMarks, plainMarks } from "../foundation/text/text-table.js";
import {
  exampleExperiment,
  inBudgetedWindow,
  inMidWindow,
  liveSecondOf,
  OTHER_UNITS,
  watchedRun,
  type WatchedRun,
} from "../../test/support/example-live.js";
import { renderBoard, type Screen } from "./board.js";
import { bar, sparkline } from "../foundation/text/sparkline.js";

function board(run: WatchedRun, screen: Partial<Screen> = {}): string[] {
  const { state } = run;
  return renderBoard(
    state.view(),
    {
      eventsOf: (operation, seconds) => state.recentEvents(operation, seconds),
      evidenceOf: (name, samples) => state.recentEvidence(name, samples),
    },
    { columns: 100, rows: 24, isUnicode: true, marks: plainMarks, ...screen },
  );
}

function runInWindow(): WatchedRun {
  const run = watchedRun();
  inMidWindow(run);
  run.state.thresholds([
    { metric: "add", expression: "p(99)<50", seen: 20, ok: true },
    { metric: "add", expression: "max<1", seen: 1.0004, ok: false },
    { metric: "integrity", expression: "violations==0", seen: null, ok: null },
  ]);
  return run;
}

describe("the board on the terminal", () => {
  it("shows trial, phase, operations, queue and thresholds", () => {
    const treatment = runInWindow().experiment.trials[0]?.treatmentId ?? "";
    const lines = board(runInWindow());
    expect(lines).toEqual([
      "train-sim  watched" + "7s elapsed, 45s left".padStart(81),
      `trial 1/4  ${treatment}` + "measure ██████████░░░░░░░░░░ 5s left".padStart(88 - treatment.length),
      "          events/s  so far/s  p99 ms  pool wait ms  wait p99  retries  failures  last 18 s",
      "add            500       300      20           0.5       0.5        0         0" +
        "▃▄▆▇█".padStart(20),
      "process       1000       600      20           0.5       0.5        0         0" +
        "▃▄▆▇█".padStart(20),
      "archive        500       300      20           0.5       0.5        0         0" +
        "▃▄▆▇█".padStart(20),
      "backlog 40 ▁▃▅▇█   blocked 1",
      "✓ add p(99)<50  so far 20",
      "✗ add max<1  so far 1.0004",
      "· integrity violations==0  no sample yet",
    ]);
  });

  it("shows a budget's iterations, share and time left at the rate so far", () => {
    const lines = board(inBudgetedWindow());
    expect(lines.slice(1, 5)).toEqual([
      `trial 1/3  base${"measure 10s".padStart(84)}`,
      `loaders: 40 of 500 iterations (8 %), about 1m55s left${"██░░░░░░░░░░░░░░░░░░".padStart(46)}`,
      "          calls/s  so far/s  p99 ms  pool wait ms  wait p99  retries  failures  last 19 s",
      `load           30        39      20           0.5       0.5        0         1${"█▂".padStart(21)}`,
    ]);
  });

  it.each(OTHER_UNITS)("names the unit of %s", (workload, unit, operations) => {
    const run = watchedRun({ experiment: exampleExperiment(`name: x\n${workload}`) });
    const { trial, treatment } = run.trial(1);
    run.state.trialStarted(trial, treatment);
    const [, , heading = "", ...rows] = board(run);
    expect(heading).toContain(` ${unit}/s  so far/s  p99 ms`);
    expect(rows.map((row) => row.split(" ")[0])).toEqual(operations);
    expect(rows.every((row) => row.indexOf("-") === heading.indexOf("/s") + 1)).toBe(true);
  });

  it("uses ASCII only if the locale has no Unicode", () => {
    const text = board(runInWindow(), { isUnicode: false }).join("\n");
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    expect(text).toContain("##########..........");
    expect(text).toContain("FAILED add max<1");
  });

  it.each([
    [200, 50],
    [80, 24],
    [60, 10],
    [40, 5],
    [20, 2],
    [1, 1],
  ])("fits %i columns and %i rows", (columns, rows) => {
    const lines = board(runInWindow(), { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(Math.max(1, columns - 1));
    expect(lines[0]?.startsWith("train-sim".slice(0, Math.max(0, columns - 2)))).toBe(true);
  });

  it("colours a row with failures without taking a column for the colour", () => {
    const run = runInWindow();
    run.state.second(...liveSecondOf(5, 100, { failures: { "53300": 2 } }));
    const coloured = board(run, { marks: colourMarks });
    expect(coloured.find((line) => line.includes("add  "))).toMatch(/^\u001b\[31madd .*\u001b\[39m$/);
    const bare = coloured.map((line) => line.replace(/\u001b\[\d+m/g, ""));
    expect(bare).toEqual(board(run));
  });

  it("shows the column of dropped arrivals only if arrivals were dropped", () => {
    const run = runInWindow();
    expect(board(run).join("\n")).not.toContain("dropped");
    run.state.second(...liveSecondOf(5, 100, { offered: 20, dropped: 10 }));
    const [, , heading = "", row = ""] = board(run);
    expect(heading).toContain("dropped");
    expect(row).toMatch(/ 10 {2}/);
  });

  it("shows no time left of a drain, and dashes before the first second", () => {
    const run = watchedRun();
    const { trial, treatment } = run.trial(1);
    run.state.trialStarted(trial, treatment);
    run.state.phaseStarted("drain", 60_000);
    run.clock.ms += 3_000;
    const text = board(run).join("\n");
    expect(text).toContain("drain 3s");
    expect(text).not.toContain("57s");
    expect(text).toMatch(/add +- +- /);
  });

  it("contains no escape sequence of a scenario", () => {
    const run = runInWindow();
    run.state.thresholds([{ metric: "add\u001b[2J", expression: "x", seen: 1, ok: true }]);
    expect(board(run).join("")).not.toContain("\u001b");
  });
});

describe("a sparkline", () => {
  it("scales to its largest value, keeps the newest values and shows zero as the lowest mark", () => {
    expect(sparkline([0, 1, 50, 100], 6, true)).toBe("  ▁▂▅█");
    expect(sparkline([5, 5, 5], 2, true)).toBe("██");
    expect(sparkline([0, 0], 2, true)).toBe("▁▁");
    expect(sparkline([0, 1, 50, 100], 4, false)).toBe("_.-#");
    expect(sparkline([], 3, true)).toBe("   ");
    expect(sparkline([1, 2], 0, true)).toBe("");
  });

  it("is next to a bar that never exceeds its width", () => {
    expect(bar(5, 10, 4, false)).toBe("##..");
    expect(bar(50, 10, 4, false)).toBe("####");
    expect(bar(-1, 10, 4, false)).toBe("....");
    expect(bar(1, 0, 4, false)).toBe("....");
  });
});
