// Open loops of the built program against PostgreSQL. The offered rate is the requested one, every arrival is accounted for
// exactly, and response times show a server that stops for two seconds.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fullIt } from "../support/lanes.js";
import { systemClock } from "../../src/foundation/clock.js";
import { percentileMs } from "../../src/metrics/histograms.js";
import { readTrialHistograms } from "../../src/results/reader.js";
import type { OperationResult, TrialResult } from "../../src/results/result-schema.js";
import { serversBelow, stall } from "../support/stall.js";
import { onSuiteServer } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const REST = `
  consumers: { workers: 1, load: { executor: constant-clients, clients: 2, thinkTime: 30ms } }
  archivers: false
appDelay: 0
diagnosis: { ceiling: false }
trials: 1
`;

function scenarioWith(load: string, batch: string, trial: string, workers = 1): string {
  return (
    `name: t\nseed: 5\npayload: text\nbatch: ${batch}\ntrial: ${trial}\n` +
    `actors:\n  producers: { workers: ${workers}, load: ${load} }${REST}`
  );
}

/** Scenarios on the suite's server. A test that stops its server starts a separate one. */
const onSuite = (scenario: string): string => writeScenarioFile(scenario + onSuiteServer("open"));

interface Finished {
  readonly trial: TrialResult;
  readonly add: OperationResult;
  /** Rows of `timeseries.csv` for add, by column. */
  readonly seconds: Record<string, number>[];
  readonly directory: string;
}

function readFinished(out: string): Finished {
  const { directory, result } = onlyResultIn(out);
  const trial = result.treatments[0]?.trials[0];
  const add = trial?.operations.add;
  if (!trial || !add) throw new Error("the run has no trial with adds");
  expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0, duplicated: 0 } });
  const trialDirectory = join(directory, "trials", readdirSync(join(directory, "trials"))[0] ?? "");
  const [titles = "", ...rows] = readFileSync(join(trialDirectory, "timeseries.csv"), "utf8")
    .trim()
    .split("\n");
  const columns = titles.split(",");
  const seconds = rows
    .map((row) => row.split(","))
    .filter(([, operation]) => operation === "add")
    .map((cells) => Object.fromEntries(columns.map((column, i) => [column, Number(cells[i])])));
  expectClosed(add, seconds);
  return { trial, add, seconds, directory };
}

/** Expects that every arrival of the window is accounted for once, in the result and second by second. */
function expectClosed(add: OperationResult, seconds: readonly Record<string, number>[]): void {
  const { offered, dropped = 0, unfinished = 0, transactions, emptyPolls } = add;
  const failures = Object.values(add.failures).reduce((sum, count) => sum + count, 0);
  expect(offered).toBe(transactions + failures + emptyPolls + dropped + unfinished);
  for (const column of ["offered", "dropped", "transactions"] as const)
    expect(seconds.reduce((sum, row) => sum + (row[column] ?? 0), 0)).toBe(add[column]);
}

describe("an open loop", () => {
  fullIt("offers the requested rate in every second with two workers", async () => {
    const out = scratchDirectory();
    const load = "{ executor: constant-arrival-rate, rate: 200, maxClients: 8, distribution: uniform }";
    const file = onSuite(scenarioWith(load, "1", "{ warmUp: 500ms, duration: 3s, drain: 10s }", 2));
    expect((await trainSim(["run", file, "--out", out, "--quiet"])).stderr).not.toMatch(/error/i);
    const { add, seconds } = readFinished(out);
    expect(add.offered).toBeGreaterThanOrEqual(594);
    expect(add.offered).toBeLessThanOrEqual(606);
    expect(add.startDelayMs?.p50).toBeGreaterThan(0);
    expect(seconds.map(({ offered }) => offered)).toEqual([200, 200, 200]);
  });

  it("includes a 2 s pause of the server in response times, and drops no arrival", async () => {
    const out = scratchDirectory();
    // There are few clients, and each has one sample of the stall in its service time, however many arrivals wait.
    const load =
      "{ executor: constant-arrival-rate, rate: 80, maxClients: 3, maxWait: 60s, distribution: uniform }";
    const file = writeScenarioFile(scenarioWith(load, "1", "{ warmUp: 500ms, duration: 7s, drain: 10s }"));
    const { child, ended } = startTrainSim(["run", file, "--out", out, "--quiet"]);
    await untilLogged(out, '"phase":"measure"');
    await systemClock.sleep(1000);
    const servers = serversBelow(child.pid ?? 0);
    expect(servers.length).toBeGreaterThan(4);
    await stall(servers, 2000);
    await ended;
    const { add, seconds, directory } = readFinished(out);
    expect(add.offered).toBe(560);
    expect(add.responseTimeMs?.p999).toBeGreaterThan(1900);
    expect(add.responseTimeMs?.p90).toBeGreaterThan(500);
    expect(add.startDelayMs?.p999).toBeGreaterThan(1900);
    const { result } = onlyResultIn(out);
    const service = (await readTrialHistograms(directory, 1, result.treatments[0]?.id ?? "")).get(
      "add.service",
    );
    // Only the clients that were in the stall have a service time of its length.
    if (!service) throw new Error("no service times were stored");
    const allButThree = 100 * (1 - 3.5 / service.totalCount);
    expect(percentileMs(service, allButThree)).toBeLessThan(1500);
    expect(add.serviceTimeMs?.max).toBeGreaterThan(1500);
    // A busy machine may not catch up within the window: arrivals that wait at its end are dropped then, and none earlier.
    for (const { second = 0, dropped } of seconds)
      if (second < 6) expect(dropped, `second ${second}`).toBe(0);
  });

  it("drops and counts arrivals for which no client is free within maxWait", async () => {
    const out = scratchDirectory();
    const load = "{ executor: constant-arrival-rate, rate: 400, maxClients: 1, maxWait: 20ms }";
    const file = onSuite(scenarioWith(load, "500", "{ warmUp: 0, duration: 2s, drain: false }"));
    await trainSim(["run", file, "--out", out, "--quiet"]);
    const { add } = readFinished(out);
    expect(add.dropped).toBeGreaterThan(0);
    // An arrival that waits for more than 20 ms is dropped. A late event loop may add to the start delay.
    expect(add.startDelayMs?.p50).toBeLessThan(100);
    expect(Math.abs((add.offered ?? 0) - 800)).toBeLessThan(2.6 * 28.3);
  });

  /** Clients outnumber the arrivals of the night, so that each waits for an arrival when the warm-up, always night, ends. */
  fullIt("sends the batch sizes of a simulated day", async () => {
    const out = scratchDirectory();
    const load =
      "{ executor: daily-arrival-rate, rate: 100, maxClients: 120, distribution: uniform, " +
      "profile: { sizes: { small: 1, medium: 10, large: 50 } } }";
    const file = onSuite(scenarioWith(load, "100", "{ warmUp: 1s, duration: 12s, drain: 10s }"));
    await trainSim(["run", file, "--out", out, "--quiet"]);
    const { seconds } = readFinished(out);
    // Half a second stands for an hour: night until 3.5 s, rush hour until 4 s.
    for (const { transactions, events } of seconds.slice(0, 3)) expect(events).toBe(transactions);
    expect(seconds.slice(0, 3).map(({ offered }) => offered)).toEqual([20, 20, 20]);
    const eventsPerBatch = (second: number): number =>
      (seconds[second]?.["events"] ?? 0) / (seconds[second]?.["transactions"] ?? 1);
    expect(eventsPerBatch(3)).toBeGreaterThan(9);
    for (const second of [5, 6, 7]) {
      expect(eventsPerBatch(second)).toBeGreaterThan(6);
      expect(eventsPerBatch(second)).toBeLessThan(10.01);
    }
  });
});
