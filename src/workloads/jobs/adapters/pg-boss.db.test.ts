import { fileURLToPath } from "node:url";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";
import { builtUrl } from "../../../foundation/built.js";

describeQueueProgram("pg-boss", {
  command: [process.execPath, fileURLToPath(builtUrl("./pg-boss.js", import.meta.url))],
  // By default it starts one job of each worker in a polling interval.
  jobCounts: { defaults: 20, tuned: 200 },
  keepsDone: true,
});
