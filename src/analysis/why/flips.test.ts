// A flip is a caveat with its trials, plans and times. Plan differences between treatments are only listed. A difference
// names only flips that coincide with it.
import { describe, expect, it } from "vitest";
import { exampleLatency, exampleResult } from "../../../test/support/example-result.js";
import { becauseOf, PROCESS_MEAN, PROCESS_RATE } from "../../../test/support/moving-evidence.js";
import { digest } from "../../foundation/digest.js";
import type { ResultDocument, ScanCount, TrialResult } from "../../results/result-schema.js";
import { flipSentences, type FlipSentences } from "../../report/findings/caveats.js";
import { planRows } from "./plans.js";

const STATEMENT = "process.claim";
const WALK = "Index Scan status_workable_idx > LockRows > Limit";
const SORT = "Seq Scan event_status > Sort > LockRows > Limit";

const NONE = { costly: [], idle: undefined };
const [joined, turned] = ["(Seq Scan a, Seq Scan b) > Hash Join", "(Seq Scan b, Seq Scan a) > Hash Join"];

function plan(trial: TrialResult, planned: string): void {
  trial.plans = [{ statement: STATEMENT, hash: digest(planned), plan: planned }];
}

/** Makes transactions of `process` take this long. */
function slowTrial(trial: TrialResult, meanMs = 60): void {
  Object.assign(trial.operations.process ?? {}, { responseTimeMs: exampleLatency(meanMs) });
}

/** Trials with the given plans; the claim is as slow as its plan. */
function resultWithPlans(planOf: (treatment: string, block: number) => string, sortMs = 5.2): ResultDocument {
  const result = exampleResult(5, 1);
  for (const { id, trials } of result.treatments)
    for (const trial of trials) {
      plan(trial, planOf(id, trial.block));
      const meanMs = planOf(id, trial.block) === SORT ? sortMs : 2.1;
      Object.assign(trial.operations.process ?? {}, { parts: [{ name: STATEMENT, meanMs, calls: 1 }] });
    }
  return result;
}

describe("plans of a statement", () => {
  it("are one row if every trial has the same plan", () => {
    const result = resultWithPlans(() => WALK);
    expect(flipSentences(result.treatments)).toEqual(NONE);
    expect(planRows(result)).toEqual([
      { statement: STATEMENT, plan: WALK, hash: digest(WALK), where: "all trials" },
    ]);
  });

  it("are listed without a flip if they differ between treatments only", () => {
    const result = resultWithPlans((treatment) => (treatment === "text" ? SORT : WALK));
    expect(flipSentences(result.treatments)).toEqual(NONE);
    expect(planRows(result).map(({ plan: line, where }) => [line, where])).toEqual([
      [WALK, "jsonb"],
      [SORT, "text"],
    ]);
  });

  it("are a flip if they differ between trials of one treatment, with trials, difference and times", () => {
    const result = resultWithPlans((treatment, block) => (treatment === "text" && block > 2 ? SORT : WALK));
    expect(flipSentences(result.treatments).costly).toEqual([
      "Plan flip: process.claim of text: Index Scan status_workable_idx in trials 2, 4, 6 (2.1 ms); " +
        "Seq Scan event_status, Sort in trials 8, 10 (5.2 ms). Find out why before using this treatment's median.",
    ]);
    expect(planRows(result).map(({ where }) => where)).toEqual([
      "jsonb, text (trials 2, 4, 6)",
      "text (trials 8, 10)",
    ]);
  });

  it.each([
    ["and the times are equal", 2.3],
    ["and changes a transaction by less than a tenth", 2.1 + 1.9],
  ])("are listed in one sentence if the plan flips %s", (_, sortMs) => {
    const result = resultWithPlans((_, block) => (block === 0 ? SORT : WALK), sortMs);
    expect(flipSentences(result.treatments)).toEqual({
      costly: [],
      idle: "Plan flips that changed a transaction by less than 10 % of its time: process.claim of jsonb, text.",
    });
  });

  it("are a flip without cost if a trial with the slow plan was fast", () => {
    const result = resultWithPlans((_, block) => (block < 2 ? SORT : WALK));
    const [first] = result.treatments[0]?.trials ?? [];
    Object.assign(first?.operations.process ?? {}, { parts: [{ name: STATEMENT, meanMs: 2, calls: 1 }] });
    const { costly, idle } = flipSentences(result.treatments);
    expect(costly).toEqual([expect.stringContaining("of text: ")]);
    expect(idle).toContain("process.claim of jsonb.");
  });

  it("are shown completely if only the order of steps differs, without a time if none was measured", () => {
    const result = exampleResult(3, 1);
    for (const trial of result.treatments[0]?.trials ?? []) {
      plan(trial, trial.block === 1 ? turned : joined);
      if (trial.block === 1) slowTrial(trial);
    }
    expect(flipSentences(result.treatments).costly).toEqual([
      expect.stringContaining(`${joined} in trials 1, 5; ${turned} in trial 3. Find`),
    ]);
  });

  it("are a flip with a caveat if no trial was timed", () => {
    const result = resultWithPlans((_, block) => (block === 0 ? SORT : WALK));
    for (const trial of result.treatments[1]?.trials ?? []) trial.operations = {};
    expect(flipSentences(result.treatments).costly[1]).toContain("in trial 2. Find out why");
  });

  it("are compared in complete trials only, and absent in results without plans", () => {
    const result = resultWithPlans((treatment, block) => (treatment === "text" && block === 2 ? SORT : WALK));
    Object.assign(result.treatments[1]?.trials[2] ?? {}, { status: "partial", reason: "stopped by SIGINT" });
    expect(flipSentences(result.treatments)).toEqual(NONE);
    expect(flipSentences(exampleResult(5).treatments)).toEqual(NONE);
    expect(planRows(exampleResult(5))).toEqual([]);
  });
});

/** Reasons if these trials of text have the sort, with times of these and the other trials, and of the statement. */
function because(
  sorted: readonly number[],
  compared = PROCESS_MEAN,
  slow = 60,
  isWorse = true,
  sortMs = slow / 2,
) {
  return becauseOf(
    compared,
    (trial, isText, block) => {
      const isSorted = isText && sorted.includes(block);
      plan(trial, isSorted ? SORT : WALK);
      Object.assign(trial.operations.process ?? {}, {
        parts: [{ name: STATEMENT, meanMs: isSorted ? sortMs : 10, calls: 1 }],
        ...(isSorted && { responseTimeMs: exampleLatency(slow), eventsPerSecond: 200 }),
      });
    },
    { isWorse },
  );
}

describe("a flip as a reason of a difference", () => {
  it("is stated if trials with the plan differ from trials without the plan", () => {
    expect(because([1, 3, 4])).toEqual([
      "text planned process.claim as Seq Scan event_status, Sort in trials 4, 8, 10: " +
        "process mean 60 ms against 22 ms",
    ]);
    expect(because([4], PROCESS_RATE)).toEqual([
      "text planned process.claim as Seq Scan event_status, Sort in trial 10: " +
        "process did 200 events/s against 500 events/s",
    ]);
  });

  it("is not stated if these trials do not differ, differ little or in the other direction", () => {
    expect(because([1, 3], PROCESS_MEAN, 25)).toEqual([]);
    expect(because([0, 4], PROCESS_MEAN, 28)).toEqual([]);
    expect(because([1, 3], PROCESS_MEAN, 60, false)).toEqual([]);
  });

  it("is not stated if the statement itself took as long", () => {
    expect(because([1, 3, 4], PROCESS_MEAN, 60, true, 10.5)).toEqual([]);
  });

  it("names the plan that the faster side has more often", () => {
    expect(because([1, 3, 4], PROCESS_MEAN, 5, false)).toEqual([
      "text planned process.claim as Seq Scan event_status, Sort in trials 4, 8, 10: process mean 5 ms against 22 ms",
    ]);
  });

  it("is not stated if every trial of the treatment has the plan, or for another operation", () => {
    const flips = because([0, 1, 2, 3, 4]).filter((text) => text.includes("planned"));
    expect(flips).toEqual([]);
    expect(because([1, 3, 4], { operation: "add", metric: "mean" })).toEqual([]);
  });
});

const index = (name: string, scans: number): ScanCount => ({ name, kind: "index", scans });
const table = (name: string, scans: number): ScanCount => ({ name, kind: "table", scans });
/** Transactions that each of the example's trials tries. */
const ATTEMPTS = 600;

/** Sentences if each trial of jsonb has these scans; trials of the block `slow` are slower. */
function flipsOfScans(scansOf: (block: number) => ScanCount[], windowSeconds = 30, slow = 0): FlipSentences {
  const result = exampleResult(4, 1);
  const sampling = { samples: 5, missed: 0, meanMs: 1 };
  for (const trial of result.treatments[0]?.trials ?? []) {
    Object.assign(trial, { windowSeconds });
    if (trial.block === slow) slowTrial(trial);
    Object.assign(trial.database, { scans: scansOf(trial.block), sampling });
  }
  return flipSentences(result.treatments);
}

describe("scans of tables and indexes", () => {
  it("are a flip if some trials read an object that others did not, with the one read in its place", () => {
    expect(
      flipsOfScans(
        (block) => [index("pkey", 5000), block === 2 ? table("items", 600) : index("kind", ATTEMPTS)],
        30,
        2,
      ).costly,
    ).toEqual([
      "Plan flip: jsonb read kind in trials 1, 3, 7; items from end to end in trial 5. " +
        "Find out why before using this treatment's median.",
    ]);
    expect(flipsOfScans((block) => (block === 0 ? [] : [index("kind", ATTEMPTS)])).costly[0]).toContain(
      "kind in trials 3, 5, 7; none of these in trial 1.",
    );
  });

  it("are no flip if only their number differs, if they are few or may have come after the window", () => {
    expect(flipsOfScans((block) => (block === 0 ? [] : [index("kind", ATTEMPTS)]), 1.5)).toEqual(NONE);
    expect(flipsOfScans((block) => [index("kind", ATTEMPTS / (1 + block))])).toEqual(NONE);
    expect(flipsOfScans((block) => (block === 0 ? [] : [index("kind", 100)]))).toEqual(NONE);
    expect(flipsOfScans((block) => [index("kind", block === 0 ? 30 : ATTEMPTS)]).costly).toHaveLength(1);
    expect(flipsOfScans((block) => [index("kind", block === 1 ? 30 : ATTEMPTS)], 30, 9)).toEqual({
      costly: [],
      idle: "Plan flips that changed a transaction by less than 10 % of its time: scans of jsonb.",
    });
  });

  it("are stated as a reason of a difference that they coincide with", () => {
    const read = (isText: boolean, block: number): ScanCount =>
      isText && block > 2 ? table("items", ATTEMPTS) : index("kind", ATTEMPTS);
    const sentences = becauseOf(PROCESS_MEAN, (trial, isText, block) => {
      trial.database.scans = [read(isText, block)];
      if (isText && block > 2) slowTrial(trial);
    });
    expect(sentences).toEqual([
      "text read items from end to end in trials 8, 10: process mean 60 ms against 22 ms",
    ]);
  });
});
