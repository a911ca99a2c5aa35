import { describe, expect, it } from "vitest";
import { plainMarks } from "../../foundation/text/text-table.js";
import { exampleReport } from "../../../test/support/example-report.js";
import { exampleResult } from "../../../test/support/example-result.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { renderForest as renderHtml } from "../html/sections/forest.js";
import { renderForest } from "../terminal/forest-lines.js";
import { forestOf, positionOnAxis, ratioAxis } from "./forest.js";

describe("the axis of ratios", () => {
  it("is logarithmic and contains 1 and every ratio", () => {
    const axis = ratioAxis([0.5, 4]);
    expect(axis.min).toBeLessThan(0.5);
    expect(axis.max).toBeGreaterThan(4);
    expect(positionOnAxis(axis, 2) - positionOnAxis(axis, 1)).toBeCloseTo(
      positionOnAxis(axis, 1) - positionOnAxis(axis, 0.5),
    );
    expect(axis.ticks).toContain(1);
  });

  it("ends at a factor of 1000 in both directions", () => {
    const axis = ratioAxis([1e-9, 1e9]);
    expect([axis.min, axis.max]).toEqual([0.001, 1000]);
    expect(positionOnAxis(axis, 1e9)).toBe(1);
  });
});

describe("the forest plot of comparisons", () => {
  const { result } = exampleReport();

  it("shows findings with their intervals, ratios and verdicts", () => {
    const row = forestOf(result)?.rows.find(
      ({ name, comparison }) => name === "add p99" && comparison.treatment === "text",
    );
    expect(row).toMatchObject({ verdict: "finding", mark: "*", isBelieved: true, isInterval: true });
    expect(row?.text).toMatch(/^0\.\d\dx \[0\.\d\d, 0\.\d\d\]$/);
  });

  it("shows the range over blocks below 5 blocks", () => {
    const few = withAnalysis(exampleResult(3, 2));
    const texts = forestOf(few)?.rows.map(({ text }) => text) ?? [];
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes("["))).toEqual([]);
  });

  it("is absent if nothing was compared", () => {
    const alone = { ...result, comparisons: [] };
    expect(forestOf(alone)).toBeUndefined();
    expect(renderForest(alone, plainMarks)).toEqual([]);
    expect(renderHtml(alone).markup).toBe("");
  });

  it("states the number of omitted comparisons, and keeps findings", () => {
    const [one] = result.comparisons.filter(({ verdict }) => verdict === "finding");
    if (!one) throw new Error("the example has findings");
    const open = Array.from({ length: 40 }, () => ({ ...one, verdict: "inconclusive" as const }));
    const forest = forestOf({ ...result, comparisons: [...open, one] });
    expect(forest?.omittedCount).toBe(41 - 18);
    expect(forest?.rows.map(({ comparison }) => comparison)).toContain(one);
  });

  it("draws each ratio, its interval and the line at 1 within 120 columns", () => {
    const lines = renderForest(result, plainMarks);
    expect(lines.find((line) => /^add p99 +text/.test(line))).toMatch(/\* +-+o-+ +\|$/);
    expect(lines.find((line) => /^add events\/s +text/.test(line))).toMatch(/~ +o$/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
  });
});
