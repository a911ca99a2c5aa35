import { describe, expect, test } from "vitest";
import { exampleResult, exampleTrial } from "../../../test/support/example-result.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { withAnalysis } from "./analysis.js";
import { factorGrids } from "./factor-grid.js";
import { fewTrialsOutlook } from "../../report/findings/outlook-text.js";
import { outlookOf } from "./outlook.js";

/** Treatment i takes about i / 10 longer than the first to add, and slightly longer in each further block. */
function crossLevels(levels: readonly Readonly<Record<string, string>>[], trials: number): ResultDocument {
  const treatments = levels.map((each, i) => ({
    id: Object.values(each).join("-"),
    levels: each,
    trials: Array.from({ length: trials }, (_, block) =>
      exampleTrial(block, block * levels.length + i + 1, (10 + block) * (1 + i / 10 + block * i * 0.004)),
    ),
    merged: null,
  }));
  return withAnalysis({ ...exampleResult(trials), treatments });
}

const TWO = ["jsonb", "text", "flat"].flatMap((payload) =>
  ["direct", "pooled"].map((pool) => ({ payload, pool })),
);
const headline = { operation: "add", metric: "mean", isShown: () => true } as const;

describe("the grid of two factors", () => {
  const result = crossLevels(TWO, 5);

  test("has the factor with more levels in rows, and a ratio in each cell except the baseline", () => {
    const [grid, ...others] = factorGrids(result, headline);
    expect(others).toEqual([]);
    expect([grid?.rows.levels, grid?.columns.levels]).toEqual([
      ["jsonb", "text", "flat"],
      ["direct", "pooled"],
    ]);
    expect(grid?.cells.map(({ treatment, rank }) => [treatment, rank])).toEqual([
      ["jsonb-direct", "best"],
      ["jsonb-pooled", undefined],
      ["text-direct", undefined],
      ["text-pooled", undefined],
      ["flat-direct", undefined],
      ["flat-pooled", "worst"],
    ]);
    expect(grid?.cells.map(({ comparison, isBaseline }) => isBaseline || comparison !== undefined)).toEqual(
      TWO.map(() => true),
    );
  });

  test("has the requested factor in columns, and only the shown cells", () => {
    const [grid] = factorGrids(result, {
      ...headline,
      across: "payload",
      isShown: (id) => id.startsWith("text"),
    });
    expect([grid?.rows.levels, grid?.columns.levels]).toEqual([["direct", "pooled"], ["text"]]);
    expect(factorGrids(result, { ...headline, operation: "archive" })).toEqual([]);
  });
});

test("a third factor makes a grid for each of its levels, ranked together", () => {
  const three = TWO.flatMap((each) => ["a", "b"].map((locking) => ({ ...each, locking })));
  const grids = factorGrids(crossLevels(three, 2), headline);
  expect(grids.map(({ title, cells }) => [title, cells.length])).toEqual([
    ["locking=a", 6],
    ["locking=b", 6],
  ]);
  expect(grids.flatMap(({ cells }) => cells.flatMap(({ rank }) => rank ?? []))).toEqual(["best", "worst"]);
});

test("a single factor has no grid", () => {
  expect(factorGrids(withAnalysis(exampleResult(5)), headline)).toEqual([]);
});

describe("the outlook of few trials", () => {
  test("gives the range of ratios over blocks, and the number of trials that would decide", () => {
    const result = crossLevels(TWO, 3);
    const last = result.comparisons.find(
      (each) => each.treatment === "flat-pooled" && each.operation === "add" && each.metric === "mean",
    );
    if (!last) throw new Error("the example compares the last treatment");
    const { ratioRange, trialsToDecide } = outlookOf(result, last) ?? {};
    expect(ratioRange?.map((end) => end.toFixed(3))).toEqual(["1.500", "1.540"]);
    expect(trialsToDecide === undefined || trialsToDecide >= 5).toBe(true);
    expect(fewTrialsOutlook(result)?.text).toMatch(
      /^3 trials of each show ranges, not intervals\. If ratio and spread stay as seen, about \d+ trials of each would decide/,
    );
  });

  test("gives the least number of trials after a single trial, and nothing after five", () => {
    expect(fewTrialsOutlook(crossLevels(TWO, 1))).toEqual({
      text: "1 trial of each shows no spread. Run at least 5 trials of each (--trials 5).",
      because: [],
    });
    expect(fewTrialsOutlook(crossLevels(TWO, 5))).toBeUndefined();
  });
});
