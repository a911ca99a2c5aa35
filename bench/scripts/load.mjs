// Runs one load by train-sim or by pgbench on the bench's server: tables of one schema, filled by the same code, and
// figures of a window after a warm-up, each from the program's own count of transactions.
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { UNCLAIMED_NAMESPACE } from "#program/database/contract.js";
import { analyzeNamespace, prepareNamespace } from "#program/engine/trial/prepare-namespace.js";
import { parseScenario } from "#program/scenario/loader.js";
import { startPgbench } from "../peers/pgbench.mjs";
import { NAMESPACE } from "../peers/server.mjs";
import { spreadOf } from "../peers/tables.mjs";
import { startScenario } from "../peers/train-sim.mjs";

/** Schema of pgbench's tables. */
const PEER_NAMESPACE = "pgbench_peer";
/** Share of the warm-up after which statistics are gathered, the same as train-sim's. */
const ANALYZE_AFTER = 0.6;
/** Seconds of load after the window: they keep a program from ending inside it. */
const SLACK_SECONDS = 1;
const SEED = 100;
/** Keys of a scenario that needs no ceiling, since it only counts or compares times. */
export const NO_CEILING = { more: { diagnosis: { ceiling: false } } };

export const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Scenario in JSON, which is YAML too. `load` is the load of its only group of clients. */
export function scenarioOf(server, scenario, { load, trial, round, more = {} }, namespace = NAMESPACE) {
  return JSON.stringify({
    ...{ name: "scripts", seed: SEED + round, trials: 1, namespace },
    target: { kind: "url", urls: [server.url] },
    ...scenario,
    actors: { clients: { workers: 1, load } },
    trial: { ...trial, drain: false },
    ...more,
  });
}

/** Waits for the end of a started program; resolves to its output. Rejects with its error message. */
export async function untilEnded(running) {
  const complaint = await running.ended;
  if (complaint) throw new Error(complaint);
  return running.printed;
}

/** Waits for a train-sim that ends by itself; resolves to its trial. */
export const trialOf = async (running) =>
  JSON.parse((await untilEnded(running)).stdout).treatments[0].trials[0];

/** Runs train-sim with `iterations` transactions for each client; resolves to its trial. */
export async function runBudget(server, scenario, { clients, iterations, round }) {
  const load = { executor: "per-client-iterations", clients, iterations };
  const text = scenarioOf(server, scenario, { load, trial: { warmUp: 0 }, round, ...NO_CEILING });
  const running = startScenario(server, text);
  try {
    return await trialOf(running);
  } finally {
    await running.stop();
  }
}

/** Makes the tables of a scenario for another program; resolves to its settings, and a function that gathers statistics. */
export async function preparePeerTables(server, scenario, { clients, round }) {
  const text = scenarioOf(server, scenario, { load: { clients }, trial: {}, round }, PEER_NAMESPACE);
  const [treatment] = parseScenario(text, "scripts").treatments;
  const host = { admin: server.admin, claim: UNCLAIMED_NAMESPACE };
  const inputs = { trial: { seed: SEED + round }, treatment, directory: tmpdir() };
  await prepareNamespace(host, inputs, [server.endpoint]);
  const { settings } = treatment;
  return { settings, analyze: () => analyzeNamespace(server.admin, settings) };
}

/** Makes pgbench's tables; returns a function `start` that starts pgbench on them. */
export async function prepareForPgbench(server, { scenario, scripts, args }, { clients, round }) {
  const { analyze } = await preparePeerTables(server, scenario, { clients, round });
  const environment = { ...server.environment, PGOPTIONS: `-c search_path=${PEER_NAMESPACE}` };
  const load = ["-c", String(clients), `--random-seed=${SEED + round}`];
  return {
    start: (more) => startPgbench({ environment }, scripts, [...args, ...load, ...more]),
    analyze,
  };
}

/** Measures the processor time of client and server during the next `seconds`, as an average per second. */
async function window(server, running, seconds) {
  const before = await server.counters(running.pids);
  await sleep(seconds * 1000);
  if (running.hasEnded()) throw new Error(`it ended before its window did: ${await running.ended}`);
  const after = await server.counters(running.pids);
  const of = (name) => (after[name] - before[name]) / ((after.atMs - before.atMs) / 1000);
  return { client: of("clientCpuSeconds"), server: of("serverCpuSeconds") };
}

const figures = (perSecond, cpu, eventsPerSecond = perSecond) => ({
  perSecond,
  eventUs: (cpu.client / eventsPerSecond) * 1e6,
  clientUs: (cpu.client / perSecond) * 1e6,
  serverUs: (cpu.server / perSecond) * 1e6,
});

/**
 * Transactions per second of a started train-sim, and microseconds of processor time per transaction and per event of its
 * first operation.
 */
export async function measureTrainSim(server, running, seconds) {
  try {
    await running.warm();
    const cpu = await window(server, running, seconds);
    const { operations, windowSeconds } = await trialOf(running);
    const all = Object.values(operations);
    const transactions = sum(all.map((each) => each.transactions));
    return figures(transactions / windowSeconds, cpu, all[0].events / windowSeconds);
  } finally {
    await running.stop();
  }
}

/** Runs a closed loop of train-sim without pauses; returns its figures. */
export function trainSim(server, { scenario }, { clients, warmUp, seconds, round }) {
  const trial = { warmUp: `${warmUp}s`, duration: `${seconds + SLACK_SECONDS}s` };
  const load = { executor: "constant-clients", clients, thinkTime: 0 };
  const text = scenarioOf(server, scenario, { load, trial, round });
  return measureTrainSim(server, startScenario(server, text), seconds);
}

/** Runs the same closed loop with pgbench; returns its figures. */
export async function pgbench(server, which, { clients, warmUp, seconds, round }) {
  const { start, analyze } = await prepareForPgbench(server, which, { clients, round });
  const running = await start(["-T", String(secondsOfLoad({ warmUp, seconds })), "-P", "1"]);
  return measurePeer(server, running, analyze, { warmUp, seconds }, /^progress: ([\d.]+) s, ([\d.]+) tps/gm);
}

/** Seconds that a program without a warm-up has to run. */
export const secondsOfLoad = ({ warmUp, seconds }) => warmUp + seconds + SLACK_SECONDS;

/** Figures of a program that prints its second and its rate once a second, as `pattern` says. */
export async function measurePeer(server, running, analyze, { warmUp, seconds }, pattern) {
  try {
    await sleep(warmUp * 1000 * ANALYZE_AFTER);
    await analyze();
    await sleep(warmUp * 1000 * (1 - ANALYZE_AFTER));
    const cpu = await window(server, running, seconds);
    const { stdout, stderr } = await untilEnded(running);
    const rates = [...`${stdout}${stderr}`.matchAll(pattern)]
      .filter(([, at]) => Math.round(Number(at)) > warmUp)
      .map(([, , rate]) => Number(rate));
    if (rates.length < seconds) throw new Error(`${rates.length} rates: ${stdout}${stderr.slice(-300)}`);
    return figures(sum(rates) / rates.length, cpu);
  } finally {
    await running.stop();
  }
}

/** Order of the programs in a round. It is reversed in every other round, so that no program is always first. */
export const inTurn = (round, turns) => (round % 2 === 0 ? turns : turns.toReversed());

/** Text with the median, the smallest and the largest value. */
export function spread(values, digits) {
  const { median, least, most } = spreadOf(values);
  return `${median.toFixed(digits)} (${least.toFixed(digits)}..${most.toFixed(digits)})`;
}
