// Trials that a median hides are found, named, and keep two treatments from being called the same.
import { describe, expect, it } from "vitest";
import { exampleResult } from "../../../test/support/example-result.js";
import { withAnalysis } from "./analysis.js";
import { outlyingTrials } from "./outlying-trials.js";
import { renderSummary } from "../../report/terminal/summary.js";
import type { ResultDocument } from "../../results/result-schema.js";

/** Ten trials of each of two equal treatments; trials of the second may have a share of the usual rate. */
function withTrials(shares: Readonly<Record<number, number>>): ResultDocument {
  const result = exampleResult(10, 1);
  for (const [index, share] of Object.entries(shares)) {
    const add = result.treatments[1]?.trials[Number(index)]?.operations.add;
    if (!add) throw new Error("the example adds");
    add.eventsPerSecond *= share;
    add.transactions = Math.round(add.transactions * share);
  }
  return withAnalysis(result);
}

function verdictOfAdd({ comparisons }: ResultDocument): string | undefined {
  return comparisons.find(({ operation, metric }) => operation === "add" && metric === "eventsPerSecond")
    ?.verdict;
}

describe("outlying trials", () => {
  it("are none if all trials are alike, and the treatments are then the same", () => {
    const result = withTrials({});
    expect(result.outlyingTrials).toEqual([]);
    expect(verdictOfAdd(result)).toBe("indistinguishable");
  });

  it.each([
    { share: 0, words: "did 0 events/s against a median of 500" },
    { share: 0.4, words: "did 200 events/s against a median of 500" },
    { share: 2.5, words: "did 1250 events/s against a median of 500" },
  ])(
    'are named and prevent the verdict "the same": one of ten with $share times the others\' rate',
    ({ share, words }) => {
      const result = withTrials({ 3: share });
      const number = result.treatments[1]?.trials[3]?.number;
      expect(result.outlyingTrials).toMatchObject([
        { treatment: "text", trial: number, operation: "add", median: 500 },
      ]);
      expect(verdictOfAdd(result)).toBe("inconclusive");
      const summary = renderSummary(result, { directory: "results/x" }).replace(/\s+/g, " ");
      expect(summary).toContain(`Outlying trials of text: add: trial ${number ?? 0} ${words}.`);
    },
  );

  it("are found by their rate per second in windows that end with a budget", () => {
    const { treatments } = exampleResult(5, 1);
    for (const [i, trial] of (treatments[1]?.trials ?? []).entries()) {
      trial.windowSeconds = i === 4 ? 40 : 10;
      const rate = 6400 / trial.windowSeconds;
      Object.assign(trial.operations.add ?? {}, { transactions: 6400, eventsPerSecond: rate });
    }
    const number = treatments[1]?.trials[4]?.number;
    expect(outlyingTrials(treatments)).toMatchObject([
      { treatment: "text", trial: number, operation: "add", eventsPerSecond: 160, median: 640 },
    ]);
  });

  it("include a trial that did nothing, however few transactions the others made", () => {
    const { treatments } = exampleResult(5, 1);
    for (const [i, { operations }] of (treatments[1]?.trials ?? []).entries())
      Object.assign(operations.add ?? {}, {
        transactions: i === 4 ? 0 : 18,
        eventsPerSecond: i === 4 ? 0 : 18,
      });
    expect(outlyingTrials(treatments)).toMatchObject([{ treatment: "text", eventsPerSecond: 0 }]);
  });

  it("exclude trials with few transactions by chance, and all of two trials", () => {
    const few = exampleResult(10, 1);
    for (const [i, { operations }] of (few.treatments[1]?.trials ?? []).entries())
      Object.assign(operations.add ?? {}, {
        transactions: i === 0 ? 1 : 4,
        eventsPerSecond: i === 0 ? 1 : 4,
      });
    expect(outlyingTrials(few.treatments)).toEqual([]);
    const two = exampleResult(2, 1);
    Object.assign(two.treatments[0]?.trials[0]?.operations.add ?? {}, {
      transactions: 0,
      eventsPerSecond: 0,
    });
    expect(outlyingTrials(two.treatments)).toEqual([]);
  });
});
