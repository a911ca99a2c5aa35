// Interval, test and verdict never contradict each other, whatever the trials: within a run, and between runs.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { exampleResult } from "../../../test/support/example-result.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { compareTreatments } from "./comparisons.js";
import { familySettler } from "./findings.js";
import { compareRuns, type RunFinding } from "./run-comparison.js";

/** Factors on the times of each trial: noise with single outliers, at any scale. */
const factors = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.double({ min: 0.9, max: 1.1, noNaN: true }) },
    { weight: 1, arbitrary: fc.double({ min: 0.01, max: 20, noNaN: true }) },
  ),
  { minLength: 20, maxLength: 20 },
);
const slowdown = fc.constantFrom(1, 1.05, 1.2, 2);

/** Two treatments of ten trials; the second is `slower`. */
function noisy(each: readonly number[], slower: number): ResultDocument {
  const result = exampleResult(10, slower);
  const trials = result.treatments.flatMap((treatment) => treatment.trials);
  for (const [i, { operations }] of trials.entries())
    for (const operation of Object.values(operations)) {
      const factor = each[i] ?? 1;
      operation.eventsPerSecond /= factor;
      const times = operation.responseTimeMs;
      if (times) for (const name of ["mean", "p50", "p95", "p99"] as const) times[name] *= factor;
    }
  return result;
}

const includes = (low: number | null, high: number | null, ratio: number): boolean =>
  low !== null && high !== null && low <= ratio && ratio <= high;

it("no difference has an interval that includes 1, and every finding is a difference", () => {
  fc.assert(
    fc.property(factors, slowdown, (each, slower) => {
      const asked = compareTreatments(noisy(each, slower).treatments, 1);
      const settle = familySettler(asked, 1);
      for (const comparison of asked.map(settle)) {
        const { ratio, ciLow, ciHigh, verdict } = comparison;
        const isDifferent = !["indistinguishable", "inconclusive"].includes(verdict);
        if (isDifferent) expect(includes(ciLow, ciHigh, 1), JSON.stringify(comparison)).toBe(false);
        if (ciLow !== null) expect(includes(ciLow, ciHigh, ratio)).toBe(true);
      }
    }),
    { numRuns: 5 },
  );
});

function expectAgreement(finding: RunFinding, maxRegression: number): void {
  const {
    ratio,
    ciLow,
    ciHigh,
    familyLow,
    familyHigh,
    pValue,
    familyP,
    pWorse,
    verdict,
    isRegression,
    metric,
  } = finding;
  const words = JSON.stringify(finding);
  const bound = metric === "eventsPerSecond" ? 1 - maxRegression : 1 + maxRegression;
  const isBeyond = metric === "eventsPerSecond" ? (familyHigh ?? 1) < bound : (familyLow ?? 1) > bound;
  expect(isRegression, words).toBe(isBeyond);
  expect((pWorse ?? 1) <= 0.05, words).toBe(isBeyond);
  expect((familyP ?? 1) <= 0.05, words).toBe(!includes(familyLow, familyHigh, 1));
  expect((pValue ?? 1) <= 0.05, words).toBe(!includes(ciLow, ciHigh, 1));
  expect(verdict === "finding", words).toBe(!includes(familyLow, familyHigh, 1));
  if (verdict === "exploratory") expect(includes(ciLow, ciHigh, 1), words).toBe(false);
  if (isRegression) expect([verdict, includes(ciLow, ciHigh, bound)], words).toEqual(["finding", false]);
  for (const [low, high] of [
    [ciLow, ciHigh],
    [familyLow, familyHigh],
  ] as const)
    expect(includes(low, high, ratio), words).toBe(true);
}

it("verdicts, intervals and p-values of two runs agree in each metric, at 1 and at the accepted regression", () => {
  fc.assert(
    fc.property(factors, factors, slowdown, fc.constantFrom(0, 0.05, 0.2), (one, other, slower, bound) => {
      const [before, after] = [noisy(one, 1), noisy(other, slower)].map((result, i) => ({
        directory: String(i),
        result,
      })) as [{ directory: string; result: ResultDocument }, { directory: string; result: ResultDocument }];
      for (const { findings } of compareRuns(before, [after], bound).runs)
        for (const finding of findings) expectAgreement(finding, bound);
    }),
    { numRuns: 8 },
  );
});
