// Measures the processor time of measuring: nanoseconds of a worker thread for each recorded transaction (its seven parts
// and the hand-over once per second included, readings of the clock excluded) and for each event's end-to-end latency, and
// milliseconds of the coordinator for each second that it merges and writes. The bench exits with 1 if a transaction or an
// event costs more than 1 us. Run `npm run build` first: it measures the built program.
//
//   node bench/recorder.mjs [--rounds 9] [--transactions 1000000] [--json]
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { processCpuSeconds } from "#program/foundation/process-usage.js";
import { Prng } from "#program/foundation/prng.js";
import { PartNames, PartTimes, POOL_WAIT_PART, RELEASE_PART } from "#program/metrics/part-times.js";
import { Recorder, transferablesOf } from "#program/metrics/recorder.js";
import { Tally } from "#program/metrics/tally.js";
import { TrialFiles } from "#program/results/trial-files.js";
import { median } from "#program/analysis/statistics/quantiles.js";
import { readOptions } from "./options.mjs";

const CEILING_NS = 1000;
const WARM_UP_ROUNDS = 2;
/** Rate of the simulated load: far more than a database on the same machine reaches. */
const TRANSACTIONS_PER_SECOND = 10_000;
/** @type {import("#program/metrics/operations.js").Operation[]} */
const OPERATIONS = ["add", "process", "archive"];
const COORDINATOR_SECONDS = 20;
const COORDINATOR_TRANSACTIONS_PER_SECOND = 1000;

/** Service times with an exponential distribution, drawn before the measurement. */
const prng = new Prng(42);
const SERVICE_MS = Float64Array.from({ length: 4096 }, () => -Math.log(1 - prng.float()) * 20);

/**
 * Processor time of this process in milliseconds, garbage collection included. Other load on the machine does not change
 * it.
 */
const cpuMs = () => processCpuSeconds() * 1000;

function startedRecorder() {
  const recorder = new Recorder(OPERATIONS);
  recorder.setWindow(0, Number.POSITIVE_INFINITY);
  return recorder;
}

/** Records the times of a transaction with four calls, as a connection and its client do. */
function bookParts(times, finishedMs, serviceMs) {
  const startMs = finishedMs - serviceMs;
  const callMs = serviceMs / 5;
  times.start(startMs);
  times.book(POOL_WAIT_PART, startMs, startMs + 0.01);
  times.onCall("begin", startMs + 0.01, startMs + callMs);
  times.onCall("process.claim", startMs + callMs, startMs + 2 * callMs);
  times.onCall("process.advance", startMs + 2 * callMs, startMs + 3 * callMs);
  times.onCall("commit", startMs + 3.5 * callMs, finishedMs);
  times.book(RELEASE_PART, finishedMs, finishedMs);
  times.finish(finishedMs, 0);
  return times;
}

/** Records transactions as a worker does: with one sample object for each, and a hand-over once per second. */
function measureTransactions(transactions) {
  const recorder = startedRecorder();
  const names = new PartNames();
  const clients = Array.from({ length: 8 }, (_, client) => new PartTimes(names, client));
  let second = 0;
  let shippedBuffers = 0;
  const startMs = cpuMs();
  for (let i = 0; i < transactions; i++) {
    const finishedMs = (i / TRANSACTIONS_PER_SECOND) * 1000;
    const serviceMs = SERVICE_MS[i & 4095];
    recorder.transaction(OPERATIONS[i % 3], {
      finishedMs,
      events: 50,
      serviceMs,
      responseMs: serviceMs,
      poolWaitMs: 0.01,
      parts: bookParts(clients[i & 7], finishedMs, serviceMs),
    });
    if (finishedMs >= (second + 1) * 1000) {
      second++;
      shippedBuffers += transferablesOf(recorder.take(finishedMs)).length;
    }
  }
  const elapsedMs = cpuMs() - startMs;
  if (transactions >= TRANSACTIONS_PER_SECOND * 2 && shippedBuffers === 0)
    throw new Error("nothing was shipped");
  return (elapsedMs / transactions) * 1e6;
}

function measureLifecycle(events) {
  const recorder = startedRecorder();
  const startMs = cpuMs();
  for (let i = 0; i < events; i++) {
    recorder.lifecycle("completed", SERVICE_MS[i & 4095], i / 100);
    if (i % 100_000 === 99_999) recorder.take(i / 100);
  }
  return ((cpuMs() - startMs) / events) * 1e6;
}

/**
 * Milliseconds that the coordinator needs for one second of load: it merges the deltas of three workers and writes its
 * lines.
 */
function measureCoordinator() {
  const directory = mkdtempSync(join(os.tmpdir(), "train-sim-bench-"));
  const files = new TrialFiles(directory, 0);
  const tally = new Tally(OPERATIONS, OPERATIONS.length, files.onSecond);
  const times = new PartTimes(new PartNames(), 0);
  const recorders = OPERATIONS.map(() => startedRecorder());
  let spentMs = 0;
  for (let second = 0; second < COORDINATOR_SECONDS; second++) {
    recorders.forEach((recorder, worker) => {
      for (let i = 0; i < COORDINATOR_TRANSACTIONS_PER_SECOND; i++) {
        const finishedMs = second * 1000 + (i * 1000) / COORDINATOR_TRANSACTIONS_PER_SECOND;
        const serviceMs = SERVICE_MS[(i + second) & 4095];
        const parts = bookParts(times, finishedMs, serviceMs);
        const sample = { finishedMs, events: 50, serviceMs, responseMs: serviceMs, poolWaitMs: 0.01, parts };
        recorder.transaction(OPERATIONS[worker], sample);
      }
      const delta = recorder.take((second + 1) * 1000);
      const startMs = cpuMs();
      tally.add(worker, delta);
      spentMs += cpuMs() - startMs;
    });
  }
  files.close();
  rmSync(directory, { recursive: true, force: true });
  return spentMs / COORDINATOR_SECONDS;
}

function summarise(values) {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

function measureRounds(rounds, measure) {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) measure();
  return summarise(Array.from({ length: rounds }, () => measure()));
}

const options = readOptions({ rounds: 9, transactions: 1_000_000 });
const result = {
  benchmark: "recorder",
  node: process.version,
  cpu: os.cpus()[0]?.model ?? "unknown",
  rounds: options.rounds,
  transactionNs: measureRounds(options.rounds, () => measureTransactions(options.transactions)),
  lifecycleEventNs: measureRounds(options.rounds, () => measureLifecycle(options.transactions)),
  coordinatorSecondMs: measureRounds(options.rounds, measureCoordinator),
  ceilingTransactionNs: CEILING_NS,
};
if (options.json) {
  console.log(JSON.stringify(result, null, 2));
} else {
  const row = (name, { median: middle, least, most }, unit) =>
    console.log(
      `${name.padEnd(44)}  ${middle.toFixed(1).padStart(8)} ${unit}  (${least.toFixed(1)}..${most.toFixed(1)})`,
    );
  console.log(`node ${result.node}, ${result.cpu}, median of ${options.rounds} rounds (least..most)`);
  row("recording a transaction", result.transactionNs, "ns");
  row("recording an event's end-to-end latency", result.lifecycleEventNs, "ns");
  row("coordinator, per second of 3 x 1000 tx/s", result.coordinatorSecondMs, "ms");
}
const { transactionNs, lifecycleEventNs } = result;
if (Math.max(transactionNs.median, lifecycleEventNs.median) > CEILING_NS) process.exitCode = 1;
