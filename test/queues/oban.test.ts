import { installPython, queueFile } from "../support/queue-builds.js";
import { describeQueueProgram } from "../support/queue-program.js";

describeQueueProgram("oban", {
  command: [installPython("oban", "3.12"), queueFile("oban/adapter.py")],
  keepsDone: true,
});
