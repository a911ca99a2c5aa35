// Measures the cost of each part of a client separately: nanoseconds of processor time and bytes of the JavaScript heap per
// operation, medians over rounds. `npm run bench:cost` compares the sum of the parts; this bench shows which part an
// increase lies in. Run `npm run build` first: it measures the built program.
//
//   node bench/parts.mjs [--rounds 9] [--operations 20000] [--json]
import { postgresql } from "#program/database/postgres/postgresql.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import v8 from "node:v8";
import vm from "node:vm";
import { EventLog } from "#program/clients/event-log.js";
import { RetryPolicy } from "#program/clients/retry-policy.js";
import { TimeAccount } from "#program/clients/time-account.js";
import { Transactor } from "#program/clients/transactor.js";
import { median } from "#program/analysis/statistics/quantiles.js";
import { bindAhead } from "#program/database/postgres/wire/bind-message.js";
import { monotonicMs } from "#program/foundation/clock.js";
import { Prng } from "#program/foundation/prng.js";
import { Sleeper } from "#program/foundation/sleeper.js";
import { PartNames, PartTimes, POOL_WAIT_PART } from "#program/metrics/part-times.js";
import { Recorder } from "#program/metrics/recorder.js";
import { LedgerFileWriter } from "#program/workloads/train-events/audit/ledger-file.js";
import { DocumentGenerator } from "#program/workloads/train-events/model/document-generator.js";
import { BatchMaker } from "#program/workloads/train-events/model/event-batch.js";
import { KeyMaker } from "#program/workloads/train-events/model/ledger.js";
import { readOptions } from "./options.mjs";

const BATCH = 20;
const WARM_UP_ROUNDS = 3;
/** @type {import("#program/workloads/train-events/model/ledger.js").LedgerSource} */
const SOURCE = {
  worker: 0,
  stream: "producers",
  ids: "uuidv7",
  seed: 42,
  documentBytes: 900,
  documentShape: "default",
};
/** A logger that writes nothing. */
const SILENT = /** @type {import("#program/foundation/logger.js").Logger} */ (
  /** @type {unknown} */ ({ warn: () => undefined, error: () => undefined, isLevelEnabled: () => true })
);
const directory = mkdtempSync(join(tmpdir(), "train-sim-parts-"));

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

/** A recorder for these operations, whose window never ends. */
function recorderOf(operations) {
  const recorder = new Recorder(operations);
  recorder.setWindow(0, Number.POSITIVE_INFINITY);
  return recorder;
}

/** The part "draw": a batch of 20 documents is drawn and written. */
function draw() {
  const keys = new KeyMaker(SOURCE);
  const maker = new BatchMaker(SOURCE.ids);
  const generator = new DocumentGenerator(SOURCE.seed, "producers/0");
  return (i) =>
    maker.make(keys.bytesOf({ batch: i, events: BATCH, madeAtMs: 1e12 + i }), generator, i * BATCH);
}

/** The part "bind": four short values are written into the message that carries them. */
function bind() {
  const statement = { name: "pay_1", text: "" };
  return (i) => bindAhead(statement, [i, "0192f0c1-0000-7000-8000-000000000000", 100 + (i & 63), 7]);
}

/** The part "transactor": a transaction of four calls runs on a connection that answers at once, and is recorded. */
function transactor() {
  const connection = {
    execute: async () => [],
    copyIn: async () => 0,
    ping: async () => undefined,
    executeNamed: async () => [],
    control: async () => undefined,
    observe: () => undefined,
    isBroken: false,
  };
  const lease = { connection, release: () => undefined };
  const own = new Transactor({
    failures: postgresql.failures,
    failurePlaceOf: () => ({}),
    source: { acquire: () => lease, endpointOf: () => 0 },
    recorder: recorderOf(["pay"]),
    eventLog: new EventLog(SILENT),
    retry: new RetryPolicy({ attempts: 3, baseMs: 10, ceilingMs: 15, deadlineMs: 60_000 }, new Prng(3)),
    slowTransactionMs: 1e9,
    sleeper: new Sleeper(),
    isStartedBySchedule: () => false,
    time: new TimeAccount(),
    partNames: new PartNames(),
    nowMs: monotonicMs,
  });
  const body = async (each) => {
    await each.control("BEGIN");
    await each.execute();
    await each.execute();
    await each.control("COMMIT");
    return 1;
  };
  const plan = { operation: "pay", client: 0, intendedMs: 0, isPoll: false, events: () => 1, body };
  return () => own.run(plan);
}

/** The part "recorder": a transaction of four parts is counted and put into histograms. */
function recorder() {
  const own = recorderOf(["pay"]);
  const names = new PartNames();
  const times = new PartTimes(names, 0);
  return (i) => {
    const startMs = i / 10;
    const finishedMs = startMs + 3;
    times.start(startMs);
    times.book(POOL_WAIT_PART, startMs, startMs);
    times.onCall("begin", startMs, startMs + 1);
    times.onCall("pay", startMs + 1, startMs + 2);
    times.onCall("commit", startMs + 2, finishedMs);
    times.finish(finishedMs, 0);
    own.transaction("pay", {
      finishedMs,
      events: 1,
      serviceMs: 3,
      responseMs: 3,
      poolWaitMs: 0,
      parts: times,
    });
    if (i % 10_000 === 9_999) own.take(finishedMs);
  };
}

/** The part "ledger": a batch is recorded in the file of acknowledged batches. */
function ledger() {
  const file = new LedgerFileWriter(join(directory, "ledger.bin"), SOURCE);
  const entry = {
    batch: 0,
    events: BATCH,
    madeAtMs: 1e12,
    firstDocument: 0,
    client: 0,
    keys: { u: 1, v: 2 },
  };
  return (i) => file.add(entry, "acknowledged", i);
}

/** The part "eventLog": a failure is counted in the log, but not written, because the lines of its second are used up. */
function eventLog() {
  const log = new EventLog(SILENT);
  const facts = { operation: "pay", client: 0, attempt: 1, serviceMs: 3, poolWaitMs: 0, second: 0 };
  const cause = { sqlstate: "40001", reason: "could not serialize access" };
  return () => log.failure(facts, cause);
}

const PARTS = {
  "draw, 20 documents": draw,
  "bind, 4 values": bind,
  "transactor, 4 calls": transactor,
  "recorder, 4 parts": recorder,
  ledger,
  "event log": eventLog,
};

/** Number of operations whose heap bytes are measured: so few that V8 collects no garbage meanwhile. */
const COUNTED_OPERATIONS = 500;

/** Measures one operation of a part: nanoseconds and heap bytes, medians over rounds. */
async function measureStep(step, { rounds, operations }) {
  const found = [];
  let i = 0;
  const run = async (count) => {
    for (const end = i + count; i < end; i++) {
      const pending = step(i);
      if (pending instanceof Promise) await pending;
    }
  };
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const cpu = process.cpuUsage();
    await run(operations);
    const { user, system } = process.cpuUsage(cpu);
    collect();
    const heap = v8.getHeapStatistics().used_heap_size;
    await run(COUNTED_OPERATIONS);
    const bytes = (v8.getHeapStatistics().used_heap_size - heap) / COUNTED_OPERATIONS;
    if (round >= WARM_UP_ROUNDS) found.push({ ns: ((user + system) * 1000) / operations, bytes });
  }
  return { ns: median(found.map(({ ns }) => ns)), bytes: median(found.map(({ bytes }) => bytes)) };
}

const options = readOptions({ rounds: 9, operations: 20_000 });
const results = {};
try {
  for (const [name, prepare] of Object.entries(PARTS)) results[name] = await measureStep(prepare(), options);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
if (options.json) console.log(JSON.stringify(results));
else
  for (const [name, { ns, bytes }] of Object.entries(results))
    console.log(`${name.padEnd(20)}  ${ns.toFixed(0).padStart(8)} ns  ${bytes.toFixed(0).padStart(8)} bytes`);
