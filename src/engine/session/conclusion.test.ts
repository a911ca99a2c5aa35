// Verdict and exit code by precedence: integrity, what ended the experiment, thresholds; a taint alone is told, not punished.
import { describe, expect, it } from "vitest";
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

function tainted(): Facts["treatments"] {
  const { treatments } = exampleResult();
  const trial = treatments[0]?.trials[0];
  if (trial) {
    trial.diagnosis = [{ check: "steal", severity: "taint", seen: 0.4, bound: 0.05, words: "stolen" }];
  }
  return treatments;
}

describe("the exit code", () => {
  it.each<[string, Partial<Facts>, number]>([
    ["all is well", {}, 0],
    ["a trial is tainted", { treatments: tainted() }, 0],
    ["a threshold failed", { thresholds: [failedThreshold] }, 99],
    ["a search found no rate", { capacity: [{ outcome: "found" }, { outcome: "none" }] }, 99],
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
  it("is tainted by a finding, with the trial and the reason", () => {
    expect(verdictOf(facts({ treatments: tainted() }))).toEqual({
      status: "tainted",
      reasons: ["trial 1 (jsonb): stolen"],
    });
  });

  it("is aborted first, and keeps the taints among its reasons", () => {
    const verdict = verdictOf(
      facts({ stopReason: abort.message, abortedBy: abort, treatments: tainted(), completeTrials: 2 }),
    );
    expect(verdict).toEqual({
      status: "aborted",
      reasons: ["aborted by a threshold after 2 of 6 trials", "trial 1 (jsonb): stolen"],
    });
  });

  it("is not changed by a failed threshold, which is no doubt about the numbers", () => {
    expect(verdictOf(facts({ thresholds: [failedThreshold] }))).toEqual({ status: "ok", reasons: [] });
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
