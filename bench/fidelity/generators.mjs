// Runs the two load generators at the same time on one server: each offers one operation at one rate with as many clients,
// on separate tables that were prepared alike, with the same kind of plans. Their times are compared over the same seconds
// (train-sim's window), so that a disturbance of the machine affects both. train-sim is the built program; pgbench's times
// come from its log. A generator that fails ends the bench with its message.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { UNCLAIMED_NAMESPACE } from "#program/database/contract.js";
import { tablesOf } from "#program/workloads/train-events/stores/tables.js";
import { prepareNamespace } from "#program/engine/trial/prepare-namespace.js";
import { refreshStatistics } from "#program/database/postgres/statistics.js";
import { dialectOf } from "#program/database/postgres/dialects/registry.js";
import { readTrialHistograms } from "#program/results/reader.js";
import { parseScenario } from "#program/scenario/loader.js";
import { OWN_NAMESPACE, PEER_NAMESPACE, PEER_ROLE, scenarioOf, SLACK_SECONDS } from "./operations.mjs";
import { parseLog } from "./pgbench-log.mjs";
import { fromHistogram } from "./samples.mjs";
import { forgetStatements, serverTimes, setPlans } from "./server-times.mjs";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const run = promisify(execFile);
/** Share of the warm-up after which train-sim gathers statistics. */
const ANALYZE_AFTER = 0.6;
/**
 * Share of the warm-up after which the tables of both programs are vacuumed together. The server's autovacuum is off, since
 * it would begin with one program's tables.
 */
const VACUUM_AFTER = 0.8;
/** Beginning of the name of the log that pgbench writes for the measured operation. */
const MEASURED = "measured";
/** Milliseconds that train-sim takes to start, about. */
const START_MS = 2000;

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
function scenarioText(
  { operation, endpoint, clients, seconds, warmUpSeconds, seed },
  namespace = OWN_NAMESPACE,
) {
  const { user, host, port, database } = endpoint;
  const load = {
    ...{ executor: "constant-arrival-rate", rate: operation.ratePerSecond, maxClients: clients },
    distribution: "poisson",
  };
  return JSON.stringify({
    ...{ name: "fidelity", seed, trials: 1, namespace },
    target: { kind: "url", urls: [`postgresql://${user}@${host}:${port}/${database}`] },
    trial: { warmUp: `${warmUpSeconds}s`, duration: `${seconds}s`, drain: false },
    ...scenarioOf(operation, load, { seconds, warmUpSeconds }),
  });
}

/**
 * Runs train-sim: times of its operation, and the window in which it measured them, in wall-clock milliseconds.
 *
 * @typedef {import("#program/metrics/operations.js").Tag} Tag
 */
async function trainSim(setting, directory) {
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
  const startMs = Date.parse(trial.startedAt);
  return {
    window: { startMs, endMs: startMs + trial.windowSeconds * 1000 },
    service: fromHistogram(histograms.get(/** @type {Tag} */ (`${measured}.service`))),
    response: fromHistogram(histograms.get(/** @type {Tag} */ (`${measured}.response`))),
  };
}

/** Runs one pgbench. Its scripts and its log are files whose names begin with `name`. */
async function runPgbench(program, { pgbench, ratePerSecond }, setting, directory, name) {
  const { endpoint, clients, runSeconds, seed } = setting;
  const { scripts, variables } = pgbench(seed);
  const files = scripts.flatMap((text, number) => {
    const file = join(directory, `${name}-${number}.sql`);
    writeFileSync(file, text);
    return ["-f", file];
  });
  const values = Object.entries(variables).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
  const log = ["--log", `--log-prefix=${join(directory, name)}`];
  const load = ["-c", String(clients), "-j", "1", "-R", String(ratePerSecond)];
  const length = ["-T", String(runSeconds), `--random-seed=${seed}`];
  const args = ["-n", "-M", "prepared", ...load, ...length, ...log, ...values, ...files];
  await run(program, args, { env: environmentOf({ ...endpoint, user: PEER_ROLE }) });
}

/**
 * Runs pgbench, for somewhat longer than train-sim's load. During the warm-up a second pgbench makes the events that the
 * measured operation needs.
 */
async function runPeers(program, setting, directory) {
  const { operation, seconds, warmUpSeconds, seed } = setting;
  const runSeconds = Math.ceil(warmUpSeconds) + seconds + SLACK_SECONDS;
  const running = [runPgbench(program, operation, { ...setting, runSeconds }, directory, MEASURED)];
  const other = operation.warmingUp?.(setting);
  const brief = { ...setting, runSeconds: Math.ceil(warmUpSeconds), seed: seed + 1 };
  if (other) running.push(runPgbench(program, other, brief, directory, "warming-up"));
  await Promise.all(running);
}

/**
 * Runs both generators; returns the times that they measured over the same seconds. `peerAdmin` is a session of pgbench's
 * role, which owns its tables.
 */
export async function measureBoth(program, setting) {
  const { admin, peerAdmin, endpoint, warmUpSeconds, seed } = setting;
  const peerEndpoint = { ...endpoint, user: PEER_ROLE };
  const dialect = dialectOf("postgres");
  const refreshTables = (client, namespace, how) =>
    refreshStatistics(
      client,
      { namespace, tables: Object.values(tablesOf(dialect, namespace)) },
      dialect,
      how,
    );
  const refresh = () => refreshTables(peerAdmin, PEER_NAMESPACE, {});
  const vacuumBoth = () =>
    Promise.all([
      refreshTables(admin, OWN_NAMESPACE, { vacuum: true }),
      refreshTables(peerAdmin, PEER_NAMESPACE, { vacuum: true }),
    ]);
  return inScratch(async (directory) => {
    const [treatment] = parseScenario(scenarioText(setting, PEER_NAMESPACE), "fidelity").treatments;
    const host = { admin: peerAdmin, claim: UNCLAIMED_NAMESPACE };
    await prepareNamespace(host, { trial: { seed }, treatment, directory }, [peerEndpoint]);
    await refresh();
    const { plans, statements } = setting.operation;
    await setPlans(admin, plans);
    const at = (share, work) => sleep(START_MS + share * warmUpSeconds * 1000).then(work);
    const [measured] = await Promise.all([
      trainSim(setting, directory),
      at(0, () => runPeers(program, setting, directory)),
      at(ANALYZE_AFTER, refresh),
      at(VACUUM_AFTER, vacuumBoth),
      at(1, () => forgetStatements(admin)),
    ]);
    const server = await serverTimes(admin, statements);
    // The name of pgbench's log ends with its process id.
    const name = readdirSync(directory).find((each) => each.startsWith(`${MEASURED}.`)) ?? MEASURED;
    const text = readFileSync(join(directory, name), "utf8");
    return {
      trainSim: { ...measured, server: server.trainSim },
      pgbench: { ...parseLog(text, measured.window), server: server.pgbench },
    };
  });
}
