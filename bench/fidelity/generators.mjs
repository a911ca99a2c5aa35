// The two load generators: each offers one operation at one rate with as many clients, from tables that were prepared
// alike, and gives the service and response times of its window in milliseconds, ascending. train-sim is the built
// program; pgbench is timed by its own log. A generator that fails ends the bench with its words.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { wallClockMs } from "../../dist/foundation/clock.js";
import { prepareNamespace } from "../../dist/engine/prepare-namespace.js";
import { refreshStatistics } from "../../dist/database/statistics.js";
import { dialectOf } from "../../dist/database/dialects/registry.js";
import { readTrialHistograms } from "../../dist/results/reader.js";
import { parseScenario } from "../../dist/scenario/loader.js";
import { NAMESPACE, scenarioOf } from "./operations.mjs";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const run = promisify(execFile);

async function inScratch(work) {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-fidelity-"));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function environmentOf({ user, host, port, database, password }) {
  const libpq = { PGUSER: user, PGHOST: host, PGPORT: String(port), PGDATABASE: database };
  return { ...process.env, ...libpq, PGPASSWORD: password };
}

/** The scenario as a file's text. */
function scenarioText({ operation, endpoint, clients, seconds, warmUpSeconds, seed }) {
  const { user, host, port, database } = endpoint;
  const load = {
    ...{ executor: "constant-arrival-rate", rate: operation.ratePerSecond, maxClients: clients },
    distribution: "poisson",
  };
  return JSON.stringify({
    ...{ name: "fidelity", seed, namespace: NAMESPACE, trials: 1 },
    target: { kind: "url", urls: [`postgresql://${user}@${host}:${port}/${database}`] },
    trial: { warmUp: `${warmUpSeconds}s`, duration: `${seconds}s`, drain: false },
    ...scenarioOf(operation, load),
  });
}

/** Milliseconds of every sample, as the histogram has them: 0.1 % wide. */
function samplesOf(histogram) {
  if (!histogram) throw new Error("train-sim stored no histogram of the operation");
  const percentile = (share) => histogram.getValueAtPercentile(share * 100) / 1000;
  return { count: histogram.totalCount, mean: histogram.mean / 1000, percentile };
}

function exactly(values) {
  const sorted = Float64Array.from(values).sort();
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  // The definition that HdrHistogram has: the least value with so many at or below it.
  const percentile = (share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  return { count: sorted.length, mean, percentile };
}

export async function trainSim(setting) {
  return inScratch(async (directory) => {
    const file = join(directory, "scenario.yaml");
    writeFileSync(file, scenarioText(setting));
    const out = join(directory, "out");
    const env = environmentOf(setting.endpoint);
    await run(process.execPath, [MAIN, "run", file, "--out", out, "--quiet"], { env });
    const result = join(out, readdirSync(out)[0]);
    const { treatments } = JSON.parse(readFileSync(join(result, "result.json"), "utf8"));
    const { measured } = setting.operation;
    const [trial] = treatments[0].trials;
    const { dropped, failures, emptyPolls } = trial.operations[measured];
    if (dropped > 0 || emptyPolls > 0 || Object.keys(failures).length > 0)
      throw new Error(
        `${measured}: ${dropped} dropped, ${emptyPolls} empty, failed: ${JSON.stringify(failures)}`,
      );
    const histograms = await readTrialHistograms(result, 1, treatments[0].id);
    return {
      service: samplesOf(histograms.get(`${measured}.service`)),
      response: samplesOf(histograms.get(`${measured}.response`)),
    };
  });
}

/** One line of pgbench's log: client, number, microseconds from the schedule, script, moment, microseconds of lag. */
function parseLog(text, fromMs) {
  const samples = { service: [], response: [] };
  for (const line of text.trim().split("\n")) {
    const [, , latencyUs, , seconds, microseconds, lagUs] = line.split(" ").map(Number);
    if (!Number.isFinite(latencyUs) || !Number.isFinite(lagUs))
      throw new Error(`pgbench's log says: ${line}`);
    if (seconds * 1000 + microseconds / 1000 < fromMs) continue;
    samples.response.push(latencyUs / 1000);
    samples.service.push((latencyUs - lagUs) / 1000);
  }
  return { service: exactly(samples.service), response: exactly(samples.response) };
}

export async function pgbench(program, setting) {
  const { operation, endpoint, admin, clients, seconds, warmUpSeconds, seed } = setting;
  return inScratch(async (directory) => {
    const [treatment] = parseScenario(scenarioText(setting), "fidelity").treatments;
    await prepareNamespace(admin, treatment.settings, seed, [endpoint], directory);
    await refreshStatistics(admin, NAMESPACE, dialectOf("postgres"));
    const { scripts, variables } = operation.pgbench(seed);
    const files = scripts.flatMap((text, number) => {
      const file = join(directory, `${number}.sql`);
      writeFileSync(file, text);
      return ["-f", file];
    });
    const values = Object.entries(variables).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
    const log = ["--log", `--log-prefix=${join(directory, "log")}`];
    const load = ["-c", String(clients), "-j", "1", "-R", String(operation.ratePerSecond)];
    const length = ["-T", String(warmUpSeconds + seconds), `--random-seed=${seed}`];
    const startMs = wallClockMs();
    const args = ["-n", "-M", "prepared", ...load, ...length, ...log, ...values, ...files];
    await run(program, args, { env: environmentOf(endpoint) });
    const name = readdirSync(directory).find((each) => each.startsWith("log."));
    return parseLog(readFileSync(join(directory, name), "utf8"), startMs + warmUpSeconds * 1000);
  });
}
