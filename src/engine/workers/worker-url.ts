// Where the worker threads' entry is: beside this file in the built program; in the build, too, when this file runs
// from source under the tests, because a worker thread starts with plain Node, which reads no TypeScript.
// Whoever runs from source must have built before: `npm test` does.
import { existsSync } from "node:fs";

export function workerEntryUrl(): URL {
  const built = new URL("./worker-entry.js", import.meta.url);
  return existsSync(built) ? built : new URL("../../../dist/engine/workers/worker-entry.js", import.meta.url);
}
