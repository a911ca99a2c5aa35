// Starts one worker thread, with V8's limit on its memory. What it runs comes from the fleet.
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Assignment } from "./protocol.js";

/** A quarter of V8's own: 2 000 clients then took 306 MB instead of 400. */
const YOUNG_GENERATION_MB = 12;

/** Beside this file in the built program; in the build, too, under the tests, since a thread reads no TypeScript. */
function entryUrl(): URL {
  const built = new URL("./worker-entry.js", import.meta.url);
  return existsSync(built) ? built : new URL("../../../dist/engine/workers/worker-entry.js", import.meta.url);
}

export function startThread(assignment: Assignment): Worker {
  return new Worker(entryUrl(), {
    workerData: assignment,
    name: `${assignment.role}-${assignment.index}`,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}
