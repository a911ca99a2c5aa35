import { join } from "node:path";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";

const program = join(import.meta.dirname, "../../../../scenarios/queues/tiny.mjs");

describeQueueProgram("tiny", {
  command: [process.execPath, program],
  keepsDone: true,
  jobCounts: { defaults: 200 },
});
