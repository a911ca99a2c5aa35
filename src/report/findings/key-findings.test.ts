import { describe, expect, it } from "vitest";
import type { Comparison, ResultDocument } from "../../results/result-schema.js";
import {
  EXAMPLE_INTEGRITY,
  exampleResult,
  exampleDisturbance,
} from "../../../test/support/example-result.js";
import { claim, PROCESS_MEAN, PROCESS_RATE } from "../../../test/support/moving-evidence.js";
import { PAYMENTS } from "../../../test/support/payments.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { keyFindings } from "./key-findings.js";
import { renderSummary } from "../terminal/summary.js";

const WAL = "text wrote 4.1 kB of WAL per event against 1.3 kB (3.15x)";

function example(comparisons: readonly Comparison[] = []): ResultDocument {
  return { ...exampleResult(5), comparisons: [...comparisons] };
}

function texts(result: ResultDocument): string[] {
  return keyFindings(result).map(({ text }) => text);
}

function firstTrial(result: ResultDocument) {
  const trial = result.treatments[0]?.trials[0];
  if (!trial?.integrity) throw new Error("the example has audited trials");
  return trial;
}

const makeInconclusive = (comparison: Comparison): Comparison => ({
  ...comparison,
  verdict: "inconclusive",
});

describe("key findings", () => {
  it("begin with invalid aspects, violations and failed thresholds, each reason once", () => {
    const result = example([claim(PROCESS_MEAN)]);
    const counts = { isValid: false, reasons: ["trial 1: 3 events are in no table"] };
    result.verdict = { ...exampleDisturbance("clients were late"), counts };
    const trial = firstTrial(result);
    const violations = ["3 events are in no table", "1 event is there twice"];
    trial.integrity = { ...EXAMPLE_INTEGRITY, verdict: "violated", violations };
    const threshold = { metric: "add", expression: "p(99)<500", treatment: "text" };
    result.thresholds = [
      { ...threshold, seen: 612.345, ok: false },
      { ...threshold, treatment: "jsonb", seen: 100, ok: true },
    ];
    const findings = keyFindings(result);
    expect(findings.slice(0, 4)).toEqual([
      { tone: "bad", text: "COUNTS NOT VALID: do not use counts and rates.", because: counts.reasons },
      {
        tone: "bad",
        text: "TIMINGS NOT VALID: do not use latencies and rates.",
        because: ["clients were late"],
      },
      {
        tone: "bad",
        text: "Integrity is violated in trial 1: events were lost, duplicated or are unaccounted for.",
        because: ["trial 1: 1 event is there twice"],
      },
      { tone: "bad", text: "Thresholds: 1 of 1 FAILED.", because: ["add p(99)<500 of text: 612.3"] },
    ]);
    expect(findings.filter(({ tone }) => tone === "good")).toEqual([]);
    result.verdict = { ...exampleDisturbance("late"), status: "aborted", reasons: ["stopped by SIGINT"] };
    expect(texts(result)[1]).toBe("TIMINGS NOT VALID: do not use latencies and rates. Counts are valid.");
    expect(texts(result)[0]).toBe("ABORTED: these results are partial.");
  });

  it("state conservation if every complete trial was audited, and thresholds if all hold", () => {
    const result = example();
    result.thresholds = [{ metric: "add", expression: "count>0", treatment: "text", seen: 1, ok: true }];
    expect(texts(result)).toContain("The threshold holds.");
    expect(texts(result)).toContain(
      "No event was lost or duplicated, and each shows the work that was acknowledged: 150000 events in 10 trials. " +
        "Lost or duplicated: 0 of 150000 events, at most 0.002 % with 95 % confidence.",
    );
    const trial = firstTrial(result);
    trial.integrity = null;
    expect(texts(result).join()).not.toContain("No event was lost");
    // A violation prevents that sentence, even in a trial that was stopped.
    const violations = ["3 events are in no table"];
    Object.assign(trial, {
      status: "partial",
      integrity: { ...EXAMPLE_INTEGRITY, verdict: "violated", violations },
    });
    expect(texts(result).join()).toContain("Integrity is violated in trial 1");
    expect(texts(result).join()).not.toContain("No event was lost");
  });

  it("do not state that nothing was lost if an audit was incomplete, and name the gap", () => {
    const result = example();
    const notAudited = ["the workload states no invariant, so nothing was checked"];
    firstTrial(result).integrity = { ...EXAMPLE_INTEGRITY, notAudited };
    expect(texts(result).join()).not.toContain("No event was lost");
    expect(texts(result)).toContain(
      "Not audited: the workload states no invariant, so nothing was checked. Otherwise nothing is known to be lost or " +
        "duplicated: 150000 events in 10 trials.",
    );
  });

  it("state allowed losses instead of conservation", () => {
    const result = example();
    const losses = [{ operation: "add", lost: 12, unexplained: 0, firstAtSeconds: 4.4, lastAtSeconds: 5 }];
    firstTrial(result).integrity = { ...EXAMPLE_INTEGRITY, lost: 12, losses, allowed: ["lost"] };
    const sentences = texts(result);
    expect(sentences).toContain(`${result.treatments[0]?.id ?? ""} lost (allowed): add 12.`);
    expect(sentences).toContain(
      `${result.treatments[1]?.id ?? ""} lost 0 of 75000 events, at most 0.004 % with 95 % confidence.`,
    );
    expect(sentences).toContain(
      "Beyond what a fault may lose, no event was lost or duplicated, and each shows the work that was acknowledged: " +
        "150000 events in 10 trials.",
    );
    expect(sentences.join()).not.toContain("No event was lost");
  });

  it("group a treatment's differences in an operation, with each evidence sentence once", () => {
    const result = example([
      { ...claim(PROCESS_MEAN), because: [WAL] },
      { ...claim({ operation: "process", metric: "p50" }), because: ["evidence of the median"] },
      { ...claim(PROCESS_RATE), because: [WAL] },
    ]);
    expect(keyFindings(result)[0]).toEqual({
      tone: "plain",
      text: "Throughput (events/s) of process is 50 % lower with text than with jsonb (0.50x, 95 % CI [0.50, 0.50]); mean 2.00x [2.00, 2.00].",
      because: [WAL],
    });
  });

  it("state that the collected evidence does not explain a difference", () => {
    const [first] = keyFindings(example([{ ...claim(PROCESS_MEAN), because: [] }]));
    expect(first?.because).toEqual(["the collected evidence does not explain it"]);
    const [unexplained] = keyFindings(example([claim(PROCESS_MEAN)]));
    expect(unexplained?.because).toEqual([]);
  });

  it("rank differences by the interval end nearer to 1, and count the omitted ones", () => {
    const ratios = [1.5, 0.2, 3, 1.2, 2, 1.1, 1.05];
    const result = example(
      ratios.map((ratio, i) => {
        const interval = ratio === 3 ? { ciLow: 1.3, ciHigh: 9 } : { ciLow: ratio, ciHigh: ratio };
        return { ...claim(PROCESS_MEAN), treatment: `t${i}`, ratio, ...interval };
      }),
    );
    const sentences = texts(result).filter((text) => text.startsWith("Mean response time of process"));
    expect(sentences.map((text) => /with (t\d)/.exec(text)?.[1])).toEqual(["t1", "t4", "t0", "t2"]);
    expect(sentences[3]).toBe(
      "Mean response time of process is 3.00 times as long with t2 as with jsonb (3.00x, 95 % CI [1.30, 9.00]).",
    );
    expect(texts(result)).toContain("3 smaller differences are in the tables.");
  });

  it("omit inconclusive differences and A/A pairs, and warn of findings within the noise floor", () => {
    const replica = { ...claim(PROCESS_MEAN), factor: "none", ratio: 2.5, ciLow: 2.4, ciHigh: 2.6 };
    const result = example([replica, claim(PROCESS_MEAN), makeInconclusive(claim(PROCESS_RATE))]);
    expect(texts(result).filter((text) => text.startsWith("text "))).toEqual([]);
    const warnings = keyFindings(result).filter(({ tone }) => tone === "warn");
    expect(warnings.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^A\/A pairs differ in 1 of 1 comparison: process mean of text\./),
      expect.stringMatching(/^1 finding is within the noise floor; do not rely on: /),
    ]);
    expect(texts(result)).toContain(
      "Noise floor (largest difference between A/A pairs): process mean 160 %.",
    );
  });

  it("warn that few trials support no conclusion", () => {
    const few = {
      ...exampleResult(3),
      comparisons: [{ ...makeInconclusive(claim(PROCESS_MEAN)), blocks: 3 }],
    };
    const warnings = keyFindings(few).filter(({ tone }) => tone === "warn");
    expect(warnings[0]?.text).toMatch(
      /^Of 1 comparison \(mean\), 1 is inconclusive: 3 trials of each treatment;/,
    );
    expect(keyFindings(example([claim(PROCESS_MEAN)])).filter(({ tone }) => tone === "warn")).toEqual([]);
  });

  it("warn of ratios of trials whose value is 0", () => {
    const stalled = { ...claim(PROCESS_RATE), ratio: 0.00003, ciLow: 0.00003, ciHigh: 0.00004 };
    expect(texts(example([stalled])).join()).not.toContain("0 events/s");
    const result = example([
      { ...stalled, zeroAs: 0.01 },
      { ...claim({ operation: "add", metric: "lost" }), zeroAs: 0.5 },
    ]);
    const { add, process } = result.treatments[1]?.trials[0]?.operations ?? {};
    Object.assign(process ?? {}, { eventsPerSecond: 0 });
    Object.assign(add ?? {}, { lost: 0 });
    expect(keyFindings(result)).toContainEqual({
      tone: "warn",
      text: expect.stringMatching(
        /^0 events\/s: process of text in 1 of 5 trials, 0 lost: add of text in 1 of 1 trial\. Ratios take half of one for 0/,
      ) as string,
      because: [],
    });
    expect(texts(result)[0]).toBe(
      "Throughput (events/s) of process is <.001 times as high with text as with jsonb (<.001x, 95 % CI [<.001, <.001]).",
    );
  });

  it("state why a search for capacity compares no treatments", () => {
    const found = { operation: "add", metric: "add", expression: "p(99)<100", outcome: "found" } as const;
    const rates = { ratePerSecond: 120, failsAtPerSecond: 140, confirmations: 5, clients: 8, probes: [] };
    const result = { ...example(), capacity: [{ ...found, ...rates, treatment: "jsonb" }] };
    expect(keyFindings(result)).toContainEqual({
      tone: "plain",
      text: "Each treatment ran at the rate found for it: compare the rates, not what was measured at them.",
      because: [],
    });
  });

  it("name indistinguishable comparisons, a few of many", () => {
    const same = { ...claim(PROCESS_MEAN), ratio: 1, verdict: "indistinguishable" } as const;
    expect(texts(example([same]))).toContain("Indistinguishable from jsonb: process mean of text.");
    const many = Array.from({ length: 9 }, (_, i) => ({ ...same, treatment: `t${i}` }));
    expect(texts(example(many)).join()).toContain("process mean of t5 and 3 more.");
  });

  it("state rates and response times if there is one treatment", () => {
    const result = example();
    expect(texts(result).join()).not.toContain("(p99)");
    result.treatments.length = 1;
    expect(texts(result)).toContain("add: 500 events/s, response time 9.9 ms (p50), 33 ms (p99).");
    const { operations } = result.treatments[0]?.merged ?? {};
    if (operations?.add) operations.__cycle__ = { ...operations.add, eventsPerSecond: 480 };
    expect(texts(result)).toContain(
      "cycle: 10 cycles/s, 480 events/s, response time 9.9 ms (p50), 33 ms (p99).",
    );
  });

  it("warn of windows without a steady state", () => {
    const result = example();
    firstTrial(result).steadyState = { isSteady: false, reason: "throughput fell by 20 %" };
    expect(keyFindings(result)).toContainEqual({
      tone: "warn",
      text: "No steady state in trial 1.",
      because: ["trial 1: throughput fell by 20 %"],
    });
  });

  it("state the scalability law of a sweep or its absence, and the capacity that a search found", () => {
    const result = example();
    const refused = { status: "refused", reason: "3 levels are too few" } as const;
    result.sweeps = [{ factor: "clients", levels: {}, operation: "add", points: [], usl: refused }];
    expect(texts(result)).toContain("add over clients: No scalability law: 3 levels are too few.");
    const searched = { operation: "add", metric: "add", expression: "p(99)<100", outcome: "found" } as const;
    const rates = { ratePerSecond: 120, failsAtPerSecond: 140, confirmations: 2, clients: 8, probes: [] };
    result.capacity = [{ ...searched, ...rates, treatment: "jsonb" }];
    expect(texts(result)[0]).toBe(
      "jsonb: add: p(99)<100 holds up to 120 arrivals/s (repeated 2 times), not at 140/s, with at most 8 clients at work.",
    );
  });
});

it("key findings of a user's workload use its units and verbs", () => {
  const slower = exampleResult(5, 1);
  for (const { id, trials } of slower.treatments)
    for (const { operations } of trials)
      for (const operation of Object.values(operations))
        operation.eventsPerSecond = (id === "text" ? 100 : 1000) + trials.length;
  const arrivals = /events a second were added/;
  const ours = withAnalysis(slower);
  const theirs = withAnalysis({ ...slower, workload: PAYMENTS });
  expect(JSON.stringify(ours.comparisons)).toMatch(arrivals);
  expect(JSON.stringify(theirs.comparisons)).not.toMatch(arrivals);
  const sentences = texts(theirs).join("\n");
  expect(texts(ours).join("\n")).toContain("Throughput (events/s) of add is 90 % lower");
  expect(sentences).toContain("Throughput (payments/s) of add is 90 % lower");
  expect(sentences).toContain("No payment was lost or duplicated");
  expect(sentences).not.toContain("event");
  const summary = renderSummary(theirs, { directory: "results" });
  expect(summary).toContain("payments/s");
  expect(summary).toMatch(/integrity: ok in 5 of 5 trials: \d+ paid/);
  expect(summary).not.toContain("events/s");
});
