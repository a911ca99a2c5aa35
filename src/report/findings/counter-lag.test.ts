import { expect, it } from "vitest";
import { exampleResult } from "../../../test/support/example-result.js";
import { claim } from "../../../test/support/moving-evidence.js";
import { counterLagWords } from "./counter-lag.js";
import { plainMarks } from "../../foundation/text/text-table.js";
import { renderDifferenceReasons } from "../terminal/summary.js";

const trial = (windowSeconds: number, status: "complete" | "partial" = "complete", counts = true) => ({
  status,
  windowSeconds,
  database: counts ? { perEvent: { events: 10, deadTuples: 2 } } : {},
});

it("the counter-lag note names the shortest window if that is below 20 s", () => {
  expect(counterLagWords([trial(30), trial(5)])).toBe(
    "Server counters lag by up to 1 second: in a window of 5 s rows, blocks and log records may be off by 20 % " +
      "(WAL bytes and statements are exact). Measure for 20 s.",
  );
  expect(counterLagWords([trial(19.9)])).toBeDefined();
});

it.each([
  ["windows of at least 20 s", [trial(20), trial(60)]],
  ["trials without counters", [trial(2, "complete", false)]],
  ["a short window of a partial trial", [trial(2, "partial"), trial(30)]],
  ["no trials", []],
])("the counter-lag note is absent for %s", (_, trials) => {
  expect(counterLagWords(trials)).toBeUndefined();
});

it("the counter-lag note follows the evidence of a difference in the summary", () => {
  const result = exampleResult(5);
  for (const treatment of result.treatments)
    for (const each of treatment.trials) Object.assign(each, trial(4));
  const comparison = claim({ operation: "add", metric: "mean" });
  const explanation = (because: string[]): string =>
    renderDifferenceReasons({ ...result, comparisons: [{ ...comparison, because }] }, plainMarks).join(" ");
  expect(explanation(["2 blocks per event were written against 1"])).toContain(
    "Server counters lag by up to 1 second",
  );
  expect(explanation([])).not.toContain("Server counters lag");
});
