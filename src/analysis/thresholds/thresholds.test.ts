// Thresholds against known numbers: every aggregate, every operator, values without samples, and thresholds that end an
// experiment.
import { describe, expect, it } from "vitest";
import { HistogramSet } from "../../metrics/histograms.js";
import type { Operation } from "../../metrics/operations.js";
import type { OperationResult } from "../../results/result-schema.js";
import type { Threshold } from "../../scenario/judgement.js";
import { parseThreshold } from "../../scenario/thresholds.js";
import {
  EXAMPLE_INTEGRITY,
  exampleLatency,
  exampleOperation,
  exampleResult,
} from "../../../test/support/example-result.js";
import { allHoldText, thresholdNote, shortfallText } from "../../report/findings/threshold-text.js";
import { renderSummary } from "../../report/terminal/summary.js";
import {
  assess,
  brokenThreshold,
  evaluateThresholds,
  meetsBound,
  seenValue,
  type ThresholdInputs,
} from "./thresholds.js";

function threshold(metric: string, condition: string, abortOnFail = false, delayAbortEvalMs = 0): Threshold {
  const parsed = parseThreshold(metric, { threshold: condition, abortOnFail, delayAbortEvalMs });
  if ("message" in parsed) throw new Error(parsed.message);
  return parsed.value;
}

const VALID = { counts: [], timings: [] };

/** Response times of add: 1, 2, ... 100 ms; 300 transactions in 30 s, as `exampleOperation` has them. */
function inputsWith(overrides: Partial<ThresholdInputs> = {}): ThresholdInputs {
  const histograms = new HistogramSet();
  for (let ms = 1; ms <= 100; ms++) histograms.at("add.response").recordValue(ms * 1000);
  histograms.at("lifecycle.completed").recordValue(7000);
  const add = { ...exampleOperation(10), retries: 4, failures: { "40001": 2, "55P03": 1 }, emptyPolls: 5 };
  return { operations: { add }, histograms, audits: [EXAMPLE_INTEGRITY], invalid: VALID, ...overrides };
}

/** Measurements of a treatment without a complete trial. */
const NOTHING: ThresholdInputs = {
  operations: {},
  histograms: new HistogramSet(),
  audits: [],
  databases: [],
  invalid: undefined,
};

describe("the value of a threshold", () => {
  it.each([
    ["add", "avg<1", 50.5],
    ["add", "min<1", 1],
    ["add", "med<1", 50],
    ["add", "max<1", 100],
    ["add", "p(90)<1", 90],
    ["add", "p(99)<1", 99],
    ["add.response", "p(1)<1", 1],
    ["add", "count<1", 300],
    ["add", "rate<1", 10],
    ["add", "events<1", 15_000],
    ["add", "eventsPerSecond<1", 500],
    ["add", "failures<1", 3],
    ["add", "retries<1", 4],
    ["add", "retriesPerTransaction<1", 4 / 303],
    ["add", "emptyPolls<1", 5],
    ["lifecycle.completed", "p(50)<1", 7],
    ["integrity", "violations<1", 0],
  ])("%s %s sees %d", (metric, condition, expected) => {
    const seen = seenValue(threshold(metric, condition), inputsWith());
    expect(seen).toBeGreaterThanOrEqual(expected);
    // HdrHistogram's own three digits
    expect(seen).toBeLessThanOrEqual(expected * 1.001);
  });

  it("includes dropped and offered arrivals and violations of audits", () => {
    const add = { ...exampleOperation(10), offered: 50, dropped: 7 };
    const audits = [{ ...EXAMPLE_INTEGRITY, lost: 3, violations: ["3 lost"] }, EXAMPLE_INTEGRITY];
    const all = inputsWith({ operations: { add }, audits });
    const values = [
      ["add", "dropped<1"],
      ["add", "offered<1"],
      ["integrity", "lost<1"],
      ["integrity", "violations<1"],
    ].map(([metric = "", condition = ""]) => seenValue(threshold(metric, condition), all));
    expect(values).toEqual([7, 50, 3, 1]);
  });

  it("is the mean over committed and failed transactions for meanWithFailures, if the time of failures is known", () => {
    const meanOf = (add: OperationResult): number | undefined =>
      seenValue(threshold("add", "meanWithFailures<1"), inputsWith({ operations: { add } }));
    const add = exampleOperation(10);
    expect(meanOf(add)).toBe(10);
    const failing = { ...add, failures: { "40001": 100 } };
    expect(meanOf({ ...failing, failedTimeMs: exampleLatency(50) })).toBe(20);
    expect(meanOf(failing)).toBeUndefined();
    expect(meanOf({ ...add, transactions: 0, serviceTimeMs: null })).toBeUndefined();
  });

  it.each([
    ["tainted<1", 3],
    ["invalidCounts<1", 1],
    ["invalidTimings<1", 3],
  ])("is the number of disturbed trials for the verdict: %s", (condition, trials) => {
    const all = inputsWith({ invalid: { counts: [5], timings: [1, 3, 5] } });
    expect(seenValue(threshold("verdict", condition), all)).toBe(trials);
  });

  it("is undefined without samples, so that an idle operation meets no threshold", () => {
    const idle = { ...exampleOperation(10), transactions: 0, events: 0, failures: {}, emptyPolls: 0 };
    const empty = inputsWith({
      operations: { add: idle },
      histograms: new HistogramSet(),
      audits: [],
      invalid: undefined,
    });
    for (const [metric, condition] of [
      ["add", "p(99)<1"],
      ["add", "failures==0"],
      ["add", "retries==0"],
      ["add", "dropped==0"],
      ["process", "count<1"],
      ["integrity", "violations==0"],
      ["verdict", "tainted==0"],
    ] as const) {
      expect(seenValue(threshold(metric, condition), empty), `${metric} ${condition}`).toBeUndefined();
    }
    expect(seenValue(threshold("add", "count>0"), empty)).toBe(0);
  });

  it("is the number of retries if no transaction ends", () => {
    const stuck = {
      ...exampleOperation(10),
      transactions: 0,
      events: 0,
      failures: {},
      emptyPolls: 0,
      retries: 5000,
    };
    expect(seenValue(threshold("add", "retries<100"), inputsWith({ operations: { add: stuck } }))).toBe(5000);
  });
});

it("a threshold compares by every operator", () => {
  const verdicts = (operator: Threshold["operator"]): boolean[] =>
    [9, 10, 11].map((seen) => meetsBound({ operator, bound: 10 }, seen));
  expect(verdicts("<")).toEqual([true, false, false]);
  expect(verdicts("<=")).toEqual([true, true, false]);
  expect(verdicts(">")).toEqual([false, false, true]);
  expect(verdicts(">=")).toEqual([false, true, true]);
  expect(verdicts("==")).toEqual([false, true, false]);
  expect(verdicts("!=")).toEqual([true, false, true]);
});

/** This many response times of add, 1 ms each. */
function inputsOfSamples(count: number): ThresholdInputs {
  const histograms = new HistogramSet();
  histograms.at("add.response").recordValueWithCount(1000, count);
  return inputsWith({ histograms });
}

describe("a percentile threshold", () => {
  // The least n with share^n <= 5 %: all of fewer samples lie below the true percentile more often than that.
  it.each([
    ["med<5", 5],
    ["p(50)<=5", 5],
    ["p(90)<5", 29],
    ["p(95)<5", 59],
    ["p(99)<5", 299],
    ["p(99.9)<5", 2995],
    ["p(99)>0.5", 1],
    ["p(1)>0.5", 299],
    ["p(99)!=5", 299],
    ["p(100)<5", 1],
    ["max<5", 1],
    ["avg<5", 1],
  ])("%s is met from %d samples on", (condition, needed) => {
    const written = threshold("add", condition);
    expect(assess(written, inputsOfSamples(needed))).toMatchObject({ ok: true });
    if (needed === 1) return;
    const reason = `${needed - 1} samples, needs ${needed}`;
    expect(assess(written, inputsOfSamples(needed - 1))).toMatchObject({ ok: null, reason });
  });

  it("is not assessed with too few samples at the end, waits before, and fails with as few", () => {
    const written = threshold("add", "p(99)<5", true);
    const judged = {
      id: "t",
      levels: {},
      measured: inputsOfSamples(40),
      completeTrials: 1,
      plannedTrials: 1,
    };
    const [end] = evaluateThresholds([written], [judged]);
    expect(end).toMatchObject({ ok: null, seen: 1, reason: "40 samples, needs 299" });
    expect(brokenThreshold([written], inputsOfSamples(40), 1000)).toBeUndefined();
    const tooSlow = threshold("add", "p(99)<0.5", true);
    expect(brokenThreshold([tooSlow], inputsOfSamples(40), 1000)).toMatchObject({ seen: 1 });
  });
});

describe("a bound on the rate of an open loop", () => {
  /** Figures of an open loop of 10 s: arrivals offered, and transactions of five events each. */
  const arrivals = (offered: number, transactions: number, more: object = {}) => ({
    ...exampleOperation(10),
    offered,
    transactions,
    transactionsPerSecond: transactions / 10,
    unfinished: 0,
    dropped: 0,
    events: transactions * 5,
    eventsPerSecond: transactions / 2,
    ...more,
  });
  const assessCondition = (condition: string, add: OperationResult, randomArrivals: Operation[] = ["add"]) =>
    assess(threshold("add", condition), inputsWith({ operations: { add }, randomArrivals }));

  it.each([
    ["rate>=100", arrivals(962, 962)],
    ["rate>=100", arrivals(962, 960, { unfinished: 2 })],
    ["rate>=100", arrivals(1001, 999, { unfinished: 2 })],
    ["count>990", arrivals(962, 962)],
    ["offered>=1000", arrivals(962, 700)],
    ["eventsPerSecond>=500", arrivals(962, 962)],
    ["events>=5000", arrivals(895, 895)],
    ["rate<=100", arrivals(1040, 1040)],
  ])("%s is met if a Poisson schedule had fewer arrivals by chance", (condition, add) => {
    const { ok, reason } = assessCondition(condition, add) ?? {};
    expect(ok).toBe(true);
    expect(reason).toMatch(
      /^the schedule offered \d+ arrivals, within chance of the \d+ asked for \(\d+ to \d+\)$/,
    );
    expect(assessCondition(condition, add, []), "evenly spaced arrivals").toMatchObject({ ok: false });
  });

  it.each([
    ["offered arrivals were dropped", "rate>=100", arrivals(962, 930, { dropped: 32 })],
    ["more arrivals were offered than served", "rate>=100", arrivals(1010, 990, { dropped: 20 })],
    ["the rate is off by more than three standard deviations", "rate>=100", arrivals(890, 890)],
    ["the load is above an upper bound by more than chance", "rate<=100", arrivals(1110, 1110)],
    ["its metric is no rate", "failures>=5", arrivals(962, 962)],
  ])("is broken if %s", (_, condition, add) => {
    expect(assessCondition(condition, add)).toMatchObject({ ok: false });
  });
});

describe("thresholds at the end of an experiment", () => {
  const treatments = [
    { id: "text", levels: { payload: "text" }, measured: inputsWith(), completeTrials: 1, plannedTrials: 5 },
    { id: "jsonb", levels: { payload: "jsonb" }, measured: NOTHING, completeTrials: 0, plannedTrials: 5 },
  ];

  it("are judged on each selected treatment", () => {
    const written = [threshold("add", "p(99)<98"), threshold("add{payload:text}", "p(90)<=100")];
    expect(evaluateThresholds(written, treatments)).toEqual([
      {
        metric: "add",
        expression: "p(99)<98",
        treatment: "text",
        seen: expect.closeTo(99, 0) as number,
        ok: false,
      },
      {
        metric: "add",
        expression: "p(99)<98",
        treatment: "jsonb",
        seen: null,
        ok: null,
        reason: "0 of 5 planned trials complete",
      },
      {
        metric: "add{payload:text}",
        expression: "p(90)<=100",
        treatment: "text",
        seen: expect.closeTo(90, 0) as number,
        ok: true,
      },
    ]);
  });

  it("are not assessed without samples, with the reason", () => {
    const [process, dropped] = evaluateThresholds(
      [threshold("process", "max<1"), threshold("add", "dropped==0")],
      treatments.slice(0, 1),
    );
    expect(process).toMatchObject({ ok: null, seen: null, reason: "no samples" });
    expect(dropped).toMatchObject({ ok: null, reason: "no samples: not started by a schedule" });
  });

  it("include audits of partial trials", () => {
    const [, jsonb] = treatments;
    if (!jsonb) throw new Error("there are two treatments");
    const partial = { ...jsonb, measured: { ...NOTHING, audits: [EXAMPLE_INTEGRITY] } };
    const written = [threshold("integrity", "violations==0"), threshold("add", "count>0")];
    expect(evaluateThresholds(written, [partial])).toMatchObject([
      { seen: 0, ok: true },
      { seen: null, ok: null, reason: "0 of 5 planned trials complete" },
    ]);
  });

  it("are failed if they ended the experiment, with the value that they saw", () => {
    const written = threshold("add", "p(99)<500", true);
    const abort = { threshold: written, treatmentId: "text", seen: 612, trial: 3 };
    expect(evaluateThresholds([written], treatments.slice(0, 1), abort)).toEqual([
      {
        metric: "add",
        expression: "p(99)<500",
        treatment: "text",
        seen: 612,
        ok: false,
        reason: "aborted the experiment in trial 3",
      },
    ]);
  });
});

describe("a threshold on a rare count", () => {
  it("states the largest share that the count allows", () => {
    const share = (metric: string, condition: string) =>
      assess(threshold(metric, condition), inputsWith())?.share;
    expect(share("add", "failures<9")).toMatchObject({ count: 3, all: 303 });
    const lost = share("integrity", "lost==0");
    expect(lost).toMatchObject({ count: 0, all: EXAMPLE_INTEGRITY.published, low: 0 });
    expect((lost?.high ?? 0) * EXAMPLE_INTEGRITY.published).toBeCloseTo(3, 1);
    expect(share("integrity", "violations==0")).toMatchObject({ count: 0, all: 1 });
    expect(share("add", "count>0")).toBeUndefined();
  });

  it("shows that share as its note", () => {
    const share = { count: 0, all: 5000, unit: "transaction", low: 0, high: 0.0006 } as const;
    const about = { metric: "add", expression: "failures==0", treatment: "text", seen: 0, ok: true };
    expect(thresholdNote({ ...about, share })).toBe(
      "0 of 5000 transactions, at most 0.06 % with 95 % confidence",
    );
    expect(thresholdNote({ ...about, share, reason: "no samples" })).toBe("no samples");
  });
});

describe("thresholds during a trial", () => {
  it("are checked only if they may abort, and only after their delay", () => {
    const all = inputsWith();
    expect(brokenThreshold([threshold("add", "max<5")], all, 9e9)).toBeUndefined();
    const late = threshold("add", "max<5", true, 10_000);
    expect(brokenThreshold([late], all, 9_999)).toBeUndefined();
    expect(brokenThreshold([late], all, 10_000)).toEqual({
      threshold: late,
      seen: expect.closeTo(100, 0) as number,
    });
  });

  it("are not judged before they have samples", () => {
    const none = inputsWith({ audits: [], invalid: undefined });
    const written = [threshold("integrity", "violations>0", true), threshold("process", "max<0", true)];
    expect(brokenThreshold(written, none, 1000)).toBeUndefined();
  });
});

describe("thresholds in the summary", () => {
  const line = (ok: boolean | null, reason?: string) => ({
    metric: "add",
    expression: "p(99)<500",
    treatment: "text",
    seen: 123.456,
    ok,
    ...(reason !== undefined && { reason }),
  });

  it("list failed ones first, and all with a mark in the details", () => {
    const slow = { ...line(false), expression: "p(99)<100" };
    const unknown = { ...line(null, "no samples"), expression: "count>5", seen: null };
    const result = { ...exampleResult(), thresholds: [line(true), slow, unknown] };
    const lines = renderSummary(result, { directory: "x" }).split("\n");
    const heading = "Thresholds: 1 of 3 FAILED, 1 not assessed";
    expect(lines.slice(0, 3)).toEqual([
      `${heading}.`,
      "- add p(99)<100 of text: 123.5",
      "- add count>5 of text: not assessed (no samples)",
    ]);
    const start = lines.indexOf(heading);
    expect(lines.slice(start + 1, start + 7)).toEqual([
      "   threshold      treatment   seen  note",
      "-  -------------  ---------  -----  ----------",
      "✓  add p(99)<500  text       123.5",
      "✗  add p(99)<100  text       123.5",
      "?  add count>5    text           -  no samples",
      "",
    ]);
  });

  it("count each threshold once, even if several treatments are judged by the threshold", () => {
    const on = (treatment: string, ok: boolean | null) => ({ ...line(ok), treatment });
    const all = [on("text", true), on("jsonb", true), on("flat", true)];
    expect(allHoldText(all)).toBe("The threshold holds");
    expect(allHoldText([...all, { ...line(true), expression: "max<9" }])).toBe("All 2 thresholds hold");
    expect(shortfallText([...all, on("tree", false), on("list", null)])).toBe("1 of 1 FAILED");
    expect(shortfallText([...all, on("tree", null)])).toBe("1 of 1 not assessed");
    expect(allHoldText([])).toBeUndefined();
  });

  it("show both treatments of a ratio, and its interval", () => {
    const ratio = { ...line(true), seen: 1.3123, expression: "events/s>1.2", against: "jsonb", blocks: 5 };
    const result = { ...exampleResult(), thresholds: [{ ...ratio, ciLow: 1.2211, ciHigh: 1.4 }, line(true)] };
    const text = renderSummary(result, { directory: "x" });
    expect(text).toContain("✓  add events/s>1.2  text / jsonb  1.312 [1.22, 1.40]\n");
  });

  it("state that all hold", () => {
    const text = renderSummary({ ...exampleResult(), thresholds: [line(true)] }, { directory: "x" });
    expect(text).toContain("The threshold holds.");
    expect(text).toContain("\nThresholds: all hold\n");
  });
});
