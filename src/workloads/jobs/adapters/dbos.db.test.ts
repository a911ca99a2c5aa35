import { fileURLToPath } from "node:url";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";
import { builtUrl } from "../../../foundation/built.js";

describeQueueProgram("dbos", {
  command: [process.execPath, fileURLToPath(builtUrl("./dbos.js", import.meta.url))],
  // The default starts 4 jobs in each polling interval.
  jobCounts: { defaults: 20, tuned: 200 },
  keepsDone: true,
  rerunsAtOnce: true,
});
