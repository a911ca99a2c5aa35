// Measures the cost of reading a log: the bench makes a log of the given size from lines that a worker writes (a summary
// with its histogram for each second and operation, and up to 20 retries and slow transactions), analyses it by `train-sim
// logs` in a separate process, and prints peak memory and speed. It exits with 1 if the peak is above the bound of 256 MB,
// or if a total is not the written one. Run `npm run build` first: it measures the built program.
//
//   node bench/logs.mjs [--megabytes 200] [--json]
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isoTime, monotonicMs } from "#program/foundation/clock.js";
import { Prng } from "#program/foundation/prng.js";
import { encodeHistogram } from "#program/metrics/encoded-histogram.js";
import { createHistogram } from "#program/metrics/histograms.js";
import { readOptions } from "./options.mjs";

const MEMORY_BOUND_MB = 256;
const ROLES = [
  ["producers", "add"],
  ["consumers", "process"],
  ["archivers", "archive"],
];
const TRANSACTIONS_PER_SECOND = 400;
const MB = 1e6;

const prng = new Prng(42);

/** Histograms made in advance, each of one second's transactions. */
const histograms = Array.from({ length: 64 }, () => {
  const histogram = createHistogram();
  for (let i = 0; i < TRANSACTIONS_PER_SECOND; i++)
    histogram.recordValue(Math.round(-Math.log(1 - prng.float()) * 20_000));
  return encodeHistogram(histogram);
});

function lineOf(level, second, [actor, operation], fields) {
  const time = isoTime(1.7e12 + second * 1000);
  const who = { level, time, trial: 1, treatment: "bench", actor, worker: 0, operation };
  return `${JSON.stringify({ ...who, ...fields })}\n`;
}

/** Lines that one worker logs in a second: a summary, and in a quarter of the seconds also details. */
function secondOf(second, actor) {
  const counts = { transactions: TRANSACTIONS_PER_SECOND, events: 20_000, emptyPolls: 0, failures: {} };
  const times = { meanResponseMs: 20, maxResponseMs: 150 };
  const responseHistogram = histograms[second % histograms.length];
  const summary = {
    event: "summary",
    second,
    ...counts,
    retries: { 40001: 20 },
    ...times,
    responseHistogram,
  };
  const details = second % 4 === 0 ? 20 : 0;
  const facts = { client: 3, attempt: 1, serviceMs: 12.345678901234, poolWaitMs: 0.01, second };
  const reason = "process.claim: could not serialize access due to concurrent update";
  const cause = { sqlstate: "40001", reason, statement: "process.claim", backoffMs: 3.2109876 };
  const retry = lineOf("warn", second, actor, { event: "retry", ...facts, ...cause });
  return lineOf("info", second, actor, summary) + retry.repeat(details);
}

/** Writes a log and resolves to the number of seconds in it. */
function writeLog(path, bytes) {
  const file = openSync(path, "w");
  let second = 0;
  for (let written = 0; written < bytes; second++)
    for (const actor of ROLES) written += writeSync(file, secondOf(second, actor));
  closeSync(file);
  return second;
}

const options = readOptions({ megabytes: 200 });
const directory = mkdtempSync(join(os.tmpdir(), "train-sim-bench-"));
try {
  const path = join(directory, "log.ndjson");
  const seconds = writeLog(path, options.megabytes * MB);
  const megabytes = statSync(path).size / MB;
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  // The reading process prints its own peak memory when it exits: no other process can read it.
  const tell = `process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS))`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(tell)}`, main, "logs", path, "--json"];
  const startMs = monotonicMs();
  const run = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  const elapsedMs = monotonicMs() - startMs;
  if (run.status !== 0) throw new Error(`train-sim ended with ${run.status}: ${run.stderr}`);
  const peakMb = (Number(/peak (\d+)/.exec(run.stderr)?.[1]) * 1024) / MB;
  const { operations } = JSON.parse(run.stdout).trials[0];
  const isExact = ROLES.every(
    ([, operation]) => operations[operation].transactions === seconds * TRANSACTIONS_PER_SECOND,
  );
  const megabytesPerSecond = (megabytes * 1000) / elapsedMs;
  const result = { benchmark: "logs", node: process.version, megabytes, megabytesPerSecond, peakMb, isExact };
  console.log(
    options.json
      ? JSON.stringify(result, null, 2)
      : `read ${megabytes.toFixed(0)} MB at ${megabytesPerSecond.toFixed(0)} MB/s, peak ${peakMb.toFixed(0)} MB of ` +
          `memory; bound ${MEMORY_BOUND_MB} MB; totals ${isExact ? "exact" : "WRONG"}`,
  );
  if (!isExact || !(peakMb <= MEMORY_BOUND_MB)) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
