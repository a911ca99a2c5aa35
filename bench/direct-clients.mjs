// Measures how many direct clients a core carries without a late event loop, and how much of the delay is train-sim's. The
// cycle runs in four places: "shared" (one worker thread shares all processors with the server), "two threads" (two threads
// do), "priority" (the client's threads have nice -10, which needs root and kernel.sched_autogroup_enabled=0) and "apart"
// (the server has the first processor and the client the others, by taskset). For each place and number of clients the bench
// prints the event loop's delay p99, the share of time in which the busiest thread ran and in which this thread waited for a
// processor, and the mean length of such a wait.
//
//   node bench/direct-clients.mjs [--seconds 5] [--warmUp 3] [--only shared,apart] [--clients 8,512] [--json]
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { readOptions } from "./options.mjs";
import { openServer } from "./peers/server.mjs";
import { alignColumns } from "./peers/tables.mjs";
import { startScenario } from "./peers/train-sim.mjs";
import { sum, trialOf } from "./scripts/load.mjs";

const COUNTS = ["8", "32", "64", "128", "256", "512"];
/** Seconds of load after the window, so that the program does not end inside it. */
const SLACK_SECONDS = 2;
/** Connections for sampling and for the bench itself. */
const SPARE_CONNECTIONS = 20;
const CLIENT_NICENESS = "-10";
const lastProcessors = `1-${cpus().length - 1}`;
const allProcessors = `0-${cpus().length - 1}`;

const pin = (processors, pid) => execFileSync("taskset", ["-a", "-c", "-p", processors, String(pid)]);
const threadsOf = (pid) => readdirSync(`/proc/${pid}/task`);

/** Places by name: the number of worker threads, and how the client and the server are placed on processors. */
const PLACES = {
  shared: { workers: 1 },
  "two threads": { workers: 2 },
  priority: {
    workers: 1,
    place: (client) => execFileSync("renice", ["-n", CLIENT_NICENESS, "-p", ...threadsOf(client)]),
  },
  apart: { workers: 1, serverProcessors: "0", place: (client) => pin(lastProcessors, client) },
};

/** Seconds that each thread of a process has run and has waited for a processor while ready, and its number of time slices. */
const schedules = (pid) =>
  new Map(
    threadsOf(pid).map((thread) => {
      const [ranNs, waitedNs, slices] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8")
        .split(" ")
        .map(Number);
      return [thread, { ranSeconds: ranNs / 1e9, waitedSeconds: waitedNs / 1e9, slices }];
    }),
  );

/** Seconds and time slices between two readings, for the thread that ran longest. */
function busiestThread(before, after) {
  const differences = [...after].map(([thread, is]) => {
    const was = before.get(thread) ?? { ranSeconds: 0, waitedSeconds: 0, slices: 0 };
    return {
      ranSeconds: is.ranSeconds - was.ranSeconds,
      waitedSeconds: is.waitedSeconds - was.waitedSeconds,
      slices: is.slices - was.slices,
    };
  });
  return differences.sort((a, b) => b.ranSeconds - a.ranSeconds)[0];
}

function scenarioOf(server, clients, workers, { warmUp, seconds }) {
  const load = { executor: "constant-clients", clients, thinkTime: 0 };
  return JSON.stringify({
    ...{ name: "direct-clients", seed: 1, trials: 1, payload: "text", topology: "cycle", appDelay: 0 },
    ...{ locking: "skip-locked", batch: { min: 1, max: 10 }, diagnosis: { ceiling: false } },
    target: { kind: "url", urls: [server.url] },
    actors: { cycle: { workers, load } },
    trial: { warmUp: `${warmUp}s`, duration: `${seconds + SLACK_SECONDS}s`, drain: false },
  });
}

async function measureOne(server, { workers, serverProcessors = allProcessors, place }, clients, options) {
  const children = execFileSync("pgrep", ["-P", String(server.target.serverPid)], { encoding: "utf8" });
  for (const pid of [server.target.serverPid, ...children.trim().split("\n")]) pin(serverProcessors, pid);
  const running = startScenario(server, scenarioOf(server, clients, workers, options));
  try {
    const [pid] = running.pids;
    await running.warm();
    place?.(pid);
    const before = schedules(pid);
    await sleep(options.seconds * 1000);
    const thread = busiestThread(before, schedules(pid));
    const { client, operations, windowSeconds } = await trialOf(running);
    const transactions = sum(Object.values(operations).map((each) => each.transactions));
    return { ...thread, delayP99Ms: client.eventLoopDelayP99Ms, perSecond: transactions / windowSeconds };
  } finally {
    await running.stop();
  }
}

const options = readOptions({ seconds: 5, warmUp: 3 }, [], { only: Object.keys(PLACES), clients: COUNTS });
const rows = [
  ["place", "clients", "transactions/s", "delay p99, ms", "thread ran", "thread waited", "mean wait, ms"],
];
const results = [];
const server = await openServer(Math.max(...COUNTS.map(Number)) + SPARE_CONNECTIONS);
try {
  for (const name of options.only) {
    for (const clients of options.clients.map(Number)) {
      const one = await measureOne(server, PLACES[name], clients, options);
      const percent = (seconds) => `${((100 * seconds) / options.seconds).toFixed(0)} %`;
      rows.push([
        ...[name, String(clients), one.perSecond.toFixed(0), one.delayP99Ms.toFixed(1)],
        ...[percent(one.ranSeconds), percent(one.waitedSeconds)],
        ((1000 * one.waitedSeconds) / one.slices).toFixed(2),
      ]);
      results.push({ name, clients, ...one });
      console.error(rows.at(-1)?.join("  "));
    }
  }
} finally {
  await server.close();
}
if (options.json) console.log(JSON.stringify(results));
else console.log(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(2)}\n${alignColumns(rows)}`);
