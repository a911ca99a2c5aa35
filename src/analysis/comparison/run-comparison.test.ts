// Comparing result directories: what is matched, what is found, what is warned of, and how it reads.
import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { exampleResult, exampleDisturbance } from "../../../test/support/example-result.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { compareRuns, type ComparisonDocument, type StoredRun } from "./run-comparison.js";
import { renderRunComparison } from "../../report/terminal/run-comparison-text.js";
import { runsAsCsv } from "../../report/terminal/run-csv.js";

function run(directory: string, result: ResultDocument): StoredRun {
  return { directory, result };
}

/** The example's text treatment is `slowdown` times as slow as its jsonb. */
function compared(
  trials: number,
  slowdown: number,
  change?: (result: ResultDocument) => void,
): ComparisonDocument {
  const after = exampleResult(trials, slowdown);
  change?.(after);
  return compareRuns(run("before", exampleResult(trials, 2)), [run("after", after)], 0.05);
}

describe("a run against its baseline", () => {
  it("shows a regression in the treatment and the metrics that have it", () => {
    const { runs, regressions } = compared(8, 3);
    const worse = runs[0]?.findings.filter(({ isRegression }) => isRegression) ?? [];
    expect(worse.map(({ treatment, operation, metric }) => `${treatment} ${operation} ${metric}`)).toEqual(
      ["add", "process"].flatMap((operation) =>
        ["mean", "p50", "p95", "p99"].map((metric) => `text ${operation} ${metric}`),
      ),
    );
    expect(regressions).toBe(8);
    expect(worse[0]).toMatchObject({ blocks: 8, verdict: "higher", baselineMedian: 27, median: 40.5 });
    expect(worse[0]?.ratio).toBeCloseTo(1.5, 10);
    expect(worse[0]?.pWorse).toBeLessThan(0.05);
  });

  it("finds nothing where nothing changed, or where it became better", () => {
    expect(compared(8, 2).regressions).toBe(0);
    const better = compared(8, 1);
    expect(better.regressions).toBe(0);
    expect(better.runs[0]?.findings.some(({ verdict }) => verdict === "lower")).toBe(true);
  });

  it("finds lower throughput, and accepts what is within the bound", () => {
    const slower = (share: number) =>
      compared(8, 2, ({ treatments }) => {
        for (const { operations } of treatments.flatMap(({ trials }) => trials))
          if (operations.add) operations.add.eventsPerSecond *= share;
      });
    const metrics = slower(0.8).runs[0]?.findings.filter(({ isRegression }) => isRegression);
    expect(metrics?.map(({ operation, metric }) => `${operation} ${metric}`)).toEqual([
      "add eventsPerSecond",
      "add eventsPerSecond",
    ]);
    expect(slower(0.97).regressions).toBe(0);
  });

  it("finds a stall, in all trials or in some, and names what nobody could measure any more", () => {
    const stalled = (trials: number) => {
      const document = compared(8, 2, ({ treatments }) => {
        for (const { operations } of treatments[1]?.trials.slice(0, trials) ?? [])
          if (operations.add)
            Object.assign(operations.add, { eventsPerSecond: 0, transactions: 0, responseTimeMs: null });
      });
      const [run] = document.runs;
      const rate = run?.findings.find(
        ({ treatment, operation, metric }) =>
          treatment === "text" && operation === "add" && metric === "eventsPerSecond",
      );
      return { document, run, rate };
    };
    const { document, run, rate } = stalled(8);
    expect(document.regressions).toBe(1);
    expect(rate).toMatchObject({ baselineMedian: 500, median: 0, blocks: 8, isRegression: true });
    const times = ["mean", "p50", "p95", "p99"];
    expect(run?.metricsOnlyInBaseline).toEqual(
      times.map((metric) => ({ treatment: "text", operation: "add", metric, unit: "events" })),
    );
    expect(run?.metricsOnlyHere).toEqual([]);
    const text = renderRunComparison(document);
    expect(text).toContain("measured only in the baseline: text add: mean(ms) p50(ms) p95(ms) p99(ms)\n");
    expect(text).toContain(
      "REGRESSION: text add events/s is lower: <.001x (95 % CI <.001, p <0.001 over all metrics)",
    );
    expect(text).toMatch(/^text +events\/s +500 +0 +<\.001x +<\.001 +8 +REGRESSION$/m);
    expect(text.replaceAll("\n", " ")).toContain("Ratios count 0 events/s as half an event");
    // Three of eight: the medians are the same as before.
    const some = stalled(3);
    expect(some.rate).toMatchObject({ blocks: 8, verdict: "inconclusive", median: 500, isRegression: true });
    expect(some.rate?.stalledTrials.map(({ eventsPerSecond }) => eventsPerSecond)).toEqual([0, 0, 0]);
    expect(renderRunComparison(some.document).replaceAll("\n", " ")).toContain(
      "did 0 events/s against a median of 500; no trial of the baseline stalled",
    );
    expect(renderRunComparison(some.document)).toContain("half an event");
    expect(renderRunComparison(compared(8, 2))).not.toContain("half an event");
  });

  it.each([0, 1])("finds a drop in throughput with %i stalled trials among the others", (stalls) => {
    const { runs } = compared(8, 2, ({ treatments }) => {
      for (const [i, { operations }] of (treatments[1]?.trials ?? []).entries())
        if (operations.add) {
          const { eventsPerSecond } = operations.add;
          Object.assign(operations.add, { eventsPerSecond: i < stalls ? 0 : 0.8 * eventsPerSecond });
        }
    });
    expect(
      runs[0]?.findings.find(
        ({ treatment, operation, metric }) =>
          treatment === "text" && operation === "add" && metric === "eventsPerSecond",
      ),
    ).toMatchObject({ isRegression: true });
  });

  it("claims nothing with fewer than five trials, and says so", () => {
    const few = compared(3, 4);
    expect(few.regressions).toBe(0);
    expect(
      few.runs[0]?.findings.every(({ pWorse, verdict }) => pWorse === null && verdict === "inconclusive"),
    ).toBe(true);
    expect(renderRunComparison(few)).toContain(
      "Nothing can be concluded from 3 trials: 5 of each treatment in either run are needed.",
    );
  });

  it("compares treatments with equal levels only, and names the others", () => {
    const { runs } = compared(8, 2, ({ treatments }) => {
      const text = treatments[1];
      if (text) Object.assign(text, { id: "text-generated", levels: { payload: "text-generated" } });
    });
    expect(runs[0]).toMatchObject({ onlyInBaseline: ["text"], onlyHere: ["text-generated"] });
    expect(new Set(runs[0]?.findings.map(({ treatment }) => treatment))).toEqual(new Set(["jsonb"]));
  });

  it("refuses runs with nothing in common, and runs without a complete trial", () => {
    const other = (change: (result: ResultDocument) => void) => () => compared(3, 2, change);
    const rename = other(({ treatments }) => treatments.forEach((each) => (each.id = `x-${each.id}`)));
    expect(rename).toThrow(UsageError);
    expect(rename).toThrow(/after has no treatment in common with before/);
    const empty = other(({ treatments }) => treatments.forEach((each) => (each.trials = [])));
    expect(empty).toThrow(/after holds no complete trial/);
    // The only treatment that both have did something before, and was not measured now.
    const apart = other(({ treatments }) => {
      const [jsonb, text] = treatments;
      if (text) text.id = "other";
      for (const trial of jsonb?.trials ?? []) trial.status = "partial";
    });
    expect(apart).toThrow(UsageError);
    expect(apart).toThrow(/after has no metric in common with before/);
  });

  it("warns of another machine, version, setting or scenario, and of a run that should not be used", () => {
    const { runs } = compared(3, 2, (result) => {
      result.environment.machine = { cpus: 64 };
      result.environment.versions = { ...result.environment.versions, database: "PostgreSQL 19" };
      result.environment.settings = { shared_buffers: "1GB" };
      result.scenario.yaml = "name: other\nseed: 7\nappDelay: 5ms\n";
      result.verdict = exampleDisturbance("clock");
    });
    expect(runs[0]?.warnings).toEqual([
      "timings of after are not valid: clock",
      "the machine differs: cpus 2 -> 64",
      "versions differ: database PostgreSQL 18.0 -> PostgreSQL 19",
      "server settings differ: shared_buffers 256MB -> 1GB",
      "the scenario differs: appDelay nothing -> 5ms",
    ]);
    expect(compared(3, 2).runs[0]?.warnings).toEqual([]);
  });
});

describe("the comparison as text", () => {
  it("says what is worse before it shows tables, within 120 columns", () => {
    const text = renderRunComparison(compared(8, 3));
    expect(text).toMatch(
      /^after against before\nREGRESSION: text add mean\(ms\) is higher: 1\.50x \(95 % CI 1\.\d+-2\.\d+, p 0\.00\d over all metrics\)\n/,
    );
    expect(text).toMatch(/^add +metric +baseline +here +ratio +95 % CI +trials +verdict$/m);
    expect(text).toMatch(/^text +mean\(ms\) +27 +40\.5 +1\.50x +1\.\d+-2\.\d+ +8 +REGRESSION$/m);
    expect(text.replaceAll("\n", " ")).toMatch(/8 of \d+ metrics are worse by more than 5 %\./);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

describe("runs as CSV", () => {
  it("has a row a run, oldest first, with a number in every metric's cell", () => {
    const later = exampleResult(3, 2);
    for (const trial of later.treatments.flatMap(({ trials }) => trials))
      trial.startedAt = "2026-02-28T12:00:00.000Z";
    const earlier = exampleResult(3, 4);
    earlier.environment.versions["server"] = 'PostgreSQL 18, "beta"';
    const { csv, leftOut } = runsAsCsv([run("results/b", later), run("results/a", earlier)]);
    const rows = csv
      .trimEnd()
      .split("\n")
      .map((line) => line.split(","));
    expect(rows.map((row) => row.slice(0, 3))).toEqual([
      ["time", "run", "experiment"],
      ["2026-01-31T12:00:00.000Z", "a", "payload-storage"],
      ["2026-02-28T12:00:00.000Z", "b", "payload-storage"],
    ]);
    const mean = rows[0]?.indexOf("text.add.meanMs") ?? -1;
    expect(rows.slice(1).map((row) => row[mean])).toEqual(["44", "22"]);
    const firstMetric = rows[0]?.findIndex((name) => name.startsWith("jsonb.")) ?? -1;
    expect(rows[1]?.[rows[0]?.indexOf("server") ?? -1]).toBe("PostgreSQL_18_beta_");
    for (const row of rows.slice(1))
      for (const cell of row.slice(firstMetric)) expect(Number.isFinite(Number.parseFloat(cell))).toBe(true);
    expect(leftOut).toEqual([]);
  });

  it("leaves out metrics that some run lacks, and says which", () => {
    const one = exampleResult(3, 2);
    one.treatments = one.treatments.slice(0, 1);
    const { csv, leftOut } = runsAsCsv([run("a", one), run("b", exampleResult(3, 2))]);
    expect(csv).not.toContain("text.add");
    expect(leftOut).toContain("text.add.meanMs");
  });

  it("has no cell that a spreadsheet would compute, whatever a result calls itself", () => {
    const hostile = exampleResult(3, 2);
    hostile.scenario.name = "=HYPERLINK(x)";
    hostile.environment.versions["train-sim"] = "@SUM(1)\u001b]0;x\u0007";
    for (const treatment of hostile.treatments) treatment.id = `-${treatment.id}`;
    const { csv } = runsAsCsv([run("+a", hostile), run("b", hostile)]);
    expect(csv).not.toMatch(/(^|,)[=+@-]/m);
    expect(csv).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(csv).toContain(",_=HYPERLINK(x),");
  });
});
