import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { HistogramSet } from "../../metrics/histograms.js";
import type { Operation } from "../../metrics/operations.js";
import type { Finding, OperationResult } from "../../results/result-schema.js";
import { parseScenario } from "../../scenario/loader.js";
import type { Treatment } from "../../scenario/settings.js";
import { exampleOperation, exampleTrial } from "../../../test/support/example-result.js";
import {
  rateDrivenRole,
  judgeProbe,
  parseCapacityThreshold,
  ratePerSecondOf,
  treatmentAt,
} from "./capacity-probe.js";

function treatmentOf(text = ""): Treatment {
  const [treatment] = parseScenario(`name: a\nseed: 1\n${text}`, "scenario.yaml").treatments;
  if (!treatment) throw new Error("the scenario has a treatment");
  return treatment;
}

describe("the treatment of a capacity probe", () => {
  it("starts producers at the probe's rate and keeps the scenario's other roles", () => {
    const { settings } = treatmentAt(
      treatmentOf("actors: { producers: { workers: 2, load: { clients: 7 } } }"),
      33,
    );
    expect(settings.actors.producers).toMatchObject({
      workers: 2,
      load: { executor: "constant-arrival-rate", clients: 7, ratePerSecond: 33, distribution: "poisson" },
    });
    expect(settings.actors.consumers).toEqual(treatmentOf().settings.actors.consumers);
  });

  it("starts the cycle at the probe's rate in a cycle topology, and keeps distribution and maxWait", () => {
    const load =
      "{ executor: constant-arrival-rate, rate: 5, maxClients: 9, distribution: uniform, maxWait: 1s }";
    const treatment = treatmentOf(`topology: cycle\nactors: { cycle: { load: ${load} } }`);
    expect(rateDrivenRole(treatment)).toMatchObject({ role: "cycle", operations: ["__cycle__"] });
    expect(ratePerSecondOf(treatment)).toBe(5);
    expect(treatmentAt(treatment, 80).settings.actors.cycle?.load).toMatchObject({
      clients: 9,
      ratePerSecond: 80,
      distribution: "uniform",
      maxWaitMs: 1000,
    });
  });

  it("is refused without an operation to start, and with a budget of iterations", () => {
    expect(() => treatmentAt(treatmentOf("actors: { producers: false }\npreload: 10"), 1)).toThrow(
      UsageError,
    );
    const budget = "{ executor: shared-iterations, iterations: 9 }";
    expect(() => treatmentAt(treatmentOf(`actors: { consumers: { load: ${budget} } }`), 1)).toThrow(/budget/);
  });
});

describe("the threshold of a capacity search", () => {
  it("is a metric with an optional selector, a colon and a condition", () => {
    expect(parseCapacityThreshold("add: p(99)<50")).toMatchObject({
      source: "add",
      percentile: 99,
      bound: 50,
    });
    expect(parseCapacityThreshold("lifecycle.completed{payload:text}: avg<=2")).toMatchObject({
      source: "lifecycle.completed",
      selector: { payload: "text" },
    });
  });

  it.each(["add", "add p(99)<50", "add: p(99)", "adds: p(99)<5", "add: p99<5"])("refuses %s", (text) => {
    expect(() => parseCapacityThreshold(text)).toThrow(UsageError);
  });
});

describe("the probe of a rate", () => {
  const threshold = parseCapacityThreshold("add: p(99)<50");
  const treatment = treatmentAt(treatmentOf(), 100);
  /** Judges a probe whose adds took `ms`, with these counts. */
  const judge = (ms: number, counts: Partial<OperationResult>, driven = treatment) => {
    const histograms = new HistogramSet();
    for (let i = 0; i < 200; i++) histograms.at("add.response").recordValue(ms * 1000);
    const add = {
      ...exampleOperation(ms),
      transactions: 3000,
      clients: 4,
      offered: 3000,
      dropped: 0,
      ...counts,
    };
    const result = { ...exampleTrial(0, 1, ms), operations: { add } };
    return judgeProbe({ result, totals: { histograms } }, driven, threshold, {
      ratePerSecond: 100,
      purpose: "bisect",
    });
  };

  it("holds if the threshold holds and all arrivals were done", () => {
    expect(judge(10, {})).toMatchObject({ held: true, offeredPerSecond: 100, dropped: 0 });
    // Arrivals in flight at the end of the window are tolerated: one for each client and 1 % for arrivals that wait by chance.
    expect(judge(10, { transactions: 2966, dropped: 20 })).toMatchObject({ held: true, dropped: 20 });
  });

  it("fails if the threshold fails, or arrivals were left undone or dropped", () => {
    expect(judge(60, {})).toMatchObject({
      held: false,
      reason: expect.stringMatching(/^p\(99\)<50 was 60/) as string,
    });
    expect(judge(10, { transactions: 2900 })).toMatchObject({
      held: false,
      reason: "100 of 3000 arrivals were not done in the window",
    });
    const producers = "{ executor: constant-arrival-rate, rate: 9, maxClients: 4, maxWait: 1s }";
    const impatient = treatmentAt(treatmentOf(`actors: { producers: { load: ${producers} } }`), 100);
    expect(judge(10, { dropped: 1 }, impatient)).toMatchObject({
      held: false,
      reason: "1 arrival was dropped",
    });
  });

  it("meets a threshold such as verdict: tainted==0 only if counts and timings are valid", () => {
    const undisturbed = parseCapacityThreshold("verdict: tainted==0");
    const verdictOn = (diagnosis: Finding[]) => {
      const operations = { add: { ...exampleOperation(10), offered: 300, dropped: 0 } };
      const result = { ...exampleTrial(0, 1, 10), operations, diagnosis };
      const about = { ratePerSecond: 10, purpose: "bracket" } as const;
      return judgeProbe(
        { result, totals: { histograms: new HistogramSet() } },
        treatment,
        undisturbed,
        about,
      );
    };
    expect(verdictOn([])).toMatchObject({ held: true, seen: 0 });
    const steal = { check: "steal", seen: 0.4, bound: 0.05, words: "stolen" } as const;
    expect(verdictOn([{ ...steal, invalidates: [] }])).toMatchObject({ held: true, seen: 0 });
    expect(verdictOn([{ ...steal, invalidates: ["timings"] }])).toMatchObject({
      held: false,
      seen: 1,
      reason: "tainted==0 was 1",
    });
  });

  it("does not count cycles with a failed operation", () => {
    const cycle = treatmentAt(treatmentOf("topology: cycle"), 100);
    const probeCycle = (failures: Record<Operation, number>) => {
      const part = (operation: Operation): OperationResult => ({
        ...exampleOperation(10),
        failures: { "40001": failures[operation] ?? 0 },
      });
      const operations = {
        add: part("add"),
        process: part("process"),
        archive: part("archive"),
        read: part("read"),
        __cycle__: { ...exampleOperation(10), transactions: 3000, clients: 4, offered: 3000, dropped: 0 },
      };
      const diagnosis: Finding[] = [
        { check: "failures", invalidates: ["timings"], seen: 0.02, bound: 0.01, words: "20 of 1000 failed" },
        { check: "dropped", invalidates: ["timings"], seen: 0.02, bound: 0.01, words: "2 % were dropped" },
      ];
      const result = { ...exampleTrial(0, 1, 10), operations, diagnosis };
      const histograms = new HistogramSet();
      for (let i = 0; i < 3000; i++) histograms.at("__cycle__.response").recordValue(10_000);
      const about = { ratePerSecond: 100, purpose: "bisect" } as const;
      return judgeProbe({ result, totals: { histograms } }, cycle, cycleThreshold, about);
    };
    const cycleThreshold = parseCapacityThreshold("__cycle__: p(99)<50");
    expect(probeCycle({ add: 50, process: 40, archive: 10 })).toMatchObject({
      held: false,
      achievedPerSecond: 2900 / 30,
      reason: "100 of 3000 arrivals were not done in the window",
    });
    expect(probeCycle({ add: 50, process: 40, archive: 10 })).not.toHaveProperty("doubts");
    // Failures within the tolerated rest do not refute the rate, but are stated.
    expect(probeCycle({ process: 20 })).toMatchObject({
      held: true,
      achievedPerSecond: 2980 / 30,
      doubts: [{ check: "failures", words: "20 of 1000 failed" }],
    });
  });

  it("fails without samples, and states a doubt with too few samples", () => {
    const empty = {
      result: { ...exampleTrial(0, 1, 1), operations: {} },
      totals: { histograms: new HistogramSet() },
    };
    const about = { ratePerSecond: 1, purpose: "bracket" } as const;
    expect(judgeProbe(empty, treatment, threshold, about)).toMatchObject({
      held: false,
      seen: null,
      reason: "add has no samples",
    });
    empty.totals.histograms.at("add.response").recordValue(1000);
    expect(judgeProbe(empty, treatment, threshold, about).doubts).toEqual([
      {
        check: "few-samples",
        words: "too few samples for p(99)<50 (1 sample, needs 299): lengthen trial.duration",
      },
    ]);
    const rarer = parseCapacityThreshold("add: p(99.9)<50");
    expect(judgeProbe(empty, treatment, rarer, about).doubts?.[0]?.words).toContain("needs 2995)");
  });
});
