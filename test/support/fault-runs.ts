// Runs the built program with faults: one trial of a small load on an embedded server, its result, and remainders on this
// machine. It also states the expectations for every trial with mended faults.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import type { FaultRecord, ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  writeScenarioFile,
  type Ended,
  type Started,
} from "./train-sim.js";

const DELAY = "appDelay: 20ms\n";
/** Roles of the scenarios. Consumers have no think time, so that some transaction is open at every moment. */
const ROLES = `
actors:
  producers: { load: { clients: 3 } }
  consumers: { load: { clients: 3 } }
  archivers: { load: { clients: 3, thinkTime: 10ms } }
`;
const LOAD = `
batch: { min: 5, max: 20 }
diagnosis: { ceiling: false }
trials: 1
seed: 11
`;

interface SecondSeen {
  transactions: number;
  events: number;
  retries: number;
}

export interface FaultRun extends Ended {
  readonly result: ResultDocument;
  readonly trial: TrialResult;
  readonly faults: ReadonlyMap<string, FaultRecord>;
  readonly leftovers: readonly string[];
  /** Counts of one second of the window, of all operations together or of one operation. */
  readonly seenIn: (second: number, operation?: string) => SecondSeen;
}

/** Directories and mounts that servers of the given train-sim have left. */
export function leftoversOf({ child }: Started): string[] {
  const mark = new RegExp(`train-sim-(postgres|pgbouncer)-${child.pid ?? 0}-`);
  const directories = readdirSync(tmpdir()).filter((name) => mark.test(name));
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8").split("\n") : [];
  return [...directories, ...mounts.filter((line) => mark.test(line))];
}

export async function untilNothingIsLeftOf(started: Started, mostMs = 200_000): Promise<void> {
  const deadlineMs = systemClock.nowMs() + mostMs;
  while (leftoversOf(started).length > 0) {
    if (systemClock.nowMs() > deadlineMs) throw new Error(`left: ${leftoversOf(started).join(", ")}`);
    await systemClock.sleep(50);
  }
}

/** Starts a run of a scenario that lacks a name. Returns the run and its output directory. */
export function startFaultRun(scenario: string, env?: NodeJS.ProcessEnv): { started: Started; out: string } {
  const out = join(scratchDirectory(), "results");
  const defaults = { "appDelay:": DELAY, "actors:": ROLES };
  const missing = Object.entries(defaults).filter(([key]) => !scenario.includes(key));
  const file = writeScenarioFile(
    ["name: faults", LOAD, ...missing.map(([, text]) => text), scenario].join("\n"),
  );
  return { started: startTrainSim(["run", file, "--out", out, "--quiet"], env ? { env } : {}), out };
}

/** Runs a scenario to its end. Resolves to its result and to the directories and mounts that are left. */
export async function runFaults(scenario: string, env?: NodeJS.ProcessEnv): Promise<FaultRun> {
  const { started, out } = startFaultRun(scenario, env);
  const ended = await started.ended;
  const leftovers = leftoversOf(started);
  if (!existsSync(out) || readdirSync(out).length === 0) throw new Error(`no results: ${ended.stderr}`);
  const { directory, result } = onlyResultIn(out);
  const trial = result.treatments[0]?.trials[0];
  if (!trial) throw new Error(`no trial: ${ended.stderr}`);
  const faults = new Map(result.faults.map((fault) => [fault.kind, fault]));
  const seenIn = secondsIn(directory);
  return { ...ended, result, trial, faults, leftovers, seenIn };
}

/** Returns a function that counts in the first trial, by second of the window and operation. */
export function secondsIn(directory: string): FaultRun["seenIn"] {
  const [trial = ""] = readdirSync(join(directory, "trials"));
  const [, ...lines] = readFileSync(join(directory, "trials", trial, "timeseries.csv"), "utf8").split("\n");
  const rows = lines.map((line) => line.split(","));
  return (second, operation) => {
    const sum = { transactions: 0, events: 0, retries: 0 };
    for (const [at, of, transactions, events, , retries] of rows) {
      if (Number(at) !== second || (operation !== undefined && of !== operation)) continue;
      sum.transactions += Number(transactions);
      sum.events += Number(events);
      sum.retries += Number(retries);
    }
    return sum;
  };
}

/** Expects nothing lost and all faults mended in every trial. */
export function expectNothingLost(
  { exitCode, stderr, trial, result, leftovers }: FaultRun,
  count: number,
): void {
  expect(exitCode, stderr).toBe(0);
  expect(trial.status, trial.reason).toBe("complete");
  expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0, duplicated: 0, drained: true });
  expect(trial.integrity?.published).toBeGreaterThan(0);
  expect(result.faults).toEqual(trial.faults);
  expect(result.faults).toHaveLength(count);
  for (const { kind, clearedAtSeconds, injectedAtSeconds, atSeconds } of result.faults) {
    expect(clearedAtSeconds, kind).not.toBeNull();
    // Timers of Node may fire up to a millisecond early.
    expect(injectedAtSeconds + 0.01, kind).toBeGreaterThanOrEqual(atSeconds);
  }
  expect(leftovers).toEqual([]);
}

/** SQLSTATEs and codes of the driver among a fault's errors. */
export const codesOf = (fault: FaultRecord | undefined): string[] => Object.keys(fault?.errors ?? {});
