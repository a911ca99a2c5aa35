import { fileURLToPath } from "node:url";
import { describeQueueProgram } from "../support/queue-program.js";

describeQueueProgram("graphile-worker", {
  command: [
    process.execPath,
    fileURLToPath(new URL("../../dist/workloads/jobs/adapters/graphile-worker.js", import.meta.url)),
  ],
  unordered: ["tuned"],
  keepsDone: false,
});
