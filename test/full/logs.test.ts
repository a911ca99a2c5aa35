// `train-sim logs` on logs of real runs: totals and percentiles equal the ones of `result.json`, to the last digit, for
// every trial and operation; every line of a run is understood; a server that stands still for two seconds shows as a
// stall; a file that is no log ends with 104.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import type { LogReport, TrialLogReport } from "../../src/logs/log-report.js";
import type { ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import { serversBelow, stall } from "../support/stall.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

async function logsOf(...args: string[]): Promise<LogReport> {
  const { stdout, stderr, exitCode } = await trainSim(["logs", ...args, "--json"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return JSON.parse(stdout) as LogReport;
}

function trialsOf(result: ResultDocument): { treatment: string; trial: TrialResult }[] {
  return result.treatments.flatMap(({ id, trials }) => trials.map((trial) => ({ treatment: id, trial })));
}

/** Expects that the log's totals equal the result's. */
function expectEqual(logged: TrialLogReport | undefined, trial: TrialResult): void {
  const { number, index, status, windowSeconds, operations, startedAt } = trial;
  expect(logged).toMatchObject({ number, index, status, windowSeconds, windowStartsAt: startedAt });
  expect(Object.keys(logged?.operations ?? {}).sort()).toEqual(Object.keys(operations).sort());
  for (const [operation, expected] of Object.entries(operations)) {
    const totals = logged?.operations[operation];
    const { transactions, events, transactionsPerSecond, eventsPerSecond, responseTimeMs } = expected;
    const { retries, retriesBySqlstate, failures, emptyPolls, clients, threads } = expected;
    expect(totals, operation).toMatchObject({
      ...{ transactions, events, transactionsPerSecond, eventsPerSecond, responseTimeMs },
      ...{ retries, retriesBySqlstate, failures, emptyPolls, clients, threads },
      ...(expected.offered !== undefined && { offered: expected.offered, dropped: expected.dropped }),
    });
  }
}

describe("`logs` of a run", () => {
  it("gives the totals and percentiles of the result, with retries and failures, in every trial", async () => {
    const out = scratchDirectory();
    const file = writeScenarioFile(`
name: t
seed: 5
payload: text
locking: nowait
retry: { attempts: 2 }
batch: { min: 5, max: 30 }
appDelay: { min: 1ms, max: 5ms }
diagnosis: { ceiling: false }
log: { slowTransaction: 20ms }
actors:
  producers: { workers: 2, load: { executor: constant-arrival-rate, rate: 60, maxClients: 4 } }
  consumers: { workers: 2, load: { executor: constant-clients, clients: 6 } }
  archivers: { workers: 1, load: { executor: constant-clients, clients: 2, thinkTime: 15ms } }
trial: { warmUp: 300ms, duration: 2s, drain: false }
trials: 2
`);
    await trainSim(["run", file, "--out", out, "--quiet"]);
    const { directory, result } = onlyResultIn(out);
    const trials = trialsOf(result);
    expect(trials).toHaveLength(2);
    const report = await logsOf(directory);
    expect(report.trials.map(({ number }) => number)).toEqual([1, 2]);
    for (const { treatment, trial } of trials) {
      const logged = report.trials.find(({ number }) => number === trial.number);
      expect(logged?.treatment).toBe(treatment);
      expectEqual(logged, trial);
      const { process } = trial.operations;
      expect(process?.retries).toBeGreaterThan(0);
      expect(Object.keys(process?.failures ?? {})).toContain("55P03");
      const locked = logged?.details.causes.filter(({ statement }) => statement === "process.claim") ?? [];
      expect(locked.length).toBeGreaterThan(0);
      for (const { sqlstate, table } of locked) expect([sqlstate, table]).toEqual(["55P03", "event_status"]);
      expect(logged?.slowest.some(({ parts }) => Object.keys(parts ?? {}).includes("commit"))).toBe(true);
    }
    for (const { lines, understood, problems } of report.files) {
      expect(problems).toEqual({ broken: 0, truncated: 0, foreign: 0, malformed: 0 });
      expect(understood).toBe(lines);
    }

    const narrowed = await logsOf(directory, "--trial", "2", "--operation", "add", "--to", "1s");
    const [second] = narrowed.trials;
    expect(narrowed.trials).toHaveLength(1);
    expect(Object.keys(second?.operations ?? {})).toEqual(["add"]);
    const whole = trials.find(({ trial }) => trial.number === 2)?.trial.operations.add?.transactions ?? 0;
    expect(second?.operations.add?.transactions).toBeGreaterThan(0);
    expect(second?.operations.add?.transactions).toBeLessThan(whole);

    const packed = join(scratchDirectory(), "log.ndjson.gz");
    const plain = report.files[0]?.path ?? "";
    writeFileSync(packed, gzipSync(readFileSync(plain)));
    const [unpacked] = (await logsOf(packed)).trials;
    expect({ ...unpacked, file: plain }).toEqual(report.trials[0]);

    const { stdout } = await trainSim(["logs", directory]);
    expect(stdout).toMatch(/elapsed +id +clients +threads +tot_ops/);
    expect(stdout).toContain("Retries and failures by table");
  });

  it("shows a server that is paused for 2 s as a stall, with the longest transaction", async () => {
    const out = scratchDirectory();
    const file = writeScenarioFile(`
name: t
seed: 5
payload: text
batch: 1
appDelay: 0
diagnosis: { ceiling: false }
actors:
  producers: { workers: 1, load: { executor: constant-arrival-rate, rate: 100, maxClients: 4, distribution: uniform } }
  consumers: { workers: 1, load: { executor: constant-clients, clients: 2, thinkTime: 30ms } }
  archivers: false
trial: { warmUp: 500ms, duration: 7s, drain: 20s }
trials: 1
`);
    const { child, ended } = startTrainSim(["run", file, "--out", out, "--quiet"]);
    await untilLogged(out, '"phase":"measure"');
    await systemClock.sleep(2200);
    const servers = serversBelow(child.pid ?? 0);
    expect(servers.length).toBeGreaterThan(4);
    await stall(servers, 2200);
    await ended;
    const { directory, result } = onlyResultIn(out);
    const [logged] = (await logsOf(directory)).trials;
    const [first] = trialsOf(result);
    if (!first) throw new Error("the run has no trial");
    expectEqual(logged, first.trial);
    const stalls = logged?.stalls.filter(({ operation }) => operation === "add") ?? [];
    expect(stalls).toHaveLength(1);
    expect(stalls[0]?.fromSecond).toBeGreaterThanOrEqual(1);
    expect(stalls[0]?.longestAfterMs).toBeGreaterThan(1900);
    expect(logged?.stalls.map(({ operation }) => operation)).toContain("process");
  });
});

describe("`logs` of other input", () => {
  it("ends with 104 and the path for a file or directory without a log", async () => {
    const directory = scratchDirectory();
    const empty = join(directory, "empty.ndjson");
    writeFileSync(empty, "");
    const other = join(directory, "other.ndjson");
    writeFileSync(other, '{"level":30,"msg":"another program"}\n');
    for (const [path, words] of [
      [empty, "nothing was logged"],
      [other, "no line is from a train-sim log"],
      [directory, "holds no log"],
      [join(directory, "absent"), "does not exist"],
    ] as const) {
      const { exitCode, stderr, stdout } = await trainSim(["logs", path]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 104, stdout: "" });
      expect(stderr).toContain(path);
      expect(stderr).toContain(words);
    }
    expect((await trainSim(["logs", other, "--actor", "producer"])).exitCode).toBe(104);
    expect((await trainSim(["logs", other, "--from", "1.5"])).exitCode).toBe(104);
  });

  it.each([
    ["3s", "3s"],
    ["1m", "30s"],
    ["2026-01-31T12:00:05Z", "2026-01-31T11:00:00Z"],
  ])("refuses the empty range from %s to %s", async (from, to) => {
    const log = new URL("../support/example-log.ndjson", import.meta.url).pathname;
    const { exitCode, stdout, stderr } = await trainSim(["logs", log, "--from", from, "--to", to]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 104, stdout: "" });
    expect(stderr).toContain("--from is not before --to");
  });

  it("reads a log from standard input like a file", () => {
    const log = new URL("../support/example-log.ndjson", import.meta.url);
    const main = new URL("../../dist/cli/main.js", import.meta.url);
    const stdout = execFileSync(process.execPath, [main.pathname, "logs", "-", "--json"], {
      input: readFileSync(log),
      encoding: "utf8",
    });
    const report = JSON.parse(stdout) as LogReport;
    expect(report.trials[0]?.operations.add?.transactions).toBe(476);
  });
});
