// Duets compared with runs in which each treatment had the machine alone.
import { expect, it } from "vitest";
import type { ResultDocument } from "../../results/result-schema.js";
import { interferenceWarnings } from "./run-differences.js";

function run(directory: string, isDuet: boolean, ciLow: number | null, ciHigh: number | null) {
  const trials = [{ ...(isDuet && { duet: { server: 1, beside: "b" } }) }];
  const comparison = {
    operation: "add",
    metric: "eventsPerSecond",
    baseline: "a",
    treatment: "b",
    ratio: 1,
    ciLow,
    ciHigh,
  };
  const result = { treatments: [{ id: "a", trials }], comparisons: [comparison] };
  return { directory, result: result as unknown as ResultDocument };
}

const SHARED = "d is a duet: its servers shared the machine, so only ratios between its treatments compare";

it("a duet gets a warning of ratios whose intervals differ from the intervals of interleaved blocks", () => {
  const words = interferenceWarnings(run("d", true, 0.9, 0.95), run("i", false, 0.97, 1.02));
  expect(words[0]).toBe(SHARED);
  expect(words[1]).toMatch(
    /^the servers of the duet disturbed each other: add events\/s of b to a is 1\.00x \[0\.90, 0\.95\] in the duet, 1\.00x \[0\.97, 1\.02\] alone$/,
  );
  expect(interferenceWarnings(run("i", false, 0.97, 1.02), run("d", true, 0.9, 0.95))).toEqual(words);
});

it("a duet gets no warning of a ratio if intervals overlap or are missing, or if both runs are duets", () => {
  expect(interferenceWarnings(run("d", true, 0.9, 0.98), run("i", false, 0.97, 1.02))).toEqual([SHARED]);
  expect(interferenceWarnings(run("d", true, null, null), run("i", false, 0.97, 1.02))).toEqual([SHARED]);
  expect(interferenceWarnings(run("d", true, 0.9, 0.95), run("e", true, 0.97, 1.02))).toEqual([]);
  expect(interferenceWarnings(run("d", false, 0.9, 0.95), run("i", false, 0.97, 1.02))).toEqual([]);
});
