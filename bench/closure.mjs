// Checks Little's law in every run: clients x window must equal the time that the clients account for (in service, waiting
// for their next start, idle after an empty poll, preparing), or some time was not measured. The built program runs once
// for each number of clients and each way to the database; runs of 512 clients have one worker thread. The bench exits with
// 1 if an account is more than 1 % off, an event was lost or a run failed. It needs a PgBouncer (see `train-sim doctor`).
// Run `npm run build` first.
//
//   node bench/closure.mjs [--seconds 10] [--short] [--json]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const BOUND = 0.01;
const POOLS = {
  direct: { strategy: "direct" },
  pgbouncer: { strategy: "pgbouncer", mode: "transaction", size: 16 },
};
const CLIENTS = [8, 64, 512];

function run(clients, pool, seconds) {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const load = { executor: "constant-clients", clients, thinkTime: { min: "0ms", max: "20ms" } };
  const scenario = {
    ...{ name: "closure", seed: 42, payload: "text", pool: POOLS[pool], topology: "cycle", trials: 1 },
    ...{ batch: { min: 1, max: 10 }, appDelay: 0, evidence: { every: "off" }, diagnosis: { ceiling: false } },
    actors: { cycle: { workers: 1, load } },
    trial: { warmUp: "3s", duration: `${seconds}s`, drain: false },
  };
  try {
    const file = join(directory, "scenario.yaml");
    writeFileSync(file, JSON.stringify(scenario));
    const args = [MAIN, "run", file, "--out", join(directory, "out"), "--json", "--quiet"];
    const json = execFileSync(process.execPath, args, {
      ...{ encoding: "utf8", maxBuffer: 1 << 28 },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return JSON.parse(json).treatments[0].trials[0];
  } catch (error) {
    const [words] = String(error.stderr ?? error.message).split("\n");
    throw new Error(`${clients} clients, ${pool}: ${words}`, { cause: error });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function figures(clients, pool, { client, windowSeconds, operations, integrity }) {
  const { accountedMs, eventLoopDelayP99Ms } = client;
  const accountedSeconds = Object.values(accountedMs).reduce((sum, ms) => sum + ms, 0) / 1000;
  const { transactions, responseTimeMs } = operations.__cycle__;
  return {
    ...{ clients, pool, windowSeconds, accountedSeconds },
    ratio: accountedSeconds / (clients * windowSeconds),
    rounds: transactions,
    roundMeanMs: responseTimeMs.mean,
    eventLoopDelayP99Ms,
    accountedMs,
    integrity: integrity.verdict,
  };
}

const options = readOptions({ seconds: 10 }, ["short"]);
const rows = [];
const notRun = [];
if (!options.json)
  console.log("clients pool       clients x window s  accounted s   ratio   event-loop p99 ms");
for (const pool of Object.keys(POOLS)) {
  for (const clients of CLIENTS) {
    let row;
    try {
      row = figures(clients, pool, run(clients, pool, options.short ? 3 : options.seconds));
    } catch (error) {
      notRun.push(error.message);
      if (!options.json) console.log(`NOT RUN: ${error.message}`);
      continue;
    }
    rows.push(row);
    const cells = [
      String(clients).padStart(7),
      pool.padEnd(10),
      (clients * row.windowSeconds).toFixed(1).padStart(18),
      row.accountedSeconds.toFixed(1).padStart(12),
      row.ratio.toFixed(4).padStart(8),
      row.eventLoopDelayP99Ms.toFixed(1).padStart(12),
    ];
    if (!options.json) console.log(cells.join(" "));
  }
}
const isMet =
  notRun.length === 0 &&
  rows.every(({ ratio, integrity }) => Math.abs(ratio - 1) <= BOUND && integrity === "ok");
if (options.json) console.log(JSON.stringify({ rows, notRun }, null, 2));
else console.log(`${isMet ? "met" : "MISSED"}: within ${BOUND * 100} % of clients x window`);
if (!isMet) process.exitCode = 1;
