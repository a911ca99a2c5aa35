import { describe, expect, it } from "vitest";
import { type TreatmentResult, Comparison } from "../../results/result-schema.js";
import { exampleResult, exampleTrial } from "../../../test/support/example-result.js";
import { compareTreatments } from "./comparisons.js";
import { isWithinNoiseFloor, noiseFloor } from "./noise-floor.js";

/** A treatment whose trials add these numbers of events a second; a trial with 0 events has no times either. */
function rates(id: string, eventsPerSecond: readonly number[]): TreatmentResult {
  const made = treatment(id, eventsPerSecond.length, () => 10);
  for (const [block, rate] of eventsPerSecond.entries()) {
    const { add } = made.trials[block]?.operations ?? {};
    if (add) Object.assign(add, { eventsPerSecond: rate, ...(rate === 0 && { responseTimeMs: null }) });
  }
  return made;
}

function rateOfAdd(treatments: TreatmentResult[]) {
  return compareTreatments(treatments, 1).find(
    ({ operation, metric }) => operation === "add" && metric === "eventsPerSecond",
  );
}

/** A treatment whose mean add time in block b is `meanMs(b)`. */
function treatment(id: string, blocks: number, meanMs: (block: number) => number): TreatmentResult {
  const trials = Array.from({ length: blocks }, (_, block) => exampleTrial(block, block + 1, meanMs(block)));
  return { id, levels: { payload: id }, trials, merged: null };
}

function meanOfAdd(treatments: TreatmentResult[], seed = 1) {
  return compareTreatments(treatments, seed).filter(
    ({ operation, metric }) => operation === "add" && metric === "mean",
  );
}

describe("compareTreatments", () => {
  it("finds a difference that every block shows", () => {
    const comparisons = compareTreatments(exampleResult(8, 2).treatments, 42);
    // Five metrics of add and process, four of the time to completion.
    expect(comparisons).toHaveLength(5 + 5 + 4);
    for (const { differences, ...comparison } of comparisons) {
      expect(Comparison.parse(comparison)).toEqual(comparison);
      expect(differences.size).toBe(8);
      expect(comparison).toMatchObject({
        factor: "payload",
        baseline: "jsonb",
        treatment: "text",
        blocks: 8,
      });
    }
    expect(comparisons[0]).toMatchObject({ operation: "add", metric: "mean", verdict: "exploratory" });
    expect(comparisons[0]?.ratio).toBeCloseTo(2, 10);
    expect(comparisons[0]?.pValue).toBeLessThan(1e-6);
    expect(comparisons.find(({ metric }) => metric === "eventsPerSecond")).toMatchObject({
      ratio: 1,
      verdict: "indistinguishable",
    });
    const faster = compareTreatments(exampleResult(8, 0.5).treatments, 42);
    expect(faster[0]).toMatchObject({ verdict: "exploratory" });
    expect(faster[0]?.ratio).toBeCloseTo(0.5, 10);
  });

  it("claims no difference with fewer than five trials, however large it is", () => {
    for (const comparison of compareTreatments(exampleResult(4, 100).treatments, 42))
      expect(comparison).toMatchObject({
        ciLow: null,
        ciHigh: null,
        pValue: null,
        pAdjusted: null,
        verdict: "inconclusive",
      });
  });

  it("finds a difference that all five blocks show while the machine drifts", () => {
    const noise = [0.01, -0.01, 0, 0.005, -0.005];
    const driftingMs = (factor: number) => (block: number) =>
      10 * 1.5 ** block * factor * Math.exp(noise[block] ?? 0);
    const [comparison] = meanOfAdd([
      treatment("a", 5, driftingMs(1)),
      treatment("b", 5, (block) => 11 * 1.5 ** block),
    ]);
    expect(comparison).toMatchObject({ test: "paired", verdict: "exploratory" });
    expect(comparison?.ratio).toBeCloseTo(1.1, 6);
  });

  it.each([5, 7])("removes the slowdown of the treatment that runs second in each of %d blocks", (blocks) => {
    const noise = [0.002, -0.001, 0, 0.001, -0.002, 0.001, 0];
    const side = (id: string, isFirst: (block: number) => boolean, factor: number): TreatmentResult => ({
      ...treatment(id, 0, () => 0),
      trials: Array.from({ length: blocks }, (_, block) => {
        const slower = isFirst(block) ? 1 : 1.2;
        const meanMs = 10 * factor * slower * Math.exp(noise[block] ?? 0);
        return exampleTrial(block, 2 * block + (isFirst(block) ? 1 : 2), meanMs);
      }),
    });
    const isEven = (block: number): boolean => block % 2 === 0;
    const pair = (factor: number) =>
      meanOfAdd([side("a", isEven, 1), side("b", (block) => !isEven(block), factor)])[0];
    expect(pair(1)?.ratio).toBeCloseTo(1, 2);
    expect(pair(1)?.verdict).toBe("indistinguishable");
    expect(pair(1.05)?.ratio).toBeCloseTo(1.05, 2);
    expect(pair(1.05)?.verdict).toBe("exploratory");
  });

  it("does not call treatments the same if one of twenty trials took 1.8 times as long", () => {
    const noise = (block: number): number => 1 + ((block * 7) % 5) / 200;
    const steady = treatment("a", 20, (block) => 10 * noise(block));
    const other = (slow: number): TreatmentResult =>
      treatment("b", 20, (block) => (block === 7 ? slow : 1) * 10 * noise(block + 1));
    expect(meanOfAdd([steady, other(1)])[0]?.verdict).toBe("indistinguishable");
    expect(meanOfAdd([steady, other(1.8)])[0]?.verdict).toBe("inconclusive");
    expect(meanOfAdd([steady, other(1 / 1.8)])[0]?.verdict).toBe("inconclusive");
  });

  it("pairs by block, so that a machine that slows down over time hides no difference", () => {
    const driftingMs = (factor: number) => (block: number) =>
      10 * 1.5 ** block * factor * (1 + (block % 3) / 100);
    const [comparison] = meanOfAdd([
      treatment("a", 8, (block) => 10 * 1.5 ** block),
      treatment("b", 8, driftingMs(1.1)),
    ]);
    expect(comparison?.verdict).toBe("exploratory");
    expect(comparison?.ratio).toBeCloseTo(1.111, 2);
    expect(comparison?.ciLow).toBeGreaterThan(1.09);
    expect(comparison?.ciHigh).toBeLessThan(1.13);
  });

  it("leaves out blocks without a complete trial of either treatment, and operations without samples", () => {
    const a = treatment("a", 6, () => 10);
    const b = treatment("b", 6, () => 20);
    const [failed, , last] = [b.trials[0], b.trials[1], b.trials[5]];
    if (!failed || !last) throw new Error("six trials were made");
    failed.status = "failed";
    last.block = 99;
    const [comparison] = meanOfAdd([a, b]);
    expect(comparison?.blocks).toBe(4);
    for (const trial of b.trials) {
      trial.operations = {};
      trial.lifecycle = { completedMs: null, archivedMs: null };
    }
    expect(compareTreatments([a, b], 1)).toEqual([]);
    expect(compareTreatments([a], 1)).toEqual([]);
    expect(compareTreatments([], 1)).toEqual([]);
  });

  it("counts a stalled trial as half an event in the window", () => {
    const working = [500, 510, 490, 505, 495, 500, 502, 498];
    const stalled = rateOfAdd([rates("a", working), rates("b", Array<number>(8).fill(0))]);
    expect(stalled).toMatchObject({ blocks: 8, verdict: "exploratory" });
    expect(stalled?.ratio).toBeCloseTo(0.5 / 30 / 500, 7);
    expect(stalled?.zeroAs).toBeCloseTo(0.5 / 30, 7);
    expect(rateOfAdd([rates("a", working), rates("b", working)])?.zeroAs).toBeUndefined();
    const started = rateOfAdd([rates("a", Array<number>(8).fill(0)), rates("b", working)]);
    expect(started).toMatchObject({ blocks: 8, verdict: "exploratory" });
    // Three stalls in eight trials must not drop out: the other trials alone would show no difference.
    const sometimes = rateOfAdd([rates("a", working), rates("b", [...working.slice(0, 5), 0, 0, 0])]);
    expect(sometimes).toMatchObject({ blocks: 8, verdict: "inconclusive" });
  });

  it("compares no rate if both treatments did nothing", () => {
    const none = Array<number>(8).fill(0);
    expect(rateOfAdd([rates("a", none), rates("b", none)])).toBeUndefined();
  });

  it("ranks one event in a short window no higher than none in a long one", () => {
    const [a, b] = [rates("a", [0, 0, 0, 0, 0, 0, 0, 1 / 30]), rates("b", Array<number>(8).fill(0))];
    for (const trial of b.trials) trial.windowSeconds = 15;
    expect(rateOfAdd([a, b])).toMatchObject({ ratio: 1, verdict: "inconclusive" });
  });

  it("corrects p-values for the number of compared treatments", () => {
    const base = treatment("a", 8, () => 10);
    const others = ["b", "c", "d"].map((id) => treatment(id, 8, (block) => 20 + block));
    for (const comparison of meanOfAdd([base, ...others])) {
      expect(comparison.pValue).toBeLessThan(0.001);
      expect(comparison.pAdjusted).toBeCloseTo(3 * (comparison.pValue ?? 0), 12);
    }
  });

  it("names every factor that differs", () => {
    const a = treatment("a", 2, () => 10);
    const b = { ...treatment("b", 2, () => 10), levels: { payload: "b", pool: "pg-pool" } };
    expect(compareTreatments([a, b], 1)[0]?.factor).toBe("payload x pool");
    expect(compareTreatments([a, { ...a, id: "a-2" }], 1)[0]?.factor).toBe("none");
  });

  it("keeps A/A pairs out of the claims, and marks a claim that is no larger than their noise", () => {
    const noisy = (factor: number) => (block: number) => 10 * factor * (1 + (block % 3) / 10);
    const first = treatment("jsonb-a", 8, () => 10);
    const again = { ...treatment("jsonb-b", 8, noisy(1)), sameAs: "jsonb-a" };
    const other = treatment("text", 8, () => 11);
    const otherAgain = { ...treatment("text-b", 8, () => 11), sameAs: "text" };
    const all = compareTreatments([first, again, other, otherAgain], 1);
    const add = all.filter(({ operation, metric }) => operation === "add" && metric === "mean");
    expect(add.map((each) => [each.factor, each.baseline, each.treatment])).toEqual([
      ["payload", "jsonb-a", "text"],
      ["payload", "jsonb-a", "text-b"],
      ["none", "jsonb-a", "jsonb-b"],
      ["none", "text", "text-b"],
    ]);
    expect(noiseFloor(all, "add", "mean")).toBeCloseTo(1.2, 10);
    expect(add.map((each) => [each.verdict, isWithinNoiseFloor(each, all)]).slice(0, 2)).toEqual([
      ["exploratory", true],
      ["exploratory", true],
    ]);
    expect(noiseFloor(all, "archive", "mean")).toBeUndefined();
    const larger = compareTreatments([first, again, treatment("text", 8, () => 13)], 1);
    expect(larger.some((each) => each.metric === "mean" && isWithinNoiseFloor(each, larger))).toBe(false);
  });

  it("gives the same result for the same seed", () => {
    const { treatments } = exampleResult(6, 1.02);
    expect(compareTreatments(treatments, 7)).toEqual(compareTreatments(treatments, 7));
  });
});
