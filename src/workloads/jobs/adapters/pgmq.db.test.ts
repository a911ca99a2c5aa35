import { fileURLToPath } from "node:url";
import { builtUrl } from "../../../foundation/built.js";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";

const queue = {
  command: [process.execPath, fileURLToPath(builtUrl("pgmq.js", import.meta.url))],
  directory: fileURLToPath(new URL("../../../../test/fixtures/pgmq", import.meta.url)),
  keepsDone: false,
  hasPriorities: false,
  hasFixedSchema: true,
};
describeQueueProgram("pgmq", { ...queue, jobCounts: { tuned: 200 } });
