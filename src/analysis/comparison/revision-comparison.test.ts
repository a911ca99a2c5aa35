import { expect, it } from "vitest";
import { exampleResult } from "../../../test/support/example-result.js";
import { compareRevisions } from "./revision-comparison.js";

/** Regressions of text against jsonb, which has response times `slowdown` times as long, in `trials` blocks. */
function regressions(slowdown: number, maxRegression: number, trials = 8): string[] {
  const result = exampleResult(trials, slowdown);
  const [before, after] = result.treatments;
  if (!before || !after) throw new Error("the example has two treatments");
  const { findings } = compareRevisions(result, [{ name: "queue", before, after }], maxRegression);
  expect(findings.length).toBeGreaterThan(0);
  return findings.flatMap(({ treatment, operation, metric, isRegression }) =>
    isRegression ? [`${treatment} ${operation} ${metric}`] : [],
  );
}

it("a revision is worse in the headline metrics that are beyond the bound, and in no others", () => {
  const slower = ["queue add mean", "queue add p99", "queue process mean", "queue process p99"];
  expect(regressions(1.5, 0.1)).toEqual(expect.arrayContaining(slower));
  expect(regressions(1.5, 0.99)).toEqual([]);
  expect(regressions(1, 0.05)).toEqual([]);
  expect(regressions(0.5, 0.05)).toEqual([]);
});

it("four blocks show no regression", () => {
  expect(regressions(3, 0.05, 4)).toEqual([]);
});
