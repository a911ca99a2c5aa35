import { buildGo } from "../support/queue-builds.js";
import { describeQueueProgram } from "../support/queue-program.js";

describeQueueProgram("river", { command: [buildGo("river")], keepsDone: true });
