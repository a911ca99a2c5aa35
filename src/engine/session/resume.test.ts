import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { Totals } from "../../metrics/totals.js";
import { createTrialDirectory, setTrialAside, writeResult } from "../../results/directory.js";
import { operationResults } from "../../results/operation-results.js";
import { readResult, readTrial } from "../../results/reader.js";
import type { Environment, TrialResult } from "../../results/result-schema.js";
import { TrialFiles, writeTrial } from "../../results/trial-files.js";
import { parseScenario } from "../../scenario/loader.js";
import type { Experiment } from "../../scenario/settings.js";
import { EXAMPLE_INTEGRITY, exampleResult, exampleTrial } from "../../../test/support/example-result.js";
import {
  environmentChanges,
  readInterrupted,
  readInterruptedScenario,
  requireSameEnvironment,
  requireSamePooler,
} from "./resume.js";

const SCENARIO = "name: a\nfactors: { payload: [text, jsonb] }\ntrials: 2\n";

const orderOf = ({ trials }: Experiment): string[] => trials.map(({ treatmentId }) => treatmentId);

let directory = "";
let experiment: Experiment;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-resume-"));
  mkdirSync(join(directory, "trials"));
  experiment = parseScenario(SCENARIO, "scenario.yaml", { seed: 7 });
  const result = exampleResult(1);
  result.scenario = { name: "a", seed: 7, trials: 4, trialOrder: orderOf(experiment), yaml: experiment.yaml };
  await writeResult(directory, result);
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** Stores the planned trial with that number as it would be after having measured `transactions`. */
async function store(number: number, status: TrialResult["status"], transactions = 3): Promise<void> {
  const planned = experiment.trials[number - 1];
  const treatment = experiment.treatments.find(({ id }) => id === planned?.treatmentId);
  if (!planned || !treatment) throw new Error(`no trial ${number}`);
  const totals = new Totals(["add"]);
  totals.countsOf("add").transactions = transactions;
  totals.countsOf("add").events = transactions * 10;
  totals.countsOf("add").retries = { "40001": 2 };
  totals.countsOf("add").failures = { "40P01": 1 };
  for (let i = 1; i <= transactions; i++) totals.histograms.at("add.response").recordValue(1000 * i);
  const path = await createTrialDirectory(directory, number, planned.treatmentId);
  const files = new TrialFiles(path, 0);
  files.onSecond(0, totals);
  files.close();
  await writeTrial(path, {
    ...exampleTrial(planned.block, number, 1),
    block: planned.block,
    seed: planned.seed,
    operations: operationResults(totals.summary(30), treatment.settings),
    status,
  });
}

describe("an interrupted run", () => {
  it("is resumed with its complete trials, with their counts and histograms", async () => {
    await store(1, "complete", 3);
    await store(2, "partial");
    const resumed = await readInterrupted(directory, experiment);
    expect(resumed.trials.map(({ result }) => result.number)).toEqual([1]);
    const totals = resumed.trials[0]?.totals;
    expect(totals?.summary(30).operations.add).toMatchObject({
      transactions: 3,
      events: 30,
      retriesBySqlstate: { "40001": 2 },
      failures: { "40P01": 1 },
    });
    expect(totals?.histograms.get("add.response")?.totalCount).toBe(3);
    expect(resumed.interruptions).toEqual([
      {
        kind: "lint",
        rule: "resumed",
        words: "continued at trial 2 of 4 after an interruption: conditions may have changed between",
      },
    ]);
  });

  it("keeps an incomplete trial under another name if that trial is run again", async () => {
    const id = experiment.trials[1]?.treatmentId ?? "";
    for (const status of ["failed", "partial"] as const) {
      await store(2, status);
      await setTrialAside(directory, 2, id);
    }
    await setTrialAside(directory, 2, id);
    expect(readdirSync(join(directory, "trials")).sort()).toEqual([
      `002-${id}.partial-1`,
      `002-${id}.partial-2`,
    ]);
  });

  it("keeps audit findings of trials that are run again, at each resume", async () => {
    const id = experiment.trials[1]?.treatmentId ?? "";
    const integrity = { ...EXAMPLE_INTEGRITY, verdict: "violated" as const, lost: 2, violations: ["2 lost"] };
    await store(1, "complete");
    await store(2, "partial");
    const path = join(directory, "trials", `002-${id}`);
    await writeTrial(path, { ...exampleTrial(0, 2, 1), status: "partial", integrity });
    const words = [`trial 2 (${id}, set aside): 2 lost`];
    expect((await readInterrupted(directory, experiment)).violations).toEqual(words);
    await setTrialAside(directory, 2, id);
    await store(2, "complete");
    const resumed = await readInterrupted(directory, experiment);
    expect(resumed.trials.map(({ result }) => result.number)).toEqual([1, 2]);
    expect(resumed.violations).toEqual(words);
  });

  it("keeps audit findings of a duet's trial that is run again with its other trial", async () => {
    const [planned] = experiment.trials;
    const integrity = { ...EXAMPLE_INTEGRITY, verdict: "violated" as const, lost: 5, violations: ["5 lost"] };
    await store(1, "complete");
    const id = planned?.treatmentId ?? "";
    const trial = await readTrial(directory, 1, id);
    if (!trial) throw new Error("nothing was stored");
    await writeTrial(join(directory, "trials", `001-${id}`), {
      ...trial,
      integrity,
      duet: { server: 1, beside: "jsonb" },
    });
    const resumed = await readInterrupted(directory, experiment);
    expect(resumed.trials).toEqual([]);
    expect(resumed.violations).toEqual([`trial 1 (${id}, set aside): 5 lost`]);
  });

  it("is refused if a trial's files are inconsistent, damaged or of another plan", async () => {
    await store(1, "complete", 3);
    const id = experiment.trials[0]?.treatmentId ?? "";
    const path = join(directory, "trials", `001-${id}`);
    const hlog = join(path, "histograms.hlog");
    writeFileSync(hlog, "#[Histogram log format version 1.3]\n");
    await expect(readInterrupted(directory, experiment)).rejects.toThrow(
      /holds 0 add transactions, trial\.json 3/,
    );
    writeFileSync(hlog, "Tag=add.response,garbage\n");
    await expect(readInterrupted(directory, experiment)).rejects.toThrow(UsageError);
    writeFileSync(join(path, "trial.json"), JSON.stringify({ ...exampleTrial(0, 1, 1), seed: 1 }));
    await expect(readInterrupted(directory, experiment)).rejects.toThrow(
      /does not match the scenario's plan/,
    );
    writeFileSync(join(path, "trial.json"), '{"index":');
    await expect(readInterrupted(directory, experiment)).rejects.toThrow(/trial\.json is not JSON/);
  });
});

describe("the scenario of a resumed run", () => {
  it("is the stored scenario if none is given, and has the stored seed if it states none", async () => {
    expect(await readInterruptedScenario(directory, undefined, {})).toEqual(experiment);
    const file = join(directory, "given.yaml");
    writeFileSync(file, SCENARIO);
    expect((await readInterruptedScenario(directory, file, {})).seed).toBe(7);
  });

  it("keeps the stored order of trials", async () => {
    const result = await readResult(directory);
    const trialOrder = [...orderOf(experiment)].reverse();
    await writeResult(directory, { ...result, scenario: { ...result.scenario, trialOrder } });
    const resumed = await readInterruptedScenario(directory, undefined, {});
    expect(orderOf(resumed)).toEqual(trialOrder);
    expect(resumed.trials.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  it("is refused with the first difference if a file or a flag changes the scenario", async () => {
    const other = await readInterruptedScenario(directory, undefined, {
      set: ["trial.duration=3s"],
      trials: 3,
    });
    await expect(readInterrupted(directory, other)).rejects.toThrow(
      /holds another experiment: trials is 2 there, 3 now; and trial/,
    );
    const seeded = await readInterruptedScenario(directory, undefined, { seed: 8 });
    await expect(readInterrupted(directory, seeded)).rejects.toThrow(/seed is 7 there, 8 now/);
  });
});

describe("the environment of a resumed run", () => {
  const environment: Environment = {
    versions: { "train-sim": "0.1.0", PostgreSQL: "18.4", PgBouncer: "1.24.1" },
    settings: { shared_buffers: "128MB" },
    machine: { cores: 2, loadAverage1m: 0.3, target: "embedded" },
  };
  const url = parseScenario("name: a\ntarget: postgresql://u@db/d", "scenario.yaml");

  it("may differ in the load average", () => {
    const now = { ...environment, machine: { ...environment.machine, loadAverage1m: 9 } };
    expect(environmentChanges(experiment, environment, now)).toEqual([]);
  });

  it.each([
    ["version of train-sim was 0.1.0, is 0.2.0", { versions: { "train-sim": "0.2.0" } }],
    ["version of PostgreSQL was 18.4, is 17.1", { versions: { PostgreSQL: "17.1" } }],
    ["machine's cores was 2, is 64", { machine: { cores: 64 } }],
    ["server setting shared_buffers was 128MB, is 1GB", { settings: { shared_buffers: "1GB" } }],
  ])("must be the same: %s", (words, change) => {
    expect(() => requireSameEnvironment(url, environment, { ...environment, ...change })).toThrow(words);
  });

  it("may be one of several servers of a factor", () => {
    const several = { ...environment, versions: { ...environment.versions, PostgreSQL: "17.5 | 18.4" } };
    expect(environmentChanges(url, several, environment)).toEqual([]);
    const own = { ...environment, settings: { log_line_prefix: "%m | %u | " } };
    expect(environmentChanges(url, own, own)).toEqual([]);
  });

  it("may differ in settings if train-sim starts the server", () => {
    const now = { ...environment, settings: { shared_buffers: "1GB" } };
    expect(() => requireSameEnvironment(experiment, environment, now)).not.toThrow();
  });

  it("must have the same version of PgBouncer", () => {
    expect(() => requireSamePooler(environment, { product: "PgBouncer", version: "1.24.1" })).not.toThrow();
    expect(() => requireSamePooler(environment, { product: "PgBouncer", version: "1.18.0" })).toThrow(
      /used PgBouncer 1\.24\.1, this is 1\.18\.0/,
    );
  });
});
