// Measures the time of `train-sim run` on the embedded target from the command to its first measured transaction: the built
// program is spawned again and again without a warm-up; the end is the first line of a transaction in the trial's log,
// which every transaction gets here. The first round may have to make the kept cluster and is shown separately. The bench
// exits with 1 if the median of the others is above the bound.
//
//   node bench/startup.mjs [--rounds 7] [--short] [--json]
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "#program/analysis/statistics/quantiles.js";
import { readOptions } from "./options.mjs";

const BOUND_MS = 3000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

function firstTransactionAt(out) {
  const [result] = readdirSync(out);
  const [trial] = readdirSync(join(out, result, "trials"));
  const directory = join(out, result, "trials", trial);
  const { startedAt } = JSON.parse(readFileSync(join(directory, "trial.json"), "utf8"));
  const lines = readFileSync(join(directory, "log.ndjson"), "utf8").trim().split("\n");
  const instants = lines
    .map((line) => JSON.parse(line))
    .filter(({ event, phase }) => event === "slow" && phase !== "drain")
    .map(({ time }) => Date.parse(time));
  if (instants.length === 0) throw new Error("the log names no transaction");
  return { windowAt: Date.parse(startedAt), firstAt: Math.min(...instants) };
}

async function round() {
  const out = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const args = [here("../dist/cli/main.js"), "run", here("startup.yaml"), "--quiet", "--out", out];
  const spawnedAt = Date.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) throw new Error(`train-sim ended with ${status}`);
  const { windowAt, firstAt } = firstTransactionAt(out);
  rmSync(out, { recursive: true, force: true });
  return { windowMs: windowAt - spawnedAt, firstTransactionMs: firstAt - spawnedAt };
}

const { rounds, short, json } = readOptions({ rounds: 7 }, ["short"]);
const first = await round();
const others = [];
for (let each = 0; each < (short ? Math.min(rounds, 5) : rounds); each++) others.push(await round());
const of = (key) => others.map((each) => each[key]);
const medianMs = median(of("firstTransactionMs"));
const outcome = {
  first,
  rounds: others,
  medianWindowMs: median(of("windowMs")),
  medianFirstTransactionMs: medianMs,
  boundMs: BOUND_MS,
  loadAverage1m: loadavg()[0],
};
if (json) console.log(JSON.stringify(outcome, null, 2));
else {
  console.log("round  window opens (ms)  first transaction committed (ms)");
  for (const [number, { windowMs, firstTransactionMs }] of [first, ...others].entries())
    console.log(
      `${String(number).padStart(5)}  ${String(windowMs).padStart(17)}  ${String(firstTransactionMs).padStart(32)}`,
    );
  const all = of("firstTransactionMs");
  console.log(
    `first measured transaction: median ${medianMs} ms (${Math.min(...all)} .. ${Math.max(...all)}), bound ${BOUND_MS} ms; load average ${loadavg()[0].toFixed(1)}`,
  );
}
if (medianMs > BOUND_MS) process.exitCode = 1;
