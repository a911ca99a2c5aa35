import { builtUrl } from "../../../foundation/built.js";
import { fileURLToPath } from "node:url";
import { describeQueueProgram } from "../../../../test/support/queue-program.js";
import { DESIGN_NAMES } from "../designs.js";

const program = [process.execPath, fileURLToPath(builtUrl("designs.js", import.meta.url))];

for (const design of DESIGN_NAMES) {
  const hasLease = !["held", "advisory"].includes(design);
  const settings = {
    ...{
      design,
      layout: "status-index",
      ids: "bigint",
      wakeup: { pollMs: 20, isNotified: true },
      claimBatch: 2,
    },
    ...{ fillfactor: 100, foreignKey: false, leaseMs: 60_000, attempts: 3, retryAfterMs: 50 },
  };
  describeQueueProgram(design, {
    command: program,
    settings,
    jobCounts: { tuned: 200 },
    keepsDone: ["batch", "partitions"].includes(design),
    hasPriorities: design !== "batch",
    killedState: hasLease ? "running" : "waiting",
    rerunsAtOnce: !hasLease,
  });
}
