// Measures the bytes of the JavaScript heap that are allocated for each event in the steady state: by the recorder alone,
// and by each worker thread of a real run, with the functions that allocate most. The first figure is the growth of the
// heap over a warm loop between garbage collections. The second comes from V8's sampling heap profiler, which counts
// collected objects too: its bytes over some seconds of an open loop, divided by the events of that role at its rate.
// Memory outside the heap (buffers) is not counted. The bench exits with 1 if the recorder allocates more than its bound.
// Run `npm run build` first.
//
//   node bench/allocations.mjs [--seconds 6] [--short] [--json]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import v8 from "node:v8";
import vm from "node:vm";
import { PartNames, PartTimes, POOL_WAIT_PART } from "#program/metrics/part-times.js";
import { Recorder } from "#program/metrics/recorder.js";
import { readOptions } from "./options.mjs";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const BATCH = 50;
const STEPS = 2_000;
/** Heap bytes of a transaction, the caller's sample object and its numbers included: 5 bytes per event of a batch of 50. */
const TRANSACTION_BYTES_MAX = 250;
/** Largest number of heap bytes per event. Counting must not allocate, but measurements are not exact. */
const EVENT_BYTES_MAX = 1;
const WARM_UP_SECONDS = 3;
const OPERATIONS = { producers: "add", consumers: "process", archivers: "archive" };

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");

/**
 * Heap bytes that one call of `step` allocates: median over some seconds. `step` takes whole numbers, since fractions would
 * be allocated.
 */
function bytesOf(recorder, step) {
  const found = [];
  for (let second = 0; second < 40; second++) {
    collect();
    const before = v8.getHeapStatistics().used_heap_size;
    for (let i = 0; i < STEPS; i++) step(second, i);
    found.push((v8.getHeapStatistics().used_heap_size - before) / STEPS);
    recorder.take((second + 1) * 1000);
  }
  return found.slice(20).sort((a, b) => a - b)[10];
}

function startRecorder() {
  const recorder = new Recorder(["add"]);
  recorder.setWindow(0, Number.POSITIVE_INFINITY);
  return recorder;
}

function transactionBytes() {
  const recorder = startRecorder();
  const names = new PartNames();
  const clients = Array.from({ length: 8 }, (_, client) => new PartTimes(names, client));
  return bytesOf(recorder, (second, i) => {
    const atMs = second * 1000 + (i * 1000) / STEPS;
    const serviceMs = 1 + (i & 63) / 7;
    const startMs = atMs - serviceMs;
    const parts = clients[i & 7];
    parts.start(startMs);
    parts.book(POOL_WAIT_PART, startMs, startMs + 0.01);
    parts.onCall("begin", startMs + 0.01, startMs + 0.2);
    parts.onCall("add", startMs + 0.2, startMs + 0.4);
    parts.onCall("commit", atMs - 0.3, atMs);
    parts.finish(atMs, 0);
    const sample = {
      finishedMs: atMs,
      events: BATCH,
      serviceMs,
      responseMs: serviceMs,
      poolWaitMs: 0.01,
      parts,
    };
    recorder.transaction("add", sample);
  });
}

function eventBytes() {
  const recorder = startRecorder();
  return bytesOf(recorder, (second, i) =>
    recorder.lifecycle("completed", 1.5 + (i & 63), second * 1000 + (i * 1000) / STEPS),
  );
}

/**
 * Module that each thread loads. It profiles allocations during some seconds of the window and writes them to a file by
 * function.
 */
const PROBE = `
import { Session } from "node:inspector";
import { isMainThread, workerData } from "node:worker_threads";
const seconds = Number(process.env.ALLOCATION_SECONDS);
if (!isMainThread && workerData?.role) {
  const session = new Session();
  session.connect();
  const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  setTimeout(() => session.post("HeapProfiler.startSampling", { samplingInterval: 4096, ...all }, () =>
    setTimeout(() => session.post("HeapProfiler.stopSampling", (error, result) => {
      const bytes = {};
      const visit = ({ callFrame, selfSize, children }) => {
        const name = (callFrame.functionName || "(anonymous)") + " " + callFrame.url.split("/").slice(-2).join("/");
        bytes[name] = (bytes[name] ?? 0) + selfSize;
        children.forEach(visit);
      };
      visit(result.profile.head);
      writeFileSync(process.env.ALLOCATION_DIRECTORY + "/" + workerData.role + ".json", JSON.stringify(bytes));
    }), seconds * 1000)), ${WARM_UP_SECONDS + 1} * 1000);
}
`;

const open = (rate) => ({
  load: { executor: "constant-arrival-rate", rate, maxClients: 8, distribution: "uniform" },
});

/** Runs train-sim; returns heap bytes per event by role, in total and by function. */
function profile(seconds) {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const scenario = {
    ...{ name: "allocations", seed: 42, payload: "text", trials: 1, batch: BATCH, appDelay: 0 },
    ...{ statementShape: "single-statement", diagnosis: { ceiling: false } },
    actors: { producers: open(20), consumers: open(60), archivers: open(30) },
    // Threads start shortly before the warm-up begins, so the profiles end before the window does.
    trial: { warmUp: `${WARM_UP_SECONDS}s`, duration: `${seconds + 2}s`, drain: false },
  };
  try {
    const file = join(directory, "scenario.yaml");
    const probe = join(directory, "probe.mjs");
    writeFileSync(file, JSON.stringify(scenario));
    writeFileSync(probe, PROBE);
    const out = join(directory, "out");
    const settings = { ALLOCATION_SECONDS: String(seconds), ALLOCATION_DIRECTORY: directory };
    const env = { ...process.env, ...settings, NODE_OPTIONS: `--import=${pathToFileURL(probe).href}` };
    execFileSync(process.execPath, [MAIN, "run", file, "--out", out, "--quiet"], { env, stdio: "pipe" });
    const { treatments } = JSON.parse(readFileSync(join(out, readdirSync(out)[0], "result.json"), "utf8"));
    const { operations } = treatments[0].trials[0];
    return Object.entries(OPERATIONS).map(([role, operation]) => {
      const byFunction = JSON.parse(readFileSync(join(directory, `${role}.json`), "utf8"));
      const events = operations[operation].eventsPerSecond * seconds;
      const entries = Object.entries(byFunction).map(([name, bytes]) => ({ name, bytes: bytes / events }));
      const most = entries.sort((a, b) => b.bytes - a.bytes).slice(0, 6);
      return { role, events, bytesPerEvent: entries.reduce((sum, { bytes }) => sum + bytes, 0), most };
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const options = readOptions({ seconds: 6 }, ["short"]);
const recorder = { transactionBytes: transactionBytes(), eventBytes: eventBytes() };
const roles = profile(options.short ? 3 : options.seconds);
if (options.json) console.log(JSON.stringify({ recorder, roles }, null, 2));
else {
  console.log(
    `recorder: ${recorder.transactionBytes.toFixed(1)} bytes a transaction (at most ${TRANSACTION_BYTES_MAX}),`,
  );
  console.log(
    `  ${recorder.eventBytes.toFixed(2)} bytes an event's end-to-end latency (at most ${EVENT_BYTES_MAX})`,
  );
  for (const { role, bytesPerEvent, events, most } of roles) {
    console.log(
      `${role}: ${bytesPerEvent.toFixed(0)} bytes of heap an event, over about ${events.toFixed(0)} events`,
    );
    for (const { name, bytes } of most) console.log(`  ${bytes.toFixed(0).padStart(6)}  ${name}`);
  }
}
const isMet = recorder.transactionBytes <= TRANSACTION_BYTES_MAX && recorder.eventBytes <= EVENT_BYTES_MAX;
if (!isMet) process.exitCode = 1;
