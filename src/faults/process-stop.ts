// `process-stop`: SIGSTOP to all processes of the server or of the poolers, as a frozen virtual machine. Connections stay open.
import * as z from "zod";
import { defineFault, faultDuration, type FaultHost } from "./fault.js";
import { foreignServerObstacle, procObstacle, awaitHealthyServer } from "./healthy.js";
import { foreignPoolerObstacle } from "./pooler.js";
import { pauseProcesses, type ProcessPause } from "../foundation/process/stand-still.js";

export const STOPPABLE_PROCESSES = ["postgres", "pooler"] as const;
type StoppableProcess = (typeof STOPPABLE_PROCESSES)[number];

export const processStop = defineFault({
  name: "process-stop",
  description: "the server or the pooler stands still",
  keys: {
    for: faultDuration,
    process: z.enum(STOPPABLE_PROCESSES).optional().meta({
      description:
        "Processes that stand still: the server's, or every pooler that train-sim started. Default postgres.",
    }),
  },
  resolve: ({ process = "postgres" }): { readonly process: StoppableProcess } => ({ process }),
  // Stopping a pooler does not affect the server.
  affectedPart: ({ process }) => (process === "postgres" ? "server" : "pooler"),
  obstacle: (fault, surroundings) =>
    fault.process === "postgres" ? foreignServerObstacle(surroundings) : foreignPoolerObstacle(surroundings),
  machineObstacle: procObstacle,
  async inject(host, { process }) {
    const processPause = await stopProcesses(host, process);
    return {
      words: `stopped ${processPause.processCounts} process${processPause.processCounts === 1 ? "" : "es"} of ${process === "postgres" ? "the server" : (host.pooler?.product ?? "the pooler")}`,
      async clear() {
        await processPause.end();
        if (process === "postgres") await awaitHealthyServer(host.target);
      },
    };
  },
});

function stopProcesses({ target, pooler }: FaultHost, process: StoppableProcess): Promise<ProcessPause> {
  if (process === "postgres") return pauseProcesses(target.serverPid === undefined ? [] : [target.serverPid]);
  return pooler?.pauseProcesses() ?? pauseProcesses([]);
}
