// A series of runs: where it changed, by how much, which surroundings changed then, and how the text reads.
import { expect, it } from "vitest";
import { exampleRun } from "../../../test/support/example-history.js";
import { exampleDisturbance } from "../../../test/support/example-result.js";
import { Prng } from "../../foundation/prng.js";
import { renderHistory } from "../../report/terminal/run-history-text.js";
import type { ResultDocument } from "../../results/result-schema.js";
import type { StoredRun } from "../comparison/run-comparison.js";
import { historyOf } from "./run-history.js";

const upgrade = (result: ResultDocument): void => {
  Object.assign(result.environment.versions, { database: "PostgreSQL 19.1" });
};

const series = (slowdowns: readonly number[]): StoredRun[] =>
  slowdowns.map((slowdown, i) => exampleRun(i + 1, slowdown, i >= 7 ? upgrade : undefined));

it("a history names the run at which the level changed, and other changes in its environment", () => {
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
  expect(text).toContain("Change at run 8, results/8 (7 runs at the level before, 5 at the new one)");
  expect(text).toMatch(/Noise floor: runs of one level differ by 0\.\d+ %/);
  expect(text).toContain("The newest level of 4 metrics is worse than an earlier level by more than 5 %:");
  expect(text).toMatch(/- text add p99\(ms\): 1\.50x, 95 % CI .*, since run 8, results\/8/);
});

it("a history counts no regression that a later change has undone", () => {
  const slower = [...Array<number>(10).fill(2), ...Array<number>(8).fill(3), ...Array<number>(10).fill(2)];
  const document = historyOf(series(slower), 0.05);
  expect(document.changes.map(({ run }) => run)).toEqual([11, 19]);
  expect(document.regressions).toBe(0);
  expect(historyOf(series(slower), 0.6).changes[0]?.metrics[0]?.isWorse).toBe(false);
});

it("a history counts a partly undone regression relative to the level before it", () => {
  const slower = [...Array<number>(10).fill(2), ...Array<number>(10).fill(3), ...Array<number>(10).fill(2.7)];
  const document = historyOf(series(slower), 0.05);
  expect(document.changes.map(({ run }) => run)).toEqual([11, 21]);
  expect(document.changes[1]?.metrics.some((metric) => metric.isWorse)).toBe(false);
  expect(document.regressions).toBe(4);
  for (const { ratio, sinceRun } of document.lastingRegressions) {
    expect(ratio).toBeCloseTo(1.35, 1);
    expect(sinceRun).toBe(11);
  }
});

it("a history counts a lasting regression, in however many steps it came", () => {
  const histories = Array.from({ length: 20 }, (_, seed) => {
    const prng = new Prng(seed);
    const stages = [prng.intBetween(8, 12), prng.intBetween(2, 4), prng.intBetween(4, 14)];
    const slower = stages.flatMap((runs, stage) =>
      Array.from({ length: runs }, () => 2 * 1.15 ** stage * (1 + 0.06 * (prng.float() - 0.5))),
    );
    return historyOf(series(slower), 0.05);
  });
  const changed = histories.filter(({ changes }) => changes.length > 0);
  expect(changed.length).toBeGreaterThan(10);
  for (const { regressions } of changed) expect(regressions).toBe(4);
});

it("a history states which runs are inconclusive because neighbours resemble each other", () => {
  const waves = Array.from({ length: 24 }, (_, i) => 2 + 0.4 * Math.sin(i / 3));
  const document = historyOf(series(waves), 0.05);
  expect(document).toMatchObject({ changes: [], regressions: 0, undecided: [{ firstRun: 1, lastRun: 24 }] });
  const text = renderHistory(document).replace(/\s+/g, " ");
  expect(text).toMatch(
    /Runs 1 to 24 are inconclusive: they resemble their neighbours \(autocorrelation 0\.\d\d\)/,
  );
  expect(text).toContain("No change of level is claimed.");
});

it("a history states that few runs show nothing, and which runs are left out", () => {
  const empty = exampleRun(4, 2, ({ treatments }) =>
    treatments.forEach((each) => Object.assign(each, { trials: [] })),
  );
  const document = historyOf([exampleRun(1, 2), exampleRun(2, 2), exampleRun(3, 2), empty], 0.05);
  expect(document).toMatchObject({ changes: [], regressions: 0, leftOut: ["results/4"] });
  const text = renderHistory(document);
  expect(text).toContain("Nothing can be concluded from 3 runs: finding a change takes at least 10.");
  expect(text).toContain("left out, without a complete trial: results/4");
  expect(renderHistory(historyOf(series(Array<number>(11).fill(2)), 0.05))).toContain("No change of level");
});

it("a history judges disturbed runs only on request, and states whether the newest run is judged", () => {
  const disturb = (result: ResultDocument): void => void (result.verdict = exampleDisturbance("noise"));
  const steady = series(Array<number>(12).fill(2));
  const slow = [13, 14, 15].map((number) => exampleRun(number, 3, disturb));
  const document = historyOf([...steady, ...slow], 0.05);
  expect(document).toMatchObject({ changes: [], isNewestJudged: false });
  expect(document.runs).toHaveLength(12);
  expect(renderHistory(document).replace(/\s+/g, " ")).toContain(
    "not judged (--allow-differences includes them): results/13 (counts valid, timings not valid), results/14",
  );
  expect(renderHistory(document)).toContain("The newest run is not judged");
  const allowed = historyOf([...steady, ...slow], 0.05, true);
  expect(allowed).toMatchObject({ regressions: 4, notJudged: [], isNewestJudged: true });
  expect(renderHistory(allowed)).toContain("in doubt: results/13 (counts valid, timings not valid)");
  expect(historyOf([...steady, ...slow, exampleRun(16, 2)], 0.05).isNewestJudged).toBe(true);
});
