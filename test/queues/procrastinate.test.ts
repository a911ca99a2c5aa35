import { installPython, queueFile } from "../support/queue-builds.js";
import { describeQueueProgram } from "../support/queue-program.js";

describeQueueProgram("procrastinate", {
  command: [installPython("procrastinate"), queueFile("procrastinate/adapter.py")],
  keepsDone: true,
});
