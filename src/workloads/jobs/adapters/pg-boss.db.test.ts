import { fileURLToPath } from "node:url";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";
import { builtUrl } from "../../../foundation/built.js";

describeQueueProgram("pg-boss", {
  command: [process.execPath, fileURLToPath(builtUrl("./pg-boss.js", import.meta.url))],
  // The default starts 4 jobs in each polling interval.
  jobCounts: { defaults: 20, tuned: 200 },
  unordered: ["tuned"],
  keepsDone: true,
});
