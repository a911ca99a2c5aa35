// Compares service times by train-sim with times of pgbench's log (without its lag behind the schedule), on one server,
// each program on separate tables: both at once at one rate of a Poisson process, and one after the other in closed loops.
// Bounds are the same as in `fidelity.mjs`; a difference beyond its bound that chance alone may make is not decided. A
// closed loop loads the server as much as its program can: its times include train-sim's own processor time if processors
// are short.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BOUNDS, compareSamples } from "../fidelity/comparison.mjs";
import { parseLog } from "../fidelity/pgbench-log.mjs";
import { fromHistogram } from "../fidelity/samples.mjs";
import { startScenario } from "../peers/train-sim.mjs";
import { readTrialHistograms } from "#program/results/reader.js";
import { CASES } from "./cases.mjs";
import {
  inTurn,
  NO_CEILING,
  prepareForPgbench,
  scenarioOf,
  spread,
  sum,
  trialOf,
  untilEnded,
} from "./load.mjs";

const CLIENTS = 8;
const RATE = 150;
/** Smallest number of samples above a percentile that is compared. With fewer it varies too much. */
const TAIL_LEAST = 10;
/** Seconds that pgbench runs longer than warm-up and window. */
const SLACK_SECONDS = 3;
/** Loads by name: how train-sim and pgbench make them, and how both are measured. */
export const LOADS = {
  [`${RATE}/s`]: {
    load: { executor: "constant-arrival-rate", rate: RATE, maxClients: CLIENTS, distribution: "poisson" },
    args: ["-R", String(RATE)],
    isPaced: true,
    measure: atOnce,
  },
  closed: {
    load: { executor: "constant-clients", clients: CLIENTS, thinkTime: 0 },
    args: [],
    isPaced: false,
    measure: oneAfterTheOther,
  },
};

export const title = "latency: service times in milliseconds; mean, p50, p95 within 5 %, p99 within 10 %";

/** Starts train-sim, calls `work` with the running program when it begins to warm up, and then ends it. */
async function withTrainSim(server, which, { load }, { warmUp, seconds, round }, work) {
  const trial = { warmUp: `${warmUp}s`, duration: `${seconds}s` };
  const running = startScenario(
    server,
    scenarioOf(server, which.scenario, { load, trial, round, ...NO_CEILING }),
  );
  try {
    await running.untilPhase("warm-up");
    return await work(running);
  } finally {
    await running.stop();
  }
}

/** Waits for the end of a run; returns the service times of each operation, and the window in wall-clock milliseconds. */
async function timesOfTrainSim(which, running) {
  const { startedAt, windowSeconds } = await trialOf(running);
  const directory = join(running.out, readdirSync(running.out)[0]);
  const { treatments } = JSON.parse(readFileSync(join(directory, "result.json"), "utf8"));
  const histograms = await readTrialHistograms(directory, 1, treatments[0].id);
  const startMs = Date.parse(startedAt);
  return {
    window: { startMs, endMs: startMs + windowSeconds * 1000 },
    times: which.program.transactions.map(({ name }) => fromHistogram(histograms.get(`${name}.service`))),
  };
}

/** Runs pgbench on existing tables for as long as a train-sim. `windowOf` is called when its warm-up begins. */
async function timesOfPgbench(theirs, which, { args, isPaced }, { warmUp, seconds }, windowOf) {
  const length = ["-T", String(warmUp + seconds + SLACK_SECONDS)];
  const running = await theirs.start([...length, ...args, "--log", "--log-prefix=times"]);
  try {
    const [window] = await Promise.all([windowOf(Date.now()), theirs.analyze()]);
    await untilEnded(running);
    const [name] = readdirSync(running.directory).filter((each) => each.startsWith("times."));
    const log = readFileSync(join(running.directory, name), "utf8");
    const timesOf = (_, script) => parseLog(log, window, { script, isPaced }).service;
    return { window, times: which.program.transactions.map(timesOf) };
  } finally {
    await running.stop();
  }
}

async function atOnce(server, which, load, setting) {
  const theirs = await prepareForPgbench(server, which, { clients: CLIENTS, round: setting.round });
  return withTrainSim(server, which, load, setting, async (running) => {
    const timed = timesOfTrainSim(which, running);
    const windowOf = async () => (await timed).window;
    const [ours, pgbench] = await Promise.all([
      timed,
      timesOfPgbench(theirs, which, load, setting, windowOf),
    ]);
    return { "train-sim": ours, pgbench };
  });
}

/**
 * Runs the programs one after the other; returns service times and the window by program. If they ran at once, each would wait
 * while the other one uses the processors.
 */
export async function oneAfterTheOther(server, which, load, setting) {
  const { round, warmUp, seconds } = setting;
  const programs = {
    "train-sim": () =>
      withTrainSim(server, which, load, setting, (running) => timesOfTrainSim(which, running)),
    pgbench: async () => {
      const theirs = await prepareForPgbench(server, which, { clients: CLIENTS, round });
      return timesOfPgbench(theirs, which, load, setting, (nowMs) => {
        const startMs = nowMs + warmUp * 1000;
        return { startMs, endMs: startMs + seconds * 1000 };
      });
    },
  };
  const measured = {};
  for (const name of inTurn(round, Object.keys(programs))) measured[name] = await programs[name]();
  return measured;
}

/** True if each round has enough samples beyond the percentile. */
function isEnough(rounds, metric) {
  const samples = sum(rounds.map(({ length }) => length));
  return metric === "mean" || samples * (1 - Number(metric.slice(1)) / 100) >= TAIL_LEAST;
}

function compare(rounds, metric) {
  const [ours, theirs] = ["ours", "theirs"].map((name) => rounds.map((round) => round[name]));
  const compared = compareSamples(ours, theirs, metric);
  const { ratio, chance } = compared;
  const isDecided = isEnough(ours, metric) && isEnough(theirs, metric);
  const isBeyond = Math.max(ratio, 1 / ratio) > chance;
  if (isDecided && Math.abs(ratio - 1) <= BOUNDS[metric]) return { ...compared, verdict: "met" };
  return { ...compared, verdict: isDecided && isBeyond ? "MISSED" : "not decided" };
}

export async function run(server, { rounds, seconds, warmUp }) {
  /** @type {Map<string, { ours: Float64Array, theirs: Float64Array }[]>} */
  const measured = new Map();
  for (let round = 0; round < rounds; round++)
    for (const [name, which] of Object.entries(CASES))
      for (const [loadName, load] of Object.entries(LOADS)) {
        console.error(`round ${round + 1}/${rounds} ${name}, ${loadName}`);
        const programs = await load.measure(server, which, load, { warmUp, seconds, round });
        for (const [index, { name: operation }] of which.program.transactions.entries()) {
          const key = `${operation}, ${loadName}`;
          const own = { ours: programs["train-sim"].times[index], theirs: programs.pgbench.times[index] };
          measured.set(key, [...(measured.get(key) ?? []), own]);
        }
      }
  const rows = [...measured].flatMap(([key, times]) =>
    Object.keys(BOUNDS).map((metric) => ({ key, metric, ...compare(times, metric) })),
  );
  const header = ["operation", "", "train-sim", "pgbench", "%", "us", "ratio of rounds", "chance", ""];
  const cells = rows.map(({ key, metric, trainSimMs, pgbenchMs, ratio, ratios, chance, verdict }) => [
    ...[key, metric, trainSimMs.toFixed(3), pgbenchMs.toFixed(3), ((ratio - 1) * 100).toFixed(1)],
    ...[((trainSimMs - pgbenchMs) * 1000).toFixed(0), spread(ratios, 3), `x ${chance.toFixed(2)}`, verdict],
  ]);
  return { rows: [header, ...cells], isMet: rows.every(({ verdict }) => verdict !== "MISSED") };
}
