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

function disturbed(...invalidates: Aspect[]): Facts["treatments"] {
  const { treatments } = exampleResult();
  const trial = treatments[0]?.trials[0];
  if (trial) trial.diagnosis = [{ check: "steal", invalidates, seen: 0.4, bound: 0.05, words: "stolen" }];
  return treatments;
}

const VALID = { isValid: true, reasons: [] };
const STOLEN = { isValid: false, reasons: ["trial 1 (jsonb): stolen"] };

describe("the exit code", () => {
  it.each<[string, Partial<Facts>, number]>([
    ["all is well", {}, 0],
    ["timings of a trial are not valid", { treatments: disturbed("timings") }, 0],
    ["a threshold failed", { thresholds: [failedThreshold] }, 99],
    ["a threshold was not judged", { thresholds: [{ ...failedThreshold, ok: null }] }, 99],
    ["a search found no rate", { capacity: [{ outcome: "found" }, { outcome: "none" }] }, 99],
    ["probes contradict each other", { capacity: [{ outcome: "found" }, { outcome: "inconclusive" }] }, 99],
    ["a search found rates", { capacity: [{ outcome: "found" }, { outcome: "at-least" }] }, 0],
    [
      "a signal came, thresholds or not",
      { stopReason: "stopped by SIGINT", completeTrials: 5, thresholds: [failedThreshold] },
      105,
    ],
    ["a signal came when all trials were complete", { stopReason: "stopped by SIGINT" }, 0],
    [
      "a threshold aborted",
      { stopReason: abort.message, abortedBy: abort, thresholds: [failedThreshold] },
      108,
    ],
    ["the target went away", { failure: new TargetError("gone"), thresholds: [failedThreshold] }, 111],
    [
      "events were lost, whatever else",
      { violations: ["lost"], stopReason: abort.message, abortedBy: abort },
      110,
    ],
  ])("when %s", (_, changes, expected) => {
    expect(exitCodeOf(facts(changes))).toBe(expected);
  });
});

describe("the verdict", () => {
  it.each<[Aspect[], string]>([
    [["timings"], "counts valid, timings not valid"],
    [["counts"], "counts not valid, timings valid"],
    [["counts", "timings"], "counts not valid, timings not valid"],
    [[], "ok"],
  ])("keeps what a finding does not invalidate, and states trial and reason: %j", (aspects, words) => {
    const verdict = verdictOf(facts({ treatments: disturbed(...aspects) }));
    expect(verdict).toEqual({
      status: "complete",
      reasons: [],
      counts: aspects.includes("counts") ? STOLEN : VALID,
      timings: aspects.includes("timings") ? STOLEN : VALID,
    });
    expect(verdictText(verdict)).toBe(words);
  });

  it("says of a violation of integrity that counts are not valid", () => {
    const violations = ["trial 2 (text): 3 events are in no table"];
    expect(verdictOf(facts({ violations }))).toMatchObject({
      counts: { isValid: false, reasons: violations },
      timings: VALID,
    });
  });

  it("states why it was aborted apart from what is not valid", () => {
    const treatments = disturbed("timings");
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

  it("is not changed by a failed threshold, which is no doubt about the numbers", () => {
    expect(verdictText(verdictOf(facts({ thresholds: [failedThreshold] })))).toBe("ok");
  });
});

describe("a wish to stop", () => {
  it("has one reason, the first", () => {
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

  it("wakes whoever sleeps", async () => {
    const interruption = new Interruption();
    const slept = interruption.sleep(1e6);
    interruption.abort(abort);
    await slept;
    expect(interruption.isRequested()).toBe(true);
  });
});
