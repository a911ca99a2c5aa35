// Ranges as levels: their expansion, texts that are not ranges, and refused ranges.
import { expect, it } from "vitest";
import { levelsIn, rangeProblem } from "./range.js";

it.each([
  ["4..128", [4, 8, 16, 32, 64, 128]],
  ["4..100", [4, 8, 16, 32, 64, 100]],
  ["0.5..2", [0.5, 1, 2]],
  ["64MB..256MB", ["64MB", "128MB", "256MB"]],
  ["10..40ms", ["10ms", "20ms", "40ms"]],
  ["jsonb", ["jsonb"]],
  ["../files", ["../files"]],
  [16, [16]],
  [
    ["4..8", 3],
    ["4..8", 3],
  ],
])("the range %j has the levels %j", (given, levels) => {
  expect(rangeProblem(given)).toBeUndefined();
  expect(levelsIn(given)).toEqual(levels);
});

it.each([
  ["64kB..1MB", /one unit/],
  ["8..4", /ends at a higher number/],
  ["0..4", /begins above 0/],
])("the range %s is refused", (given, message) => {
  expect(rangeProblem(given)).toMatch(message);
});
