// Measures how many clients train-sim carries through one managed PgBouncer: the built program runs with each number of
// clients, and the bench prints throughput, latency, event-loop delay, peak memory, and whether an event was lost. A number
// that is refused is printed with the reason. Two numbers have bounds: 512 clients in one thread have a bound on the delay
// of its event loop, which includes the time that the thread was ready and not run if the server shares the machine's
// cores; 2 000 clients have a bound on memory. The bench exits with 1 if a bound is missed, an event was lost or a run
// failed. It needs a PgBouncer (see `train-sim doctor`).
//
//   node bench/clients.mjs [--most 2000] [--short] [--json]
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const COUNTS = [8, 64, 512, 2000, 5000, 10_000, 20_000];
/** Number of clients for which the event loop's delay has a bound. They run in one thread. */
const DELAY_CLIENTS = 512;
const DELAY_P99_MS_MAX = 20;
const MEMORY_CLIENTS = 2000;
const MEMORY_MB_MAX = 400;
const LOOK_MS = 200;
const REFUSED = 104;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Peak memory of a running process in MB. It cannot be read after the process ends. */
function peakMb(pid) {
  try {
    const [, kb] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kb === undefined ? undefined : (Number(kb) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}

async function run({ clients, workers }) {
  const out = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const set = `actors.cycle.load.clients=${clients}`;
  // Many clients without pauses take seconds for one turn, and each client must have more than one turn in the window.
  const duration = `${Math.min(30, Math.max(10, Math.round(clients / 50)))}s`;
  const args = [
    "run",
    here("clients.yaml"),
    "--json",
    "--quiet",
    "--out",
    out,
    "--set",
    set,
    "--set",
    `actors.cycle.workers=${workers}`,
    "--duration",
    duration,
  ];
  const child = spawn(process.execPath, [here("../dist/cli/main.js"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let memoryMb;
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const look = setInterval(() => (memoryMb = peakMb(child.pid) ?? memoryMb), LOOK_MS);
  const status = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(look);
  rmSync(out, { recursive: true, force: true });
  return { status, stderr, memoryMb, result: stdout === "" ? undefined : JSON.parse(stdout) };
}

function figures({ clients, workers }, { result, memoryMb }) {
  const [trial] = result.treatments[0].trials;
  const { transactionsPerSecond, responseTimeMs, retries } = trial.operations.__cycle__;
  const { eventsPerSecond } = trial.operations.process;
  const failures = Object.values(trial.operations)
    .flatMap((operation) => Object.values(operation.failures))
    .reduce((sum, count) => sum + count, 0);
  return {
    clients,
    workers,
    cyclesPerSecond: Math.round(transactionsPerSecond),
    eventsPerSecond: Math.round(eventsPerSecond),
    p50Ms: Math.round(responseTimeMs?.p50 ?? 0),
    p99Ms: Math.round(responseTimeMs?.p99 ?? 0),
    retries,
    failures,
    eventLoopDelayP99Ms: Number((trial.client?.eventLoopDelayP99Ms ?? Number.NaN).toFixed(1)),
    busiestLoopShare: Number((trial.client?.workerUtilization ?? Number.NaN).toFixed(2)),
    peakMemoryMb: memoryMb === undefined ? "unknown" : Math.round(memoryMb),
    published: trial.integrity?.published ?? 0,
    lost: trial.integrity?.lost ?? "unknown",
    integrity: trial.integrity?.verdict ?? "unknown",
    status: trial.status,
  };
}

/** Descriptions of the bounds that a row misses; empty if its number of clients has no bound. */
function missesOf({ clients, workers, eventLoopDelayP99Ms, peakMemoryMb }) {
  const checks = [
    [
      clients === DELAY_CLIENTS && workers === 1,
      "eventLoopDelayP99Ms",
      eventLoopDelayP99Ms,
      DELAY_P99_MS_MAX,
    ],
    [clients === MEMORY_CLIENTS, "peakMemoryMb", peakMemoryMb, MEMORY_MB_MAX],
  ];
  return checks
    .filter(([isHeld, , value, bound]) => isHeld && !(value < bound))
    .map(([, name, value, bound]) => `${name} ${value} is not below ${bound}`);
}

const { most, short, json } = readOptions({ most: 2000 }, ["short"]);
const counts = short ? [DELAY_CLIENTS, MEMORY_CLIENTS] : COUNTS;
const cases = counts
  .filter((clients) => clients <= most)
  .flatMap((clients) => (clients === DELAY_CLIENTS ? [1, 2] : [2]).map((workers) => ({ clients, workers })));
const rows = [];
for (const each of cases) {
  const outcome = await run(each);
  if (outcome.result) {
    const row = figures(each, outcome);
    const misses = missesOf(row);
    rows.push({ ...row, misses });
    if (row.integrity !== "ok" || row.status !== "complete" || misses.length > 0) process.exitCode = 1;
  } else {
    const [words = ""] = outcome.stderr.split("\n");
    rows.push({ ...each, status: outcome.status === REFUSED ? "refused" : "failed", words });
    if (outcome.status !== REFUSED) process.exitCode = 1;
  }
  if (!json) console.log(JSON.stringify(rows.at(-1)));
}
if (json) console.log(JSON.stringify(rows, null, 2));
