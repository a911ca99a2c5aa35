// Thresholds on trials whose timings or counts are not valid: each is judged by the aspects that it rests on.
import { describe, expect, it } from "vitest";
import { EXAMPLE_INTEGRITY, exampleOperation, exampleResult } from "../../../test/support/example-result.js";
import { HistogramSet } from "../../metrics/histograms.js";
import { renderSummary } from "../../report/terminal/summary.js";
import type { Threshold } from "../../scenario/judgement.js";
import { parseThreshold } from "../../scenario/thresholds.js";
import type { InvalidTrials } from "../diagnosis/validity.js";
import { assess, brokenThreshold, evaluateThresholds, type ThresholdInputs } from "./thresholds.js";

function threshold(metric: string, condition: string, abortOnFail = false): Threshold {
  const parsed = parseThreshold(metric, { threshold: condition, abortOnFail, delayAbortEvalMs: 0 });
  if ("message" in parsed) throw new Error(parsed.message);
  return parsed.value;
}

const VALID: InvalidTrials = { counts: [], timings: [] };
const JUDGED = { id: "text", levels: {}, completeTrials: 5, plannedTrials: 5 };
const histograms = new HistogramSet();
for (let ms = 1; ms <= 100; ms++) histograms.at("add.response").recordValue(ms * 1000);
histograms.at("lifecycle.completed").recordValue(7000);
const MEASURED: ThresholdInputs = {
  operations: { add: { ...exampleOperation(10), offered: 300, dropped: 0 } },
  histograms,
  audits: [EXAMPLE_INTEGRITY],
  invalid: VALID,
};

describe("a threshold on trials with invalid timings or counts", () => {
  const databases = [
    { walBytes: 5, serverCpuSeconds: 2, perEvent: { events: 9, walBytes: 1, serverCpuMs: 1 } },
  ];
  const timings = "timings of trials 3, 5 are not valid";
  const counts = "counts of trial 4 are not valid";
  it.each<[string, string, string | undefined, string | undefined]>([
    ["add", "p(90)<500", timings, undefined],
    ["add", "avg<500", timings, undefined],
    ["add.response", "max<500", timings, undefined],
    ["lifecycle.completed", "avg<500", timings, undefined],
    ["database", "serverCpuSeconds<5", timings, undefined],
    ["database.perEvent", "serverCpuMs<5", timings, undefined],
    ["add", "rate>1", timings, counts],
    ["add", "eventsPerSecond>1", timings, counts],
    ["__all__", "eventsPerSecond>1", timings, counts],
    ["add", "count>1", undefined, counts],
    ["add", "failures<1", undefined, counts],
    ["add", "failedShare<1", undefined, counts],
    ["add", "retries<9", undefined, counts],
    ["add", "dropped==0", undefined, counts],
    ["database", "walBytes<9", undefined, counts],
    ["database.perEvent", "walBytes<9", undefined, counts],
    ["integrity", "violations==0", undefined, undefined],
    ["verdict", "invalidTimings==0", undefined, undefined],
  ])(
    "%s %s is not assessed exactly if the aspect that it uses is not valid",
    (metric, condition, ofTimings, ofCounts) => {
      const reasonOf = (invalid: InvalidTrials) => {
        const all = { ...MEASURED, databases, invalid };
        const { ok, reason } = assess(threshold(metric, condition), all) ?? {};
        expect(ok === null, reason).toBe(reason !== undefined);
        return reason;
      };
      expect(reasonOf({ counts: [], timings: [3, 5] })).toBe(ofTimings);
      expect(reasonOf({ counts: [4], timings: [] })).toBe(ofCounts);
    },
  );

  it("does not end the experiment if it is on timings", () => {
    const late = threshold("add", "max<5", true);
    const all = { ...MEASURED, invalid: { counts: [], timings: [1] } };
    expect(brokenThreshold([late], all, 9e9)).toBeUndefined();
    expect(brokenThreshold([late], { ...all, invalid: VALID }, 9e9)).toBeDefined();
  });

  it("is not assessed at the end, is marked apart from a failed one, and keeps its seen value", () => {
    const treatments = [{ ...JUDGED, measured: { ...MEASURED, invalid: { counts: [], timings: [3, 5] } } }];
    const written = [threshold("add", "p(90)<500"), threshold("add", "count<300")];
    const thresholds = evaluateThresholds(written, treatments);
    expect(thresholds).toMatchObject([{ ok: null, reason: timings }, { ok: false }]);
    expect(thresholds[0]?.seen).toBeCloseTo(90, 0);
    const text = renderSummary({ ...exampleResult(), thresholds }, { directory: "x" });
    expect(text).toMatch(/^Thresholds: 1 of 2 FAILED, 1 not assessed\.\n/);
    expect(text.replace(/\s+/g, " ")).toMatch(
      /add p\(90\)<500 of text: 90\S*, not assessed \(timings of trials 3, 5 /,
    );
    expect(text).toMatch(/^\? {2}add p\(90\)<500 .* timings of trials 3, 5 are not valid$/m);
  });
});
