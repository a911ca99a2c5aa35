// A run with agents has the same results as a run without: the same arrivals, the same documents, histograms with every
// sample in its bucket, and accounts that close for each agent.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { encodeHistogram } from "../../src/metrics/encoded-histogram.js";
import { createHistogram, recordableUs, type Histogram } from "../../src/metrics/histograms.js";
import { trialPath } from "../../src/results/directory.js";
import { readTrialHistograms } from "../../src/results/reader.js";
import type { ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import { readTimeseries } from "../../src/results/timeseries.js";
import { TIMESERIES_FILE } from "../../src/results/trial-files.js";
import { LedgerFile } from "../../src/workloads/train-events/audit/ledger-file.js";
import { documentsOf, streamName } from "../../src/workloads/train-events/model/ledger.js";
import { agentScenario, runOverAgents } from "../support/agents.js";
import { onSuiteServer } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

interface Ran {
  readonly directory: string;
  readonly result: ResultDocument;
}

async function runAlone(scenario: string): Promise<Ran> {
  const out = join(scratchDirectory(), "results");
  const { exitCode, stderr } = await trainSim(["run", scenario, "--out", out]);
  expect(exitCode, stderr).toBe(0);
  return onlyResultIn(out);
}

function onlyTrial({ result }: Ran): TrialResult {
  return result.treatments[0]?.trials[0] as TrialResult;
}

function filesOf(ran: Ran): string {
  return trialPath(ran.directory, onlyTrial(ran).number, ran.result.treatments[0]?.id ?? "");
}

/** A load of cycles in four threads, with the phases of its trial. */
const cycles = (namespace: string, load: string, phases: string): string =>
  writeScenarioFile(`
name: agents
seed: 11
trials: 1
topology: cycle
actors: { cycle: { workers: 4, load: { ${load} } } }
appDelay: 0
batch: { min: 5, max: 10 }
trial: { ${phases}, drain: false }
diagnosis: { ceiling: false }
log: { slowTransaction: 0ms }
${onSuiteServer(namespace)}`);

/** Arrivals offered in each second of the window. */
async function offeredIn(ran: Ran): Promise<number[]> {
  const bySecond: number[] = [];
  for await (const { second, operation, offered } of readTimeseries(join(filesOf(ran), TIMESERIES_FILE)))
    if (operation === "add") bySecond[second] = offered ?? 0;
  return bySecond;
}

it("four agents offer the same arrivals in each second as one process", async () => {
  const scenario = writeScenarioFile(
    agentScenario("warmUp: 1s, duration: 3s").replace("producers: {", "producers: { workers: 4,") +
      onSuiteServer("agentsoffer"),
  );
  const [alone, over] = [await runAlone(scenario), await runOverAgents(scenario, ["a", "b", "c", "d"])];
  const offered = await offeredIn(alone);
  expect(offered.filter((arrivals) => arrivals > 0)).toHaveLength(3);
  expect(await offeredIn(over)).toEqual(offered);
});

/** Documents of each client in the order of publication, made again from the ledgers. */
function documentsIn(ran: Ran): Map<string, string[]> {
  const directory = filesOf(ran);
  const documents = new Map<string, string[]>();
  for (const name of readdirSync(directory).filter((each) => each.startsWith("ledger-"))) {
    const ledger = LedgerFile.read(join(directory, name));
    for (const { client, firstDocument, events, outcome } of ledger.batches()) {
      const stream = streamName(ledger.source, client);
      const generator = documentsOf(ledger.source, client);
      const made = Array.from({ length: events }, (_, i) => generator.at(firstDocument + i).json);
      expect(outcome).toBe("acknowledged");
      documents.set(stream, [...(documents.get(stream) ?? []), ...made]);
    }
  }
  return documents;
}

/** Response times of the transactions in the workers' log, by operation. */
function loggedIn(ran: Ran): Map<string, Histogram> {
  const logged = new Map<string, Histogram>();
  const lines = readFileSync(join(filesOf(ran), "log.ndjson"), "utf8")
    .trimEnd()
    .split("\n");
  for (const line of lines) {
    const { event, operation, responseMs } = JSON.parse(line) as Record<string, unknown>;
    if (event !== "slow") continue;
    const histogram = logged.get(String(operation)) ?? createHistogram();
    logged.set(String(operation), histogram);
    histogram.recordValue(recordableUs(Number(responseMs)));
  }
  return logged;
}

it("four agents publish the same documents as one process, and merge histograms without loss", async () => {
  const load =
    "executor: per-client-iterations, iterations: 6, clients: 8, thinkTime: 500ms, maxDuration: 60s";
  const scenario = cycles("agentssame", load, "warmUp: 0s");
  const [alone, over] = [await runAlone(scenario), await runOverAgents(scenario, ["a", "b", "c", "d"])];
  const documents = documentsIn(alone);
  expect([...documents.values()].flat().length).toBeGreaterThan(8 * 6 * 5);
  expect(documentsIn(over)).toEqual(documents);
  for (const ran of [alone, over]) expect(onlyTrial(ran).integrity).toMatchObject({ verdict: "ok", lost: 0 });

  const { number } = onlyTrial(over);
  const merged = await readTrialHistograms(over.directory, number, over.result.treatments[0]?.id ?? "");
  const logged = loggedIn(over);
  expect(logged.get("add")?.totalCount).toBe(8 * 6);
  for (const [operation, histogram] of logged)
    expect(encodeHistogram(merged.get(`${operation}.response`) ?? createHistogram()), operation).toBe(
      encodeHistogram(histogram),
    );
  const verified = await trainSim(["report", over.directory, "--verify"]);
  expect(verified.exitCode, verified.stdout + verified.stderr).toBe(0);
});

it("two agents share an iteration budget exactly", async () => {
  const load = "executor: shared-iterations, iterations: 50, clients: 5, thinkTime: 5ms, maxDuration: 30s";
  const scenario = cycles("agentsbudget", load, "warmUp: 200ms");
  const { workers, operations } = onlyTrial(await runOverAgents(scenario, ["a", "b"]));
  expect(operations["add"]?.transactions).toBe(50);
  expect(workers?.map(({ clients }) => clients)).toEqual([2, 1, 1, 1]);
});

it("clients of each agent equal throughput x (response time + think time)", async () => {
  const phases = "warmUp: 1s, duration: 8s";
  const scenario = cycles("agentslittle", "clients: 10, thinkTime: 100ms", phases);
  const { agents = [], workers = [], windowSeconds } = onlyTrial(await runOverAgents(scenario, ["a", "b"]));
  expect(agents.map((agent) => agent.workers)).toEqual([2, 2]);
  for (const [i, { accountedRatio = 0 }] of agents.entries()) {
    expect(Math.abs(1 - accountedRatio)).toBeLessThan(0.01);
    const own = workers.filter((_, worker) => worker % agents.length === i);
    const clients = own.reduce((sum, worker) => sum + worker.clients, 0);
    const busy = own.reduce((sum, { operations }) => {
      const { transactions = 0, responseTimeMs } = operations["__cycle__"] ?? {};
      return sum + (transactions / windowSeconds) * (((responseTimeMs?.mean ?? 0) + 100) / 1000);
    }, 0);
    // A thread that waits for a processor wakes its clients late, which is in no response or think time. A client too
    // many would add 20 %.
    expect(busy / clients).toBeLessThan(1.02);
  }
});
