import { describe, expect, it } from "vitest";
import { verdictText } from "../../analysis/diagnosis/validity.js";
import type { Aspect } from "../../metrics/catalogue.js";
import { ExitCode, TargetError, TrainSimError } from "../../foundation/errors.js";
import { exampleResult } from "../../../test/support/example-result.js";
import { exitCodeOf, verdictOf, type Facts } from "./conclusion.js";
import { Interruption } from "./interruption.js";

const failedThreshold = { metric: "add", expression: "max<1", treatment: "text", seen: 2, ok: false };
const abort = new TrainSimError("aborted by a threshold", ExitCode.abortedByThreshold);

function facts(changes: Partial<Facts> = {}): Facts {
  return {
    treatments: exampleResult().treatments,
    violations: [],
    thresholds: [{ ...failedThreshold, ok: true }],
    failure: undefined,
    stopReason: undefined,
    abortedBy: undefined,
    completeTrials: 6,
    plannedTrials: 6,
    ...changes,
  };
}

function disturbedTreatments(...invalidates: Aspect[]): Facts["treatments"] {
  const { treatments } = exampleResult();
  const trial = treatments[0]?.trials[0];
  if (trial) trial.diagnosis = [{ check: "steal", invalidates, seen: 0.4, bound: 0.05, words: "stolen" }];
  return treatments;
}

const VALID = { isValid: true, reasons: [] };
const STOLEN = { isValid: false, reasons: ["trial 1 (jsonb): stolen"] };

describe("the exit code", () => {
  it.each<[string, Partial<Facts>, number]>([
    ["all trials are complete and thresholds hold", {}, 0],
    ["timings of a trial are not valid", { treatments: disturbedTreatments("timings") }, 0],
    ["a threshold failed", { thresholds: [failedThreshold] }, 99],
    ["a threshold was not assessed", { thresholds: [{ ...failedThreshold, ok: null }] }, 99],
    ["a search found no rate", { capacity: [{ outcome: "found" }, { outcome: "none" }] }, 99],
    ["probes contradict each other", { capacity: [{ outcome: "found" }, { outcome: "inconclusive" }] }, 99],
    ["a search found rates", { capacity: [{ outcome: "found" }, { outcome: "at-least" }] }, 0],
    [
      "a signal stopped the run, also if a threshold failed",
      { stopReason: "stopped by SIGINT", completeTrials: 5, thresholds: [failedThreshold] },
      105,
    ],
    ["a signal arrived after all trials", { stopReason: "stopped by SIGINT" }, 0],
    [
      "a threshold aborted the run",
      { stopReason: abort.message, abortedBy: abort, thresholds: [failedThreshold] },
      108,
    ],
    ["the target was lost", { failure: new TargetError("gone"), thresholds: [failedThreshold] }, 111],
    [
      "events were lost, also if the run was aborted",
      { violations: ["lost"], stopReason: abort.message, abortedBy: abort },
      110,
    ],
  ])("follows from the outcome that %s", (_, changes, expected) => {
    expect(exitCodeOf(facts(changes))).toBe(expected);
  });
});

describe("the verdict", () => {
  it.each<[Aspect[], string]>([
    [["timings"], "counts valid, timings not valid"],
    [["counts"], "counts not valid, timings valid"],
    [["counts", "timings"], "counts not valid, timings not valid"],
    [[], "ok"],
  ])("states which aspect %j of a finding invalidates, with trial and reason", (aspects, words) => {
    const verdict = verdictOf(facts({ treatments: disturbedTreatments(...aspects) }));
    expect(verdict).toEqual({
      status: "complete",
      reasons: [],
      counts: aspects.includes("counts") ? STOLEN : VALID,
      timings: aspects.includes("timings") ? STOLEN : VALID,
    });
    expect(verdictText(verdict)).toBe(words);
  });

  it("states that an integrity violation invalidates counts", () => {
    const violations = ["trial 2 (text): 3 events are in no table"];
    expect(verdictOf(facts({ violations }))).toMatchObject({
      counts: { isValid: false, reasons: violations },
      timings: VALID,
    });
  });

  it("states the reason of an abort apart from invalid aspects", () => {
    const treatments = disturbedTreatments("timings");
    const stopped = { stopReason: abort.message, abortedBy: abort, completeTrials: 2 };
    const verdict = verdictOf(facts({ ...stopped, treatments }));
    expect(verdict).toEqual({
      status: "aborted",
      reasons: ["aborted by a threshold after 2 of 6 trials"],
      counts: VALID,
      timings: STOLEN,
    });
    expect(verdictText(verdict)).toBe("aborted, counts valid, timings not valid");
  });

  it("is ok despite a failed threshold", () => {
    expect(verdictText(verdictOf(facts({ thresholds: [failedThreshold] })))).toBe("ok");
  });
});

describe("an interruption", () => {
  it("keeps its first reason", () => {
    const first = new Interruption();
    first.abort(abort);
    first.request("SIGINT");
    expect([first.isRequested(), first.reason, first.abortedBy]).toEqual([
      true,
      "aborted by a threshold",
      abort,
    ]);
    const second = new Interruption();
    second.request("SIGINT");
    second.abort(abort);
    expect([second.isRequested(), second.reason, second.abortedBy]).toEqual([
      true,
      "stopped by SIGINT",
      undefined,
    ]);
  });

  it("ends a sleep", async () => {
    const interruption = new Interruption();
    const slept = interruption.sleep(1e6);
    interruption.abort(abort);
    await slept;
    expect(interruption.isRequested()).toBe(true);
  });
});
