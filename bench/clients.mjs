// How many clients train-sim carries through one managed PgBouncer: a run of the built program for each count, its
// throughput, latency, event-loop delay, peak memory, and whether an event was lost. A count that is refused is printed
// with the reason. Exits with 1 when an event was lost or a run failed. Needs a PgBouncer (see `train-sim doctor`).
//
//   node bench/clients.mjs [--most 2000] [--json]
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const COUNTS = [8, 64, 512, 2000, 5000, 10_000, 20_000];
const LOOK_MS = 200;
const REFUSED = 104;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Most memory that a process has held so far, in MB; it is gone once the process is. */
function peakMb(pid) {
  try {
    const [, kb] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}

async function run(clients) {
  const out = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const set = `actors.cycle.load.clients=${clients}`;
  // As fast as they can, so many clients take turns of seconds: the window is to hold more than one turn of each.
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

function figures(clients, { result, memoryMb }) {
  const [trial] = result.treatments[0].trials;
  const { transactionsPerSecond, responseTimeMs, retries } = trial.operations.__cycle__;
  const { eventsPerSecond } = trial.operations.process;
  const failures = Object.values(trial.operations)
    .flatMap((operation) => Object.values(operation.failures))
    .reduce((sum, count) => sum + count, 0);
  return {
    clients,
    cyclesPerSecond: Math.round(transactionsPerSecond),
    eventsPerSecond: Math.round(eventsPerSecond),
    p50Ms: Math.round(responseTimeMs?.p50 ?? 0),
    p99Ms: Math.round(responseTimeMs?.p99 ?? 0),
    retries,
    failures,
    eventLoopDelayP99Ms: Math.round(trial.client?.eventLoopDelayP99Ms ?? 0),
    peakMemoryMb: memoryMb === undefined ? "unknown" : Math.round(memoryMb),
    published: trial.integrity?.published ?? 0,
    lost: trial.integrity?.lost ?? "unknown",
    integrity: trial.integrity?.verdict ?? "unknown",
    status: trial.status,
  };
}

const { most, json } = readOptions({ most: 2000 });
const rows = [];
for (const clients of COUNTS.filter((count) => count <= most)) {
  const outcome = await run(clients);
  if (outcome.result) {
    const row = figures(clients, outcome);
    rows.push(row);
    if (row.integrity !== "ok" || row.status !== "complete") process.exitCode = 1;
  } else {
    const [words = ""] = outcome.stderr.split("\n");
    rows.push({ clients, status: outcome.status === REFUSED ? "refused" : "failed", words });
    if (outcome.status !== REFUSED) process.exitCode = 1;
  }
  if (!json) console.log(JSON.stringify(rows.at(-1)));
}
if (json) console.log(JSON.stringify(rows, null, 2));
