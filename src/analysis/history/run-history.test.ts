// A series of runs: where it changed, by how much, what else changed then, and how that reads.
import { expect, it } from "vitest";
import { exampleResult, exampleDisturbance } from "../../../test/support/example-result.js";
import { renderHistory } from "../../report/terminal/run-history-text.js";
import type { ResultDocument } from "../../results/result-schema.js";
import type { StoredRun } from "../comparison/run-comparison.js";
import { historyOf } from "./run-history.js";

/** Run `number` began on that day; the text treatment is `slowdown` times as slow as jsonb. */
function run(number: number, slowdown: number, change?: (result: ResultDocument) => void): StoredRun {
  const result = exampleResult(3, slowdown * (1 + 0.002 * (number % 3)));
  for (const trial of result.treatments.flatMap(({ trials }) => trials))
    Object.assign(trial, { startedAt: `2026-11-${String(number).padStart(2, "0")}T10:00:00.000Z` });
  change?.(result);
  return { directory: `results/${number}`, result };
}

const upgrade = (result: ResultDocument): void => {
  Object.assign(result.environment.versions, { database: "PostgreSQL 19.1" });
};

const series = (slowdowns: readonly number[]): StoredRun[] =>
  slowdowns.map((slowdown, i) => run(i + 1, slowdown, i >= 7 ? upgrade : undefined));

it("finds the run at which the level changed, in any order of the directories, and what changed with it", () => {
  const slower = [...Array<number>(7).fill(2), ...Array<number>(5).fill(3)];
  const document = historyOf(series(slower).reverse(), 0.05);
  expect(document.runs.map(({ directory }) => directory).slice(0, 2)).toEqual(["results/1", "results/2"]);
  expect(document.changes).toMatchObject([{ directory: "results/8", run: 8, runsBefore: 7, runsAfter: 5 }]);
  const [{ metrics, differences }] = document.changes as [(typeof document.changes)[number]];
  expect(differences.join()).toContain("PostgreSQL 19.1");
  expect(new Set(metrics.map(({ treatment }) => treatment))).toEqual(new Set(["text"]));
  for (const { metric, ratio, ciLow, isWorse } of metrics) {
    expect(metric).toMatch(/^(mean|p99)$/);
    expect(ratio).toBeCloseTo(1.5, 1);
    expect(ciLow).toBeGreaterThan(1.4);
    expect(isWorse).toBe(true);
  }
  expect(document.regressions).toBe(metrics.length);
  const text = renderHistory(document);
  expect(text).toContain("Change at run 8, results/8 (7 runs before, 5 since)");
  expect(text).toMatch(/Noise floor: runs of one level differ by 0\.\d+ %/);
  expect(text).toMatch(/4 metrics are worse by more than 5 % since the newest change\./);
});

it("does not count a change for the worse that a later one has made good", () => {
  const slower = [...Array<number>(10).fill(2), ...Array<number>(8).fill(3), ...Array<number>(10).fill(2)];
  const document = historyOf(series(slower), 0.05);
  expect(document.changes.map(({ run }) => run)).toEqual([11, 19]);
  expect(document.regressions).toBe(0);
  expect(historyOf(series(slower), 0.6).changes[0]?.metrics[0]?.isWorse).toBe(false);
});

it("says that few runs show nothing, and which runs are left out or in doubt", () => {
  const disturbed = run(3, 9, (result) => (result.verdict = exampleDisturbance("noise")));
  const empty = run(4, 2, ({ treatments }) =>
    treatments.forEach((each) => Object.assign(each, { trials: [] })),
  );
  const document = historyOf([run(1, 2), run(2, 2), disturbed, empty], 0.05);
  expect(document).toMatchObject({ changes: [], regressions: 0, leftOut: ["results/4"] });
  const text = renderHistory(document);
  expect(text).toContain("Nothing can be concluded from 3 runs: finding a change takes at least 10.");
  expect(text).toContain("in doubt: results/3 (counts valid, timings not valid)");
  expect(text).toContain("left out, without a complete trial: results/4");
  expect(renderHistory(historyOf(series(Array<number>(11).fill(2)), 0.05))).toContain("No change of level");
});
