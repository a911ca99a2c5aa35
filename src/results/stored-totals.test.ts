// Totals read from a finished trial's files merge with other trials like the totals of the trial itself.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PartNames, PartTimes } from "../metrics/part-times.js";
import { Recorder } from "../metrics/recorder.js";
import { Tally } from "../metrics/tally.js";
import { Totals } from "../metrics/totals.js";
import { watchedRun } from "../../test/support/example-live.js";
import { exampleTrial } from "../../test/support/example-result.js";
import { trialPath } from "./directory.js";
import { operationResults } from "./operation-results.js";
import type { TrialResult } from "./result-schema.js";
import { readTrialTotals } from "./stored-totals.js";
import { TrialFiles } from "./trial-files.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-totals-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** A trial with that many transactions, both in memory and in files. */
function trialOf(number: number, transactions: number): { totals: Totals; trial: TrialResult } {
  const path = trialPath(directory, number, "text");
  mkdirSync(path, { recursive: true });
  const files = new TrialFiles(path, 0);
  const tally = new Tally(["add"], 1, files.onSecond);
  const recorder = new Recorder(["add"]);
  recorder.setWindow(0, 5000);
  const times = new PartTimes(new PartNames(), 0);
  for (let i = 1; i <= transactions; i++) {
    const [startMs, commitMs, finishedMs] = [i * 20, i * 20 + i / 3, i * 20 + i / 3 + number];
    times.start(startMs);
    times.onCall("add.events", startMs, commitMs);
    times.onCall("commit", commitMs, finishedMs);
    times.finish(finishedMs, 0);
    const serviceMs = finishedMs - startMs;
    const sample = { finishedMs, events: 1, serviceMs, responseMs: serviceMs, poolWaitMs: 0 };
    recorder.transaction("add", { ...sample, parts: times });
  }
  const late = { finishedMs: 5100, events: 1, serviceMs: 1000 * number, responseMs: 1000 * number };
  recorder.transaction("add", { ...late, poolWaitMs: 0 });
  tally.add(0, recorder.take(Infinity));
  const totals = tally.finish(5);
  files.close();
  const operations = operationResults(totals.summary(5), watchedRun().trial(1).treatment.settings);
  return { totals, trial: { ...exampleTrial(0, number, 1), operations } };
}

describe("totals read from a stored trial", () => {
  it("merge with another trial exactly like totals in memory", async () => {
    const [first, second] = [trialOf(1, 200), trialOf(2, 30)];
    const [inMemory, resumed] = [new Totals(), new Totals()];
    for (const { totals, trial } of [first, second]) {
      inMemory.add(totals);
      const stored = JSON.parse(JSON.stringify(trial)) as TrialResult;
      resumed.add(await readTrialTotals(directory, stored, "text"));
    }
    expect(resumed.summary(10)).toEqual(inMemory.summary(10));
    expect(resumed.summary(10).operations.add?.outlastedMs).toBe(2000);
    const { add } = resumed.summary(10).operations;
    expect(add?.parts?.map(({ name }) => name)).toEqual(["add.events", "commit"]);
  });

  it("have no parts if the trial was stored without them", async () => {
    const { trial } = trialOf(1, 10);
    delete trial.operations.add?.parts;
    delete trial.operations.add?.slowTransactions;
    const totals = await readTrialTotals(directory, trial, "text");
    expect(totals.summary(5).operations.add).toMatchObject({ transactions: 10 });
    expect(totals.summary(5).operations.add?.parts).toBeUndefined();
  });

  it("are refused if histograms and trial count different numbers of transactions", async () => {
    const { trial } = trialOf(1, 10);
    if (trial.operations.add) trial.operations.add.transactions = 11;
    await expect(readTrialTotals(directory, trial, "text")).rejects.toThrow(
      /histograms\.hlog holds 10 add .* trial\.json 11/,
    );
  });
});
