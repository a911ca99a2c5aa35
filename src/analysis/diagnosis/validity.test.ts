// Findings in the result, in the verdict's sentences and in the summary, and the aspects of a trial that they leave valid.
import { describe, expect, it } from "vitest";
import { EXAMPLE_BOUNDS, EXAMPLE_INTEGRITY, exampleResult } from "../../../test/support/example-result.js";
import { renderSummary } from "../../report/terminal/summary.js";
import type { Finding } from "../../results/result-schema.js";
import { diagnose, diagnosisEntries, findingsOf, reasonsOf, warningsOf } from "./diagnose.js";
import { invalidTrials, objectionTo } from "./validity.js";

describe("findings on trials", () => {
  function disturbedResult() {
    const result = exampleResult(3);
    const trials = result.treatments[0]?.trials ?? [];
    trials.forEach((trial, i) => {
      const client = { cpuSeconds: 3, eventLoopDelayP99Ms: [80, 120, 10][i] ?? 0 };
      trial.diagnosis = diagnose({ trial: { ...trial, client }, bounds: EXAMPLE_BOUNDS });
    });
    return result;
  }

  it("stand in the result with trial and treatment", () => {
    const entries = diagnosisEntries(disturbedResult().treatments);
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({
      kind: "finding",
      trial: 1,
      treatment: "jsonb",
      check: "event-loop-delay",
      invalidates: ["timings"],
      seen: 80,
      bound: 50,
    });
  });

  it("include as one caveat what could not be assessed", () => {
    const { treatments } = exampleResult(2);
    for (const trial of treatments[0]?.trials ?? [])
      trial.notAssessed = [{ what: "sessions", reason: "no right" }];
    const words = "not assessed: sessions: no right";
    expect(diagnosisEntries(treatments)).toEqual([{ kind: "lint", rule: "not-assessed", words }]);
  });

  it("include skipped evidence once for each reason, unless part of it was read or it is listed already", () => {
    const { treatments } = exampleResult(2);
    const version = "not in version 15 of the server";
    for (const trial of treatments.flatMap(({ trials }) => trials)) {
      trial.notAssessed = [{ what: "sessions", reason: "no right" }];
      trial.database.skipped = [
        { source: "pg_stat_statements", reason: "must be loaded via shared_preload_libraries" },
        { source: "pg_stat_io", reason: version },
        { source: "pg_stat_checkpointer", reason: version },
        { source: "pg_stat_activity (other sessions)", reason: "no right" },
        { source: "queue depth", reason: "not read in 3 samples: timeout", isPartial: true },
      ];
    }
    const lints = diagnosisEntries(treatments).filter(({ rule }) => rule === "evidence-skipped");
    expect(lints.map(({ words }) => words)).toEqual([
      "evidence skipped: pg_stat_statements: must be loaded via shared_preload_libraries",
      `evidence skipped: pg_stat_io, pg_stat_checkpointer: ${version}`,
    ]);
  });

  it("give each reason once, for the worst trial, with the numbers of the others", () => {
    const reasons = reasonsOf(findingsOf(disturbedResult().treatments)).map(({ words }) => words);
    expect(reasons).toEqual([
      expect.stringMatching(/^trial 3 \(jsonb\): .* was 120 ms late .*\(also in trial 1\)$/),
    ]);
  });

  it("are listed as warnings if they invalidate nothing, apart from invalidating ones of the same check", () => {
    const { treatments } = disturbedResult();
    const loud: Finding = {
      check: "stall",
      invalidates: ["timings"],
      seen: 0.3,
      bound: 0.25,
      words: "stood still",
    };
    const quiet: Finding = { ...loud, invalidates: [], seen: 0.1, bound: 0 };
    treatments[1]?.trials.forEach((trial, i) => (trial.diagnosis = [i === 0 ? loud : quiet]));
    expect(reasonsOf(findingsOf(treatments)).slice(1)).toEqual([
      { invalidates: ["timings"], words: "trial 2 (text): stood still" },
      { invalidates: [], words: "trial 4 (text): stood still (also in trial 6)" },
    ]);
    expect(warningsOf(treatments)).toEqual(["trial 4 (text): stood still (also in trial 6)"]);
  });

  it("list trials by invalid counts and invalid timings, with counts invalid also by an audit's violation", () => {
    const { treatments } = disturbedResult();
    const [trial] = treatments[1]?.trials ?? [];
    Object.assign(trial ?? {}, {
      integrity: { ...EXAMPLE_INTEGRITY, verdict: "violated", violations: ["3 events are in no table"] },
    });
    const all = treatments.flatMap(({ trials }) => trials);
    expect(invalidTrials(all)).toEqual({ counts: [2], timings: [1, 3] });
    expect(objectionTo(["counts", "timings"], invalidTrials(all))).toBe(
      "counts of trial 2 are not valid; timings of trials 1, 3 are not valid",
    );
    expect(objectionTo(["timings"], { counts: [2], timings: [] })).toBeUndefined();
    const partial = all.map((each) => ({ ...each, status: "partial" as const }));
    expect(invalidTrials(partial)).toEqual({ counts: [], timings: [] });
  });

  it("appear in the summary with steadiness of the window and the generator's ceiling", () => {
    const result = disturbedResult();
    const [treatment] = result.treatments;
    if (!treatment) throw new Error("the example has treatments");
    treatment.ceiling = { clients: 8, transactionsPerSecond: 4000 };
    treatment.trials.forEach((trial, i) => {
      trial.steadyState =
        i === 0 ? { isSteady: false, reason: "add events/s drifts" } : { isSteady: true, reason: "" };
    });
    const text = renderSummary(result, { directory: "x" }).replaceAll("\n", " ");
    expect(text).toContain("timings not valid: trial 3 (jsonb): the event loop");
    expect(text).toContain("no steady state in trial 1: add events/s drifts");
    expect(text).toContain("ceiling: the same 8 clients make 4000 transactions/s of `select 1`");
    expect(text).toContain("at most 0.5 % of that");
    treatment.ceiling = { clients: 1, transactionsPerSecond: 400 };
    expect(renderSummary(result, { directory: "x" })).toContain("the same 1 client makes 400 transactions/s");
  });
});
