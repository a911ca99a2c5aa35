// Estimates how many agents with how many threads carry 10 000 clients, and what becomes busy first: the threads' event
// loops, the coordinator's processor, its network, or the connections to the server. Costs are measured here: in four runs
// of the built program over agents on this machine, and in the coordinator's own code in this process. A simulation of a
// closed network of queues takes these costs. The bench compares it with a fifth run that is not among its inputs, and then
// simulates the large loads. It exits with 1 if that run's throughput or its threads' processor time is more than 25 % off.
// It needs a PgBouncer. Run `npm run build` first.
//
//   node bench/agents-sizing.mjs [--seconds 30] [--clients 10000] [--held 10] [--json]
import { readOptions } from "./options.mjs";
import { costOfCycle, costOfLook, LOOKS_PER_SECOND } from "./sizing/coordinator-costs.mjs";
import { measureRun } from "./sizing/measured-run.mjs";
import { simulate } from "./sizing/simulate.mjs";

const THINK_MS = 100;
const EVENTS_PER_CYCLE = 55;
const AGENTS = [1, 2, 4, 8, 16, 32];
const THREADS = [2, 4, 8];
/** Maximum number of threads of all agents together: the program refuses more. */
const THREADS_MAX = 255;
const POOLS = [16, 64, 256];
/** Utilization above which an event loop or a processor answers late. */
const BUSY = 0.8;
const GIGABIT_BYTES = 125e6;
const OFF_MAX = 0.25;
/**
 * Shortest simulated time in milliseconds. It is simulated twice: first until the state is steady, then as the measurement
 * window.
 */
const WINDOW_MIN_MS = 2_000;
const CYCLES_OF_EACH = 3;

/**
 * Size of the pool, small and equal in all runs: on this machine the time that a connection is held depends on the number
 * of connections.
 */
const CONNECTIONS = 4;
const RUNS = {
  few: { agents: 1, threads: 1, clients: 4 },
  many: { agents: 1, threads: 1, clients: 24 },
  threaded: { agents: 1, threads: 4, clients: 24 },
  spread: { agents: 8, threads: 8, clients: 24 },
};
const HELD_AGAINST = { agents: 2, threads: 4, clients: 12 };

/** Costs at the coordinator and on its network of sharing publish times between agents. They are 0 with a single agent. */
function sharingCost({ agents, threads, cyclesPerSecond }) {
  const { bytes, readMs, writeMs } = costOfLook(
    Math.max(1, Math.round(cyclesPerSecond / threads / LOOKS_PER_SECOND)),
  );
  const looks = agents > 1 ? LOOKS_PER_SECOND * threads : 0;
  const updates = looks * (agents - 1);
  return { cpuMs: looks * readMs + updates * writeMs, bytesIn: looks * bytes, bytesOut: updates * bytes };
}

/** Costs per second, each computed from two runs that differ in one thing. */
function costsFrom({ few, many, threaded, spread }) {
  const cycle = costOfCycle(EVENTS_PER_CYCLE);
  const slope = (what) => (many[what] - few[what]) / (many.cyclesPerSecond - few.cyclesPerSecond);
  const clientCpuMs = slope("agentCpuMs");
  const cycleBytes = slope("bytesIn");
  const baseOf = (run) => run.agentCpuMs - clientCpuMs * run.cyclesPerSecond;
  const threadBaseMs = Math.max(0, (baseOf(threaded) - baseOf(many)) / (threaded.threads - many.threads));
  const remainingCpuMs = (run) =>
    run.coordinatorCpuMs - cycle.cpuMs * run.cyclesPerSecond - sharingCost(run).cpuMs;
  const perAgentMs = Math.max(
    0,
    (remainingCpuMs(spread) - remainingCpuMs(many)) / (spread.agents - many.agents),
  );
  return {
    clientCpuMs,
    threadBaseMs,
    agentBaseMs: Math.max(0, baseOf(spread) / spread.agents - threadBaseMs),
    heldMs: (CONNECTIONS * 1000) / many.cyclesPerSecond,
    cycleBytes,
    agentBytesIn: Math.max(0, few.bytesIn - cycleBytes * few.cyclesPerSecond),
    agentBytesOut: few.bytesOut,
    coordinator: { cycleMs: cycle.cpuMs, perAgentMs, baseMs: remainingCpuMs(many) - perAgentMs },
  };
}

function predict(load, costs) {
  const { clientCpuMs, coordinator } = costs;
  const { heldMs = costs.heldMs, clients, threads, connections } = load;
  const mostPerMs = Math.min(threads / clientCpuMs, connections / heldMs);
  const windowMs = Math.max(WINDOW_MIN_MS, (CYCLES_OF_EACH * clients) / mostPerMs);
  const times = { thinkMs: THINK_MS, clientCpuMs, heldMs, warmUpMs: windowMs, windowMs };
  const simulated = simulate({ clients, threads, connections, ...times });
  const { cyclesPerSecond } = simulated;
  const { agents } = load;
  const shared = sharingCost({ ...load, cyclesPerSecond });
  return {
    ...simulated,
    threadUtilization: Math.min(1, simulated.threadUtilization + costs.threadBaseMs / 1000),
    agentCpuMs:
      clientCpuMs * cyclesPerSecond + costs.threadBaseMs * load.threads + costs.agentBaseMs * agents,
    coordinatorCpuMs:
      coordinator.baseMs +
      coordinator.perAgentMs * agents +
      coordinator.cycleMs * cyclesPerSecond +
      shared.cpuMs,
    bytesIn: costs.agentBytesIn * agents + costs.cycleBytes * cyclesPerSecond + shared.bytesIn,
    bytesOut: costs.agentBytesOut * agents + shared.bytesOut,
  };
}

function firstBusy({ threadUtilization, coordinatorCpuMs, bytesIn, bytesOut, connectionUtilization }) {
  const shares = {
    threads: threadUtilization / BUSY,
    coordinator: coordinatorCpuMs / 1000 / BUSY,
    network: Math.max(bytesIn, bytesOut) / GIGABIT_BYTES / BUSY,
    connections: connectionUtilization,
  };
  const [[first, share]] = Object.entries(shares).sort(([, a], [, b]) => b - a);
  return share < 0.98 ? "think time" : first;
}

const { seconds, clients, held, json } = readOptions({ seconds: 30, clients: 10_000, held: 10 });
const say = (words) => json || console.log(words);
const whole = (value) => value.toFixed(0);

const measure = (load) => measureRun({ ...load, connections: CONNECTIONS, thinkMs: THINK_MS, seconds });
const runs = {};
for (const [name, load] of Object.entries(RUNS)) runs[name] = await measure(load);
const costs = costsFrom(/** @type {any} */ (runs));
say(`costs: ${JSON.stringify(costs)}`);

const measured = await measure(HELD_AGAINST);
const predicted = predict({ ...HELD_AGAINST, connections: CONNECTIONS }, costs);
const compared = ["cyclesPerSecond", "cycleMs", "agentCpuMs", "coordinatorCpuMs", "bytesIn", "bytesOut"].map(
  (what) => ({
    ...{ what, model: predicted[what], measured: measured[what] },
    ratio: predicted[what] / measured[what],
  }),
);
say("\nof a run that the model was not made from       model   measured  ratio");
for (const { what, model, measured: seen, ratio } of compared)
  say(
    `${what.padEnd(44)} ${model.toFixed(1).padStart(9)}  ${seen.toFixed(1).padStart(9)}  ${ratio.toFixed(2)}`,
  );
say(
  `threads busy: model ${predicted.threadUtilization.toFixed(3)}, ` +
    `event loop of the busiest ${measured.loopUtilization.toFixed(3)}`,
);

const rows = [];
say(
  "\nagents threads connections  events/s  cycle ms  thread  coordinator  in MB/s  out MB/s  connections  first",
);
for (const connections of POOLS) {
  for (const agents of AGENTS) {
    for (const threads of THREADS.map((each) => each * agents)) {
      if (threads > THREADS_MAX) continue;
      const load = { agents, threads, connections, clients, heldMs: held };
      const found = predict(load, costs);
      const row = { agents, threads, connections, ...found, first: firstBusy(found) };
      rows.push(row);
      say(
        [
          String(agents).padStart(6),
          String(threads).padStart(7),
          String(connections).padStart(11),
          whole(row.cyclesPerSecond * EVENTS_PER_CYCLE).padStart(9),
          whole(row.cycleMs).padStart(9),
          row.threadUtilization.toFixed(2).padStart(7),
          (row.coordinatorCpuMs / 1000).toFixed(2).padStart(12),
          (row.bytesIn / 1e6).toFixed(1).padStart(8),
          (row.bytesOut / 1e6).toFixed(1).padStart(9),
          row.connectionUtilization.toFixed(2).padStart(12),
          ` ${row.first}`,
        ].join(" "),
      );
    }
  }
}
if (json) console.log(JSON.stringify({ runs, costs, compared, rows }, null, 2));
const isOff = ({ what, ratio }) =>
  ["cyclesPerSecond", "agentCpuMs"].includes(what) && Math.abs(1 - ratio) > OFF_MAX;
if (compared.some(isOff)) process.exitCode = 1;
