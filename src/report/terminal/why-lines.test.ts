import { describe, expect, it } from "vitest";
import type { ComparedOperation, Comparison, ComparisonMetric } from "../../results/result-schema.js";
import { exampleResult } from "../../../test/support/example-result.js";
import { claim } from "../../../test/support/moving-evidence.js";
import { renderSummary } from "./summary.js";
import { plainMarks } from "../../foundation/text/text-table.js";
import { renderDifferenceReasons } from "./summary.js";

const WAL = "text wrote 4.1 kB of WAL per event against 1.3 kB (3.15x)";
const COMMIT = "a mean add transaction takes 12 ms more: commit +12 ms";

function comparisonBecause(
  operation: ComparedOperation,
  metric: ComparisonMetric,
  because?: string[],
): Comparison {
  return { ...claim({ operation, metric }), ...(because && { because }) };
}

function lines(...comparisons: Comparison[]): string[] {
  return renderDifferenceReasons({ ...exampleResult(5), comparisons }, plainMarks);
}

describe("the list of evidence beneath differences", () => {
  it("has a shared sentence once for all operations and metrics", () => {
    const printed = lines(
      comparisonBecause("add", "mean", [COMMIT, WAL]),
      comparisonBecause("add", "p99", [COMMIT, WAL]),
      comparisonBecause("process", "eventsPerSecond", [WAL]),
    );
    expect(printed).toEqual([
      "What moved with these differences (evidence, not proof)",
      "text against jsonb",
      `  - add, process: ${WAL}`,
      `  - add: ${COMMIT}`,
      "",
    ]);
  });

  it("has sentences of headline metrics only", () => {
    expect(lines(comparisonBecause("add", "p50", [WAL]), comparisonBecause("add", "p95", [WAL]))).toEqual([]);
  });

  it("states that evidence is missing unless another metric of the operation has some", () => {
    const unexplained = "the collected evidence does not explain it";
    expect(lines(comparisonBecause("add", "mean", []), comparisonBecause("process", "mean", []))).toContain(
      `  - add, process: ${unexplained}`,
    );
    expect(
      lines(comparisonBecause("add", "mean", []), comparisonBecause("add", "p99", [WAL])).join("\n"),
    ).not.toContain(unexplained);
  });

  it("is ordered by rank within each metric", () => {
    const tail = "the slowest add transactions of each second take 90 ms more: commit +90 ms";
    const printed = lines(
      comparisonBecause("add", "mean", [COMMIT, WAL]),
      comparisonBecause("add", "p99", [tail, WAL]),
    );
    expect(printed.slice(2, -1)).toEqual([COMMIT, tail, WAL].map((sentence) => `  - add: ${sentence}`));
  });

  it("is absent if there is no finding", () => {
    expect(lines(comparisonBecause("add", "mean"))).toEqual([]);
  });

  it("has at most 8 sentences and counts the rest", () => {
    const many = Array.from({ length: 11 }, (_, i) => `sentence ${i}`);
    const printed = lines(comparisonBecause("add", "mean", many));
    expect(printed.filter((line) => line.includes("sentence"))).toHaveLength(8);
    expect(printed).toContain("  - and 3 more in result.json");
  });

  it("follows the tables of the summary in 120 columns, without escape sequences", () => {
    const long = `sessions waited on \u001b[2J${"x y ".repeat(60)}`;
    const result = { ...exampleResult(5), comparisons: [comparisonBecause("add", "mean", [long])] };
    const treatments = result.treatments.map((treatment) => ({ ...treatment, summary: [] }));
    const text = renderSummary({ ...result, treatments }, { directory: "results/x" });
    expect(text).toContain("\n  - add: sessions waited on  [2Jx y");
    expect(text).not.toContain("\u001b");
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
  });
});
