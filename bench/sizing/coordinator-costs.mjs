// Measures the coordinator's cost of each cycle and each agent in the program's own code: it reads a worker's report and
// merges it, and it passes on memory that workers elsewhere published.
import { processCpuSeconds } from "#program/foundation/process-usage.js";
import { decode, encode, FromAgent } from "#program/engine/agents/agent-protocol.js";
import { MemoryMirror, MIRROR_MS } from "#program/engine/agents/memory-mirror.js";
import { PartNames, PartTimes } from "#program/metrics/part-times.js";
import { Recorder } from "#program/metrics/recorder.js";
import { Tally } from "#program/metrics/tally.js";
import { WorkerTallies } from "#program/metrics/worker-tallies.js";
import { LifecycleClock, RING_BYTES } from "#program/workloads/publish-times.js";

const OPERATIONS = ["add", "process", "archive", "__cycle__"];
const STAGES = /** @type {const} */ (["completed", "archived"]);
const CYCLES = 1_000;
const ROUNDS = 20;
export const LOOKS_PER_SECOND = 1_000 / MIRROR_MS;

function cpuMsOf(act, rounds) {
  act();
  const startMs = processCpuSeconds() * 1000;
  for (let round = 0; round < rounds; round++) act();
  return (processCpuSeconds() * 1000 - startMs) / rounds;
}

/** Report of a worker on one second, encoded as it is on the socket. */
function report(eventsPerCycle) {
  const recorder = new Recorder(OPERATIONS);
  const parts = new PartTimes(new PartNames(), 0);
  recorder.setWindow(0, Number.POSITIVE_INFINITY);
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const finishedMs = (cycle * 1_000) / CYCLES;
    for (const [i, operation] of OPERATIONS.entries()) {
      const serviceMs = 2 + i + (cycle % 97) / 10;
      parts.start(finishedMs - serviceMs);
      for (const call of ["begin", "claim", "advance", "commit"])
        parts.onCall(call, finishedMs - 1, finishedMs - 0.5);
      parts.finish(finishedMs, 0);
      const sample = {
        finishedMs,
        events: eventsPerCycle,
        serviceMs,
        responseMs: serviceMs,
        poolWaitMs: 0.01,
      };
      recorder.transaction(operation, { ...sample, parts });
    }
    for (let event = 0; event < eventsPerCycle; event++)
      for (const stage of STAGES) recorder.lifecycle(stage, 20 + (cycle % 89) + event / 10, finishedMs);
  }
  const delta = recorder.take(Number.POSITIVE_INFINITY);
  return encode({
    kind: "report",
    worker: 0,
    report: { kind: "delta", delta, eventLoopDelayP99Ms: 1, contacts: [] },
  });
}

/** CPU milliseconds and bytes that reports cost per cycle. */
export function costOfCycle(eventsPerCycle) {
  const bytes = report(eventsPerCycle);
  const cpuMs = cpuMsOf(() => {
    const message = decode(bytes, FromAgent);
    if (message.kind !== "report") throw new Error("a report is no report");
    const { delta } = /** @type {{ delta: import("#program/metrics/recorder.js").RecorderDelta }} */ (
      message.report
    );
    new WorkerTallies().add(0, delta);
    new Tally(OPERATIONS, 1).add(0, delta);
  }, ROUNDS);
  return { cpuMs: cpuMs / CYCLES, bytes: bytes.length / CYCLES };
}

/**
 * Costs of sending what changed in a thread's memory since the last look, after it has published `batches` batches: bytes
 * of the message, CPU milliseconds to read it, and CPU milliseconds to write it for each other agent.
 */
export function costOfLook(batches) {
  const memory = new SharedArrayBuffer(RING_BYTES);
  const clock = new LifecycleClock(new Map([[0, memory]]), []);
  const mirror = new MemoryMirror([[0, memory]]);
  let published = 0;
  const change = () => {
    for (let i = 0; i < batches; i++) clock.recordPublication(0, published++, 1_000 + published / 7);
    return mirror.changes();
  };
  change();
  const message = /** @type {const} */ ({ kind: "memory", changes: change() });
  const bytes = encode(message);
  return {
    bytes: bytes.length,
    readMs: cpuMsOf(() => decode(bytes, FromAgent), 200),
    writeMs: cpuMsOf(() => encode(message), 200),
  };
}
