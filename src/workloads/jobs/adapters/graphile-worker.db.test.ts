import { fileURLToPath } from "node:url";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";
import { builtUrl } from "../../../foundation/built.js";

describeQueueProgram("graphile-worker", {
  command: [process.execPath, fileURLToPath(builtUrl("./graphile-worker.js", import.meta.url))],
  unordered: ["tuned"],
  keepsDone: false,
});
