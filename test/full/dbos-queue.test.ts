import { fileURLToPath } from "node:url";
import { describeQueueProgram } from "../support/queue-program.js";

describeQueueProgram("dbos", {
  command: [
    process.execPath,
    fileURLToPath(new URL("../../dist/workloads/jobs/adapters/dbos.js", import.meta.url)),
  ],
  // The default starts 4 jobs in each polling interval.
  jobCounts: { defaults: 20, tuned: 200 },
  keepsDone: true,
  rerunsAtOnce: true,
});
