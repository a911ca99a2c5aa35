// Starts one worker thread, with what V8 is told about its memory. What it runs and is told later is the fleet's.
import { Worker } from "node:worker_threads";
import type { Assignment } from "./protocol.js";
import { workerEntryUrl } from "./worker-url.js";

/** A quarter of V8's own: 2 000 clients then took 306 MB instead of 400. */
const YOUNG_GENERATION_MB = 12;

export function startThread(assignment: Assignment): Worker {
  return new Worker(workerEntryUrl(), {
    workerData: assignment,
    name: `${assignment.role}-${assignment.index}`,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
