// Thresholds on ratios against known trials: block by block comparison, when a ratio surely holds, and when there is none.
import { describe, expect, it } from "vitest";
import { exampleOperation, exampleResult } from "../../../test/support/example-result.js";
import { HistogramSet } from "../../metrics/histograms.js";
import { ZERO_IN_RATIOS_NOTE } from "../../foundation/text/numbers.js";
import { DatabaseEvidence, ThresholdResult, type TreatmentResult } from "../../results/result-schema.js";
import type { RatioThreshold } from "../../scenario/judgement.js";
import { parseScenario } from "../../scenario/loader.js";
import { DATABASE_AGGREGATES, PER_EVENT_AGGREGATES } from "../../scenario/threshold-metrics.js";
import { compareTreatments } from "../comparison/comparisons.js";
import { TrialValues } from "./quantities.js";
import { decidedFailure, evaluateRatios, type MeasuredTrials } from "./ratio-thresholds.js";
import { seenValue, type ThresholdInputs } from "./thresholds.js";

function ratios(condition: string, source = "add", abortOnFail = false): readonly RatioThreshold[] {
  const metric = `${source}{payload:text} / ${source}{payload:jsonb}`;
  const text = `name: x\nseed: 42\nfactors: { payload: [jsonb, text] }\nthresholds: { '${metric}': [{ threshold: '${condition}', abortOnFail: ${abortOnFail} }] }`;
  return parseScenario(text, "x.yaml").ratioThresholds;
}

type Change = (trial: TreatmentResult["trials"][number]) => void;

/** Trials in which jsonb takes 10 + b ms to add in block b, and text three times that. */
function treatmentsOf(blocks: number, change?: Readonly<Record<string, Change>>): TreatmentResult[] {
  const { treatments } = exampleResult(blocks, 3);
  for (const { id, trials } of treatments) trials.forEach((trial) => change?.[id]?.(trial));
  return treatments;
}

/** Records one sample for each trial, which is every percentile, as an experiment does. */
function record(thresholds: readonly RatioThreshold[], treatments: TreatmentResult[]): MeasuredTrials {
  const values = new TrialValues(thresholds.flatMap(({ over, under }) => [over, under]));
  for (const { id, trials } of treatments)
    for (const { block, operations, database, status } of trials) {
      if (status !== "complete") continue;
      const histograms = new HistogramSet();
      const ms = operations.add?.responseTimeMs?.p99;
      if (ms) histograms.at("add.response").recordValue(Math.round(ms * 1000));
      const measured: ThresholdInputs = {
        operations,
        histograms,
        audits: [],
        databases: [database],
        invalid: undefined,
      };
      values.add(id, block, (quantity) => seenValue(quantity, measured));
    }
  return { values, treatments, seed: 42, level: 0.05 };
}

function judge(condition: string, treatments: TreatmentResult[], source?: string): ThresholdResult {
  const thresholds = ratios(condition, source);
  const [result = expect.fail("nothing was judged")] = evaluateRatios(
    thresholds,
    record(thresholds, treatments),
  );
  return ThresholdResult.parse(result);
}

const rate =
  (value: number | ((block: number) => number)): Change =>
  ({ operations, block }) =>
    Object.assign(operations.add ?? {}, {
      eventsPerSecond: typeof value === "number" ? value : value(block),
    });

describe("a threshold on a ratio", () => {
  it("uses the median over blocks of one side divided by the other", () => {
    const noisy = treatmentsOf(5, {
      jsonb: rate((block) => 100 * (block + 1)),
      text: rate((block) => 100 * (block + 1) * ([1.1, 1.2, 1.3, 1.4, 9][block] ?? 1)),
    });
    expect(judge("events/s>1.2", noisy)).toMatchObject({
      treatment: "text",
      against: "jsonb",
      blocks: 5,
      ok: true,
      seen: expect.closeTo(1.3, 10) as number,
    });
    expect(judge("events/s>1.3000001", noisy)).toMatchObject({ ok: false });
    expect(judge("eventsPerSecond<1.2", noisy)).toMatchObject({ ok: false });
  });

  it("uses the ratio and the interval of the comparison of the same treatments", () => {
    const treatments = treatmentsOf(16, {
      jsonb: rate((block) => 100 + block ** 2),
      text: rate((block) => 130 + ((block * 7) % 16) ** 1.7),
    });
    const compared = compareTreatments(treatments, 42).find(
      ({ operation, metric }) => operation === "add" && metric === "eventsPerSecond",
    );
    const { ratio: seen, ciLow, ciHigh, blocks } = compared ?? expect.fail("not compared");
    expect(ciLow).not.toBe(ciHigh);
    expect(judge("events/s>1", treatments)).toMatchObject({ seen, ciLow, ciHigh, blocks });
  });

  it.each([
    ["p(99)<3.1", true],
    ["p(99.9) surely<3.1", true],
    ["avg<2.9", false],
  ])("compares latencies: %s", (condition, ok) => {
    expect(judge(condition, treatmentsOf(5))).toMatchObject({ ok, seen: expect.closeTo(3, 2) as number });
  });

  it("adds up all operations for __all__", () => {
    const treatments = treatmentsOf(5, {
      text: ({ operations }) => {
        const { add, process } = operations;
        Object.assign(add ?? {}, { transactionsPerSecond: 30 });
        Object.assign(process ?? {}, { transactionsPerSecond: 50 });
        operations["__cycle__"] = { ...exampleOperation(10), transactionsPerSecond: 1000 };
      },
    });
    const { transactionsPerSecond } = exampleOperation(10);
    const { seen } = judge("transactions/s>1", treatments, "__all__");
    expect(seen).toBeCloseTo(80 / (2 * transactionsPerSecond), 10);
  });

  it("weights operations by their transactions in the mean of __all__ and leaves rounds out", () => {
    const change =
      (addMean: number, processMean: number): Change =>
      ({ operations }) => {
        const { add, process } = operations;
        Object.assign(add ?? {}, { transactions: 100 });
        Object.assign(process ?? {}, { transactions: 300 });
        Object.assign(add?.responseTimeMs ?? {}, { mean: addMean });
        Object.assign(process?.responseTimeMs ?? {}, { mean: processMean });
        operations["__cycle__"] = exampleOperation(1000);
      };
    const treatments = treatmentsOf(5, { jsonb: change(4, 8), text: change(10, 40) });
    expect(judge("avg>1", treatments, "__all__").seen).toBeCloseTo(32.5 / 7, 10);
  });

  it("adds up tables, indexes and TOAST of sizes, and is not assessed if they were not read", () => {
    const size =
      (tableBytes: number): Change =>
      ({ database }) =>
        Object.assign(database, { tableBytes, indexBytes: 100, toastBytes: 100 });
    const treatments = treatmentsOf(5, { jsonb: size(800), text: size(1000) });
    expect(judge("sizeBytes surely<1.21", treatments, "database")).toMatchObject({
      ok: true,
      seen: expect.closeTo(1.2, 10) as number,
    });
    expect(judge("sizeBytes<1.2", treatmentsOf(5, { jsonb: size(1) }), "database")).toMatchObject({
      ok: null,
      seen: null,
      reason: "no block has a value on both sides",
    });
  });

  it("counts a rate of none as half an event, and states this", () => {
    const stalled = treatmentsOf(5, { text: rate(0) });
    expect(judge("events/s surely<0.01", stalled)).toMatchObject({ ok: true, reason: ZERO_IN_RATIOS_NOTE });
  });
});

describe("a ratio of failures if a trial has none", () => {
  const failing =
    (count: number): Change =>
    ({ operations }) =>
      Object.assign(operations.add ?? {}, { failures: count === 0 ? {} : { "40001": count } });
  const { transactions } = exampleOperation(10);

  it("is the ratio of both rates over all trials, judged by the exact interval", () => {
    const treatments = treatmentsOf(5, { jsonb: failing(10), text: failing(0) });
    const found = judge("failures<0.1", treatments);
    expect(found).toMatchObject({ ok: true, seen: 0, ciLow: 0 });
    expect(found.ciHigh).toBeCloseTo(0.0766, 3);
    const ended = 5 * transactions;
    expect(found.reason).toMatch(
      /^ratio 95 % CI \[0, 0\.0?77?\S*\]: text 0 of \d+ transactions, at most \S+ % with 95 % confidence; jsonb 50 of/,
    );
    expect(found.reason).toContain(`text 0 of ${ended} transactions,`);
    expect(judge("failures surely<0.1", treatments)).toMatchObject({ ok: true });
    expect(judge("failures>0.1", treatments)).toMatchObject({ ok: false });
    expect(judge("failedShare<0.5", treatments)).toMatchObject({ ok: true, seen: 0 });
  });

  it("is not assessed if the interval includes the bound", () => {
    const few = treatmentsOf(5, {
      jsonb: (trial) => failing(trial.block === 0 ? 2 : 0)(trial),
      text: failing(0),
    });
    expect(judge("failures<0.9", few)).toMatchObject({
      ok: null,
      seen: 0,
      reason: expect.stringMatching(/^ratio 95 % CI \[0, \S+\] includes the bound: text 0 of/) as string,
    });
  });

  it("has an interval without an upper end if the other side has no failures", () => {
    const found = judge("failures>2", treatmentsOf(5, { jsonb: failing(0), text: failing(10) }));
    expect(found).toMatchObject({ ok: true, seen: null, ciHigh: null });
    expect(found.ciLow).toBeGreaterThan(2);
    expect(found.reason).toMatch(
      /^ratio 95 % CI \[13\S*, no end\]: text 50 of \d+ transactions, .*; jsonb 0 of/,
    );
  });

  it("is not assessed if both sides have none, and states how many may be missed", () => {
    const neither = treatmentsOf(5, { jsonb: failing(0), text: failing(0) });
    expect(judge("failures<2", neither)).toMatchObject({
      ok: null,
      seen: null,
      reason: expect.stringMatching(
        /^0 on both sides in every trial: text 0 of \d+ transactions, at most/,
      ) as string,
    });
  });

  it("is the median over blocks if every trial has some", () => {
    expect(judge("failures<0.5", treatmentsOf(5, { jsonb: failing(10), text: failing(2) }))).toMatchObject({
      ok: true,
      blocks: 5,
      seen: expect.closeTo(0.2, 10) as number,
    });
  });
});

describe('a ratio threshold with "surely"', () => {
  const spread = (low: number): TreatmentResult[] =>
    treatmentsOf(6, { jsonb: rate(100), text: rate((block) => 100 * (low + 0.1 * block)) });

  it("needs the whole interval on the required side of the bound", () => {
    const { ciLow, ciHigh, seen } = judge("events/s>1", spread(1.1));
    const [low, high, middle] = [ciLow ?? 0, ciHigh ?? 0, seen ?? 0];
    expect(low).toBeLessThan(middle);
    expect(judge(`events/s surely>${(low - 0.001).toFixed(4)}`, spread(1.1))).toMatchObject({ ok: true });
    const failed = judge(`events/s surely>${(low + 0.001).toFixed(4)}`, spread(1.1));
    expect(failed).toMatchObject({ ok: false });
    expect(failed.reason).toMatch(/^95 % interval \[[\d.]+, [\d.]+\] is not beyond the bound$/);
    expect(judge(`events/s surely<${(high + 0.001).toFixed(4)}`, spread(1.1))).toMatchObject({ ok: true });
    expect(judge(`events/s surely<${(high - 0.001).toFixed(4)}`, spread(1.1))).toMatchObject({ ok: false });
  });

  it("is not assessed with too few blocks, and states this", () => {
    const few = treatmentsOf(4, { jsonb: rate(100), text: rate(900) });
    expect(judge("events/s>1.2", few)).toMatchObject({ ok: true, blocks: 4, ciLow: null });
    expect(judge("events/s surely>1.2", few)).toMatchObject({
      ok: null,
      reason: "4 blocks, surely needs 5",
    });
  });
});

describe("a ratio threshold with abortOnFail", () => {
  const failureOf = (condition: string, treatments: TreatmentResult[], blocksMax = 30) => {
    const thresholds = ratios(condition, "add", true);
    return decidedFailure(thresholds, record(thresholds, treatments), blocksMax);
  };
  /** Blocks in which the rate of text is `middle` times that of jsonb, plus or minus up to a fifth. */
  const blocksAround = (middle: number, blocks: number): TreatmentResult[] =>
    treatmentsOf(blocks, {
      jsonb: rate(100),
      text: rate((block) => 100 * middle * (1 + 0.2 * Math.sin(2 * block))),
    });

  it("fails from the fifth block on, once its whole interval lies beyond the bound", () => {
    expect(failureOf("events/s>1.5", blocksAround(1, 5))).toMatchObject({
      treatment: "text",
      against: "jsonb",
      ok: false,
      blocks: 5,
    });
    expect(failureOf("events/s>1.5", blocksAround(1, 4))).toBeUndefined();
    expect(failureOf("events/s surely<0.5", blocksAround(1, 8))).toMatchObject({ ok: false, blocks: 8 });
  });

  it("does not fail while it holds, or while its interval includes the bound", () => {
    expect(failureOf("events/s>0.5", blocksAround(1, 20))).toBeUndefined();
    const { ciLow, ciHigh } = judge("events/s>1", blocksAround(1, 20));
    const inside = ((ciLow ?? 0) + (ciHigh ?? 0) * 2) / 3;
    expect(judge(`events/s>${inside}`, blocksAround(1, 20))).toMatchObject({ ok: false });
    expect(failureOf(`events/s>${inside}`, blocksAround(1, 20))).toBeUndefined();
    expect(failureOf("events/s surely>0.99", blocksAround(1, 20))).toBeUndefined();
  });

  it("has a wider interval during the run than at its end, because each block is a look", () => {
    const treatments = blocksAround(1, 12);
    const { ciHigh } = judge("events/s>1", treatments);
    const bound = (ciHigh ?? 0) + 0.0001;
    expect(judge(`events/s>${bound}`, treatments)).toMatchObject({ ok: false });
    expect(failureOf(`events/s>${bound}`, treatments)).toBeUndefined();
    const late = failureOf(`events/s>${bound + 0.2}`, treatments);
    expect(late?.ciHigh).toBeGreaterThan(ciHigh ?? 0);
  });

  it("does not stop a run whose trials have no valid timings", () => {
    const invalid = blocksAround(1, 8);
    for (const { trials } of invalid)
      for (const trial of trials)
        trial.diagnosis = [{ check: "steal", invalidates: ["timings"], seen: 1, bound: 0, words: "stolen" }];
    expect(failureOf("events/s>1.5", invalid)).toBeUndefined();
  });
});

describe("a ratio threshold without common blocks", () => {
  it("is not assessed if trials of a pair share no block or are not complete", () => {
    const apart = treatmentsOf(3, { text: (trial) => Object.assign(trial, { block: trial.block + 10 }) });
    expect(judge("events/s>0", apart)).toMatchObject({
      ok: null,
      reason: "no block has a value on both sides",
    });
    const broken = treatmentsOf(3, { text: (trial) => Object.assign(trial, { status: "partial" }) });
    expect(judge("events/s>0", broken)).toMatchObject({ ok: null, seen: null });
  });

  it("is not assessed in a capacity search", () => {
    expect(evaluateRatios(ratios("events/s>0"), undefined)).toEqual([
      expect.objectContaining({ ok: null, seen: null, reason: "the trials of a search share no blocks" }),
    ]);
  });
});

it("thresholds on the database know only fields that a result has", () => {
  const { perEvent, ...fields } = DatabaseEvidence.shape;
  const names = ["sizeBytes", ...Object.keys(fields)];
  expect(DATABASE_AGGREGATES.filter((name) => !names.includes(name))).toEqual([]);
  expect(PER_EVENT_AGGREGATES.filter((name) => !(name in perEvent.unwrap().shape))).toEqual([]);
});
