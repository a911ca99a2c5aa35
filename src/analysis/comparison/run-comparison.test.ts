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
function compareExamples(
  trials: number,
  slowdown: number,
  change?: (result: ResultDocument) => void,
): ComparisonDocument {
  const after = exampleResult(trials, slowdown);
  change?.(after);
  return compareRuns(run("before", exampleResult(trials, 2)), [run("after", after)], 0.05);
}

/** The example's treatments as two files of the user, with their text and the names of their levels. */
function filesResult(sql: string, levels: readonly [string, string]): ResultDocument {
  const result = exampleResult(8, 2);
  result.scenario.yaml = JSON.stringify({ workload: { file: "a.sql", sql } });
  for (const [i, treatment] of result.treatments.entries()) treatment.levels = { workload: levels[i] ?? "" };
  return result;
}

it("runs of files match by label; a changed text is a note, and the run is judged", () => {
  const before = filesResult("-- one\nSELECT 1;", ["a.sql", "b.sql"]);
  const compare = (levels: [string, string]): ComparisonDocument =>
    compareRuns(run("before", before), [run("after", filesResult("-- 1\nSELECT 1;", levels))], 0.05);
  const [edited] = compare(["a.sql", "b.sql"]).runs;
  expect(edited).toMatchObject({ isJudged: true, onlyInBaseline: [], onlyHere: [], differences: [] });
  expect(edited?.notes).toEqual(["the workload's file differs: line 1: -- one -> line 1: -- 1"]);
  expect(compare(["a.sql@2667da5", "b.sql@1111111"]).runs[0]?.onlyInBaseline).toEqual([]);
  // Two files of one name differ by content alone.
  expect(() => compare(["a.sql@2667da5", "a.sql@1111111"])).toThrow(/no treatment in common/);
});

describe("a run against its baseline", () => {
  it("is a regression in the treatment and the metrics that got worse", () => {
    const { runs, regressions } = compareExamples(8, 3);
    const worse = runs[0]?.findings.filter(({ isRegression }) => isRegression) ?? [];
    expect(worse.map(({ treatment, operation, metric }) => `${treatment} ${operation} ${metric}`)).toEqual(
      ["add", "process"].flatMap((operation) =>
        ["mean", "p50", "p95", "p99"].map((metric) => `text ${operation} ${metric}`),
      ),
    );
    expect(regressions).toBe(8);
    expect(worse[0]).toMatchObject({ trials: 8, verdict: "finding" });
    expect(worse[0]?.ratio).toBeCloseTo(1.5, 10);
    expect((worse[0]?.mean ?? 0) / (worse[0]?.baselineMean ?? 1)).toBeCloseTo(1.5, 10);
    expect(worse[0]?.familyLow).toBeGreaterThan(1.05);
    expect(worse[0]?.pWorse).toBeLessThan(0.05);
  });

  it("has no finding if nothing changed, and no regression if it became better", () => {
    expect(compareExamples(8, 2).regressions).toBe(0);
    const better = compareExamples(8, 1);
    expect(better.regressions).toBe(0);
    expect(better.runs[0]?.findings.some(({ verdict, ratio }) => verdict === "finding" && ratio < 1)).toBe(
      true,
    );
  });

  it("is a regression if throughput fell, unless the drop is within the bound", () => {
    const slower = (share: number) =>
      compareExamples(8, 2, ({ treatments }) => {
        for (const { operations } of treatments.flatMap(({ trials }) => trials))
          if (operations.add) operations.add.eventsPerSecond *= share;
      });
    const metrics = slower(0.8).runs[0]?.findings.filter(({ isRegression }) => isRegression);
    expect(metrics?.map(({ operation, metric }) => `${operation} ${metric}`)).toEqual([
      "add eventsPerSecond",
      "add eventsPerSecond",
    ]);
    expect(slower(0.97).regressions).toBe(0);
    expect(slower(0.97).runs[0]?.findings.some(({ verdict }) => verdict === "finding")).toBe(true);
  });

  it("is no regression if the interval includes 1, also with trials of two modes", () => {
    const [before, after] = [exampleResult(5, 2), exampleResult(5, 2)];
    const humps = [
      [before, [262, 40, 42, 36, 39]],
      [after, [263, 285, 44, 255, 41]],
    ] as const;
    for (const [{ treatments }, values] of humps)
      for (const [i, value] of values.entries()) {
        const times = treatments[1]?.trials[i]?.operations.add?.responseTimeMs;
        if (times) times.p99 = value;
      }
    const document = compareRuns(run("before", before), [run("after", after)], 0.05);
    expect(document.regressions).toBe(0);
    const p99 = document.runs[0]?.findings.find(
      ({ treatment, operation, metric }) => treatment === "text" && operation === "add" && metric === "p99",
    );
    expect(p99).toMatchObject({ verdict: "inconclusive", isRegression: false });
    expect(p99?.ciLow).toBeLessThan(1);
  });

  it("shares one error rate with other runs, and each run has its own verdict", () => {
    const [before, same, worse] = [2, 2, 3].map((slowdown) => exampleResult(8, slowdown)) as [
      ResultDocument,
      ResultDocument,
      ResultDocument,
    ];
    const both = compareRuns(run("before", before), [run("same", same), run("worse", worse)], 0.05);
    expect(
      both.runs.map(({ findings }) => findings.filter(({ isRegression }) => isRegression).length),
    ).toEqual([0, 8]);
    const alone = compareRuns(run("before", before), [run("worse", worse)], 0.05);
    const width = (document: ComparisonDocument): number => {
      const finding = document.runs.at(-1)?.findings[0];
      return Math.log((finding?.familyHigh ?? 1) / (finding?.familyLow ?? 1));
    };
    expect(width(both)).toBeGreaterThan(width(alone));
  });

  it("is called the same only if no trial is slow", () => {
    const verdictOf = (slowTrials: number) =>
      compareExamples(20, 2, ({ treatments }) => {
        for (const [i, { operations }] of (treatments[1]?.trials ?? []).entries())
          if (operations.add) {
            const eventsPerSecond = (499 + (i % 3)) / (i < slowTrials ? 1.8 : 1);
            Object.assign(operations.add, { eventsPerSecond });
          }
      }).runs[0]?.findings.find(
        ({ treatment, operation, metric }) =>
          treatment === "text" && operation === "add" && metric === "eventsPerSecond",
      )?.verdict;
    expect(verdictOf(0)).toBe("indistinguishable");
    expect(verdictOf(2)).toBe("inconclusive");
  });

  it("has no claim with fewer than five trials, stalls included, and this is stated", () => {
    const few = compareExamples(3, 4, stall(3));
    expect(few.regressions).toBe(0);
    expect(few.runs[0]?.stalls).toMatchObject([{ trials: [2, 4, 6], ofTrials: 3, familyP: null }]);
    expect(
      few.runs[0]?.findings.every(({ pWorse, verdict }) => pWorse === null && verdict === "inconclusive"),
    ).toBe(true);
    expect(renderRunComparison(few)).toContain(
      "Nothing can be concluded from 3 trials: 5 of each treatment in either run are needed.",
    );
  });

  it("is compared in treatments with equal levels only, and other treatments are named", () => {
    const { runs } = compareExamples(8, 2, ({ treatments }) => {
      const text = treatments[1];
      if (text) Object.assign(text, { id: "text-generated", levels: { payload: "text-generated" } });
    });
    expect(runs[0]).toMatchObject({ onlyInBaseline: ["text"], onlyHere: ["text-generated"] });
    expect(new Set(runs[0]?.findings.map(({ treatment }) => treatment))).toEqual(new Set(["jsonb"]));
  });

  it("is refused without a common treatment or without a complete trial", () => {
    const other = (change: (result: ResultDocument) => void) => () => compareExamples(3, 2, change);
    const rename = other(({ treatments }) =>
      treatments.forEach((each) => (each.levels = { payload: `x-${each.id}` })),
    );
    expect(rename).toThrow(UsageError);
    expect(rename).toThrow(/after has no treatment in common with before/);
    const empty = other(({ treatments }) => treatments.forEach((each) => (each.trials = [])));
    expect(empty).toThrow(/after holds no complete trial/);
    // The only treatment that both runs have did something in the baseline, and was not measured in the other run.
    const apart = other(({ treatments }) => {
      const [jsonb, text] = treatments;
      if (text) text.levels = { payload: "other" };
      for (const trial of jsonb?.trials ?? []) trial.status = "partial";
    });
    expect(apart).toThrow(UsageError);
    expect(apart).toThrow(/after has no complete trial in common with before/);
  });
});

/** The first trials of text add nothing. */
function stall(trials: number): (result: ResultDocument) => void {
  return ({ treatments }) => {
    for (const { operations } of treatments[1]?.trials.slice(0, trials) ?? [])
      if (operations.add)
        Object.assign(operations.add, { eventsPerSecond: 0, transactions: 0, responseTimeMs: null });
  };
}

describe("stalled trials of a run", () => {
  it("are a regression by their number, and metrics without a value are named", () => {
    const document = compareExamples(8, 2, stall(8));
    const [run] = document.runs;
    expect(document.regressions).toBe(1);
    expect(run?.stalls).toMatchObject([
      { treatment: "text", operations: ["add"], baselineTrials: [], ofBaselineTrials: 8, ofTrials: 8 },
    ]);
    expect(run?.stalls[0]?.oddsLow).toBeGreaterThan(1);
    const lacking = ["mean", "p50", "p95", "p99", "eventsPerSecond"];
    expect(run?.metricsOnlyInBaseline.map(({ metric }) => metric).sort()).toEqual(lacking.sort());
    expect(run?.metricsOnlyHere).toEqual([]);
    const text = renderRunComparison(document).replaceAll("\n", " ");
    expect(text).toContain("measured only in the baseline: text add: ");
    expect(text).toMatch(
      /REGRESSION: text add: 8 of 8 trials stalled \(trials 2, 4, 6, 8, 10, \.\.\.\), 0 of 8 in the baseline: more often \(odds ratio \[[\d.]+, inf\], p <0\.001 over all treatments\)/,
    );
    expect(text).toContain("1 treatment stalls more often");
  });

  it("are named without a claim if they are few", () => {
    const document = compareExamples(8, 2, stall(3));
    expect(document.regressions).toBe(0);
    expect(renderRunComparison(document).replaceAll("\n", " ")).toMatch(
      /stalls: text add: 3 of 8 trials stalled \(trials 2, 4, 6\), 0 of 8 in the baseline: inconclusive \(odds ratio \[0\.\d+, inf\], p/,
    );
    expect(compareExamples(8, 2).runs[0]?.stalls).toEqual([]);
  });

  it("do not hide a drop in throughput among the other trials", () => {
    for (const stalls of [0, 1]) {
      const { runs } = compareExamples(8, 2, (result) => {
        for (const { operations } of result.treatments[1]?.trials ?? [])
          if (operations.add) operations.add.eventsPerSecond *= 0.8;
        stall(stalls)(result);
      });
      const rate = runs[0]?.findings.find(
        ({ treatment, operation, metric }) =>
          treatment === "text" && operation === "add" && metric === "eventsPerSecond",
      );
      expect(rate).toMatchObject({ isRegression: true, trials: 8 - stalls });
    }
  });
});

describe("a run with other settings or machines", () => {
  const changeMachine = (result: ResultDocument): void => {
    result.environment.machine = { cpus: 64 };
    result.environment.versions = { ...result.environment.versions, database: "PostgreSQL 19" };
    result.environment.settings = { shared_buffers: "1GB" };
    result.scenario.yaml = "name: other\nseed: 7\nappDelay: 5ms\n";
    result.verdict = exampleDisturbance("clock");
  };
  const differences = [
    "timings of after are not valid: clock",
    "the machine differs: cpus 2 -> 64",
    "server settings differ: shared_buffers 256MB -> 1GB",
    "the scenario differs: appDelay nothing -> 5ms",
  ];

  it("is not judged, and the differences are named", () => {
    const document = compareExamples(8, 3, changeMachine);
    expect(document.regressions).toBe(0);
    expect(document.runs[0]).toMatchObject({ isJudged: false, differences, findings: [], stalls: [] });
    expect(document.runs[0]?.notes).toEqual(["versions differ: database PostgreSQL 18.0 -> PostgreSQL 19"]);
    const text = renderRunComparison(document);
    for (const words of differences) expect(text).toContain(`caveat: ${words}\n`);
    expect(text).toContain("Not judged for the reasons above: ");
    expect(text).not.toContain("REGRESSION");
  });

  it("is judged on request, with the caveat in the conclusion", () => {
    const after = exampleResult(8, 3);
    changeMachine(after);
    const document = compareRuns(run("before", exampleResult(8, 2)), [run("after", after)], 0.05, true);
    expect(document).toMatchObject({ regressions: 8, runs: [{ isJudged: true, differences }] });
    expect(renderRunComparison(document).replaceAll("\n", " ")).toMatch(
      /8 of \d+ metrics are worse by more than 5 %; judged in spite of 4 reasons against it, listed above\./,
    );
  });

  it("does not change the verdicts on other runs", () => {
    const other = exampleResult(8, 3);
    changeMachine(other);
    const runs = [run("other", other), run("after", exampleResult(8, 3))];
    const document = compareRuns(run("before", exampleResult(8, 2)), runs, 0.05);
    expect(document.runs.map(({ isJudged }) => isJudged)).toEqual([false, true]);
    expect(document.regressions).toBe(8);
    expect(compareExamples(3, 2).runs[0]?.differences).toEqual([]);
  });

  it("is judged if only versions differ, because an upgrade is a reason to compare", () => {
    const document = compareExamples(8, 2, (result) => {
      result.environment.versions = { ...result.environment.versions, database: "PostgreSQL 19" };
    });
    expect(document.runs[0]).toMatchObject({ isJudged: true, differences: [] });
  });
});

describe("the text of a comparison of runs", () => {
  it("states first which metrics are worse, with the interval, within 120 columns", () => {
    const text = renderRunComparison(compareExamples(8, 3));
    expect(text).toMatch(
      /^after against before\nREGRESSION: text add mean\(ms\) is higher: 1\.50x \(95 % CI \[1\.\d+, \d\.\d+\] over all metrics, p 0\.0\d\d if truly at most 5 %\)\n/,
    );
    expect(text).toMatch(
      /^operation +treatment +metric +baseline +here +ratio +95 % CI +trials +change +verdict$/m,
    );
    expect(text).toMatch(
      /^add +text +mean\(ms\) +26\.6 +39\.9 +1\.50x +\[1\.\d+, 1\.\d+\] +8 +worse +REGRESSION$/m,
    );
    expect(text.replaceAll("\n", " ")).toMatch(/8 of \d+ metrics are worse by more than 5 %\./);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it("states how many slow trials equal means may hide", () => {
    const text = renderRunComparison(compareExamples(30, 2)).replaceAll("\n", " ");
    expect(text).toContain("With 30 trials, up to 10 % of trials may be slower and not show.");
  });
});

describe("the CSV of runs", () => {
  it("has a row for each run, oldest first, with a number for every metric", () => {
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

  it("leaves out metrics that one run lacks, and lists them", () => {
    const one = exampleResult(3, 2);
    one.treatments = one.treatments.slice(0, 1);
    const { csv, leftOut } = runsAsCsv([run("a", one), run("b", exampleResult(3, 2))]);
    expect(csv).not.toContain("text.add");
    expect(leftOut).toContain("text.add.meanMs");
  });

  it("has no cell that a spreadsheet would compute", () => {
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
