// Short runs of one trial in which a fault may lose acknowledged events, on an embedded server.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Integrity, ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import { LedgerFile } from "../../src/workloads/train-events/audit/ledger-file.js";
import { KeyMaker } from "../../src/workloads/train-events/model/ledger.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  writeScenarioFile,
  type Started,
} from "./train-sim.js";

export const LOSS_ALLOWED = "integrity: { allow: [lost] }";

interface LossyRun {
  /** Keys of the scenario's target besides `kind`, such as `standbys: 2`. */
  readonly target: string;
  /** Length of the measurement window in seconds. */
  readonly seconds: number;
  readonly faults: string;
  /** Further lines of the scenario. */
  readonly more: string;
}

export function startLossyRun({ target, seconds, faults, more }: LossyRun): {
  started: Started;
  out: string;
} {
  const out = join(scratchDirectory(), "results");
  const file = writeScenarioFile(`
name: lossy
seed: 7
payload: text
preload: 3000
appDelay: 0
batch: { min: 5, max: 20 }
target: { kind: embedded, auth: trust, ${target} }
actors:
  producers: { clients: 3, load: { thinkTime: 20ms } }
  consumers: { clients: 3, load: { thinkTime: 20ms } }
  archivers: { clients: 2, load: { thinkTime: 20ms } }
trial: { warmUp: 0, duration: ${seconds}s, drain: 30s }
trials: 1
diagnosis: { ceiling: false }
faults: [${faults}]
${more}`);
  return { started: startTrainSim(["run", file, "--out", out]), out };
}

/** Trial of the treatment with that id, or of the only treatment. */
export function trialOf({ treatments }: ResultDocument, id?: string): TrialResult {
  const [trial] = treatments.find((each) => id === undefined || each.id === id)?.trials ?? [];
  if (!trial) throw new Error(`no trial of ${id ?? "the only treatment"}`);
  return trial;
}

/** Waits for the end of a run. Expects exit code 110 and exactly one lost event that no fault explains. */
export async function lostOneUnexplained({ ended }: Started, out: string): Promise<Integrity> {
  const { exitCode, stderr } = await ended;
  expect(exitCode, stderr).toBe(110);
  const { integrity } = trialOf(onlyResultIn(out).result);
  const add = integrity?.losses?.find(({ operation }) => operation === "add");
  expect(add?.unexplained).toBe(1);
  expect(add?.lost).toBeGreaterThan(1);
  expect(integrity?.violations).toEqual([
    expect.stringMatching(/are in no table \(explained by a fault: \d+ of \d+\)/),
  ]);
  return integrity as Integrity;
}

/** A batch whose add was acknowledged, with the endpoint's number and the monotonic millisecond. */
interface AcknowledgedBatch {
  readonly endpoint: number;
  readonly atMs: number;
  /** Keys of the batch's events. */
  readonly keys: readonly string[];
}

/** Acknowledged batches of the only trial in a result's directory, read from the producers' ledgers. */
export function acknowledgedBatches(directory: string): AcknowledgedBatch[] {
  const [trial = ""] = readdirSync(join(directory, "trials"));
  const path = join(directory, "trials", trial);
  const ledgers = readdirSync(path)
    .filter((name) => name.startsWith("ledger-"))
    .map((name) => LedgerFile.read(join(path, name)));
  return ledgers.flatMap((file) => {
    const maker = new KeyMaker(file.source);
    const batches = file.source.stream === "producers" ? [...file.batches()] : [];
    return batches
      .filter(({ outcome }) => outcome === "acknowledged")
      .map((batch) => {
        const { endpoint, endedAtMs: atMs } = batch;
        return { endpoint, atMs, keys: maker.keysOf(batch) };
      });
  });
}
