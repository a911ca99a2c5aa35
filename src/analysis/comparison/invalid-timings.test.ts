// Differences between treatments with invalid timings or counts: nothing that rests on them is claimed.
import { describe, expect, it } from "vitest";
import { exampleOperation, exampleResult, exampleTrial } from "../../../test/support/example-result.js";
import { renderSummary } from "../../report/terminal/summary.js";
import type { Aspect, TreatmentResult } from "../../results/result-schema.js";
import { workloadOf } from "../../workloads/registry.js";
import { validityOf } from "../diagnosis/validity.js";
import { withAnalysis } from "./analysis.js";
import { compareTreatments } from "./comparisons.js";
import { factorEffects } from "./effects.js";
import { raceAfter } from "./race.js";
import { sweepsOf } from "./sweeps.js";

function disturb(treatment: TreatmentResult | undefined, block: number, ...invalidates: Aspect[]): void {
  const trial = treatment?.trials[block];
  if (!trial) throw new Error("there is no such trial");
  trial.diagnosis = [{ check: "other-cpu", invalidates, seen: 0.5, bound: 0.2, words: "others worked" }];
}

/** Eight blocks; `text` takes twice as long, and loses more. */
function example() {
  const result = exampleResult(8, 2);
  result.treatments.forEach(({ trials }, t) =>
    trials.forEach(({ operations: { add } }, block) =>
      Object.assign(add ?? {}, { lost: 5 + block + t * 50 }),
    ),
  );
  return result;
}

/** Treatments over levels of factors; each unit of `rate` is two operations a second. */
function treatmentsOf(
  rates: readonly (readonly [levels: Record<string, string>, rate: number])[],
  blocks = 8,
) {
  return rates.map(([levels, rate], t): TreatmentResult => {
    const trials = Array.from({ length: blocks }, (_, block) => {
      const own = {
        clients: Number(levels["clients"] ?? 1),
        eventsPerSecond: rate * (1 + (block % 3) / 100),
      };
      const trial = exampleTrial(block, block * rates.length + t + 1, 10);
      return { ...trial, operations: { add: { ...exampleOperation(10), ...own } } };
    });
    return { id: Object.values(levels).join("-"), levels, trials, merged: null };
  });
}

describe("comparisons of treatments with invalid trials", () => {
  const verdictsOf = (treatments: readonly TreatmentResult[]) =>
    new Map(
      compareTreatments(treatments, 1)
        .filter(({ operation }) => operation === "add")
        .map(({ metric, verdict, objection }) => [metric, [verdict, objection]]),
    );

  it("are inconclusive for latencies and rates, but not for counts, if timings of one trial are not valid", () => {
    const { treatments } = example();
    expect(verdictsOf(treatments).get("mean")).toEqual(["exploratory", undefined]);
    disturb(treatments[1], 2, "timings");
    const verdicts = verdictsOf(treatments);
    const objection = "timings of trial 6 are not valid";
    for (const metric of ["mean", "p50", "p95", "p99", "eventsPerSecond"] as const)
      expect(verdicts.get(metric), metric).toEqual(["inconclusive", objection]);
    expect(verdicts.get("lost")).toEqual(["exploratory", undefined]);
  });

  it("are inconclusive for counts and rates, but not for latencies, if counts are not valid", () => {
    const { treatments } = example();
    disturb(treatments[0], 0, "counts");
    const verdicts = verdictsOf(treatments);
    expect(verdicts.get("mean")).toEqual(["exploratory", undefined]);
    for (const metric of ["eventsPerSecond", "lost"] as const)
      expect(verdicts.get(metric), metric).toEqual(["inconclusive", "counts of trial 1 are not valid"]);
  });

  it("are not affected by trials of other treatments, nor by warnings", () => {
    const { treatments } = example();
    const other = {
      ...structuredClone(treatments[1] as TreatmentResult),
      id: "flat",
      levels: { payload: "flat" },
    };
    disturb(other, 0, "timings");
    disturb(treatments[1], 0);
    const ofMean = compareTreatments([...treatments, other], 1).filter(({ metric }) => metric === "mean");
    expect(ofMean.map(({ treatment, verdict }) => [treatment, verdict])).toContainEqual([
      "text",
      "exploratory",
    ]);
    expect(ofMean.filter(({ treatment }) => treatment === "flat").map(({ verdict }) => verdict)).toEqual(
      Array(3).fill("inconclusive"),
    );
  });

  it("are listed in the summary as inconclusive for that reason, without a difference", () => {
    const result = example();
    disturb(result.treatments[1], 2, "timings");
    result.verdict = { ...result.verdict, ...validityOf(result.treatments, []) };
    const analysed = withAnalysis(result);
    expect(analysed.comparisons.filter(({ verdict }) => verdict === "finding")).toEqual([]);
    const text = renderSummary(analysed, { directory: "x" }).replace(/\s+/g, " ");
    expect(text).toMatch(
      /^TIMINGS NOT VALID: do not use latencies and rates\. Counts are valid\. - trial 6 \(text\)/,
    );
    expect(text).toContain("8 are inconclusive: they rest on trials whose timings are not valid.");
    expect(text).not.toContain("has 2.00x");
  });
});

it("effects and interactions of factors are inconclusive if timings are not valid", () => {
  const treatments = treatmentsOf([
    [{ payload: "jsonb", pool: "direct" }, 100],
    [{ payload: "text", pool: "direct" }, 150],
    [{ payload: "jsonb", pool: "pg" }, 200],
    [{ payload: "text", pool: "pg" }, 900],
  ]);
  const ofRate = () => {
    const { effects, interactions } = factorEffects(treatments, 1);
    return [...effects, ...interactions].filter(({ metric }) => metric === "eventsPerSecond");
  };
  expect(ofRate().map(({ verdict }) => verdict)).not.toContain("inconclusive");
  disturb(treatments[3], 0, "timings");
  for (const { verdict, objection } of ofRate())
    expect([verdict, objection]).toEqual(["inconclusive", "timings of trial 4 are not valid"]);
});

it("a race removes no treatment and decides nothing if timings of a trial are not valid", () => {
  const race = { operation: "add", metric: "eventsPerSecond", isMaximised: true, words: "" } as const;
  const stopping = { min: 5, max: 8, within: 0.05, race };
  const treatments = treatmentsOf([
    [{ pool: "slow" }, 100],
    [{ pool: "fast" }, 200],
  ]);
  const runningAfter = (looks: readonly number[]) => raceAfter(treatments, looks, stopping, 1).running;
  disturb(treatments[0], 6, "timings");
  expect(runningAfter([5])).toEqual(["fast"]);
  disturb(treatments[0], 2, "timings");
  expect(runningAfter([5])).toEqual(["slow", "fast"]);
});

it("a sweep keeps its points, but has no law, if timings are not valid", () => {
  const treatments = treatmentsOf(
    [1, 2, 4, 8].map((clients) => [{ clients: String(clients) }, 50 * clients]),
  );
  disturb(treatments[3], 1, "timings");
  const [sweep] = sweepsOf(treatments, workloadOf({}), 1);
  expect(sweep?.points).toHaveLength(4);
  expect(sweep?.usl).toEqual({ status: "refused", reason: "timings of trial 8 are not valid" });
});
