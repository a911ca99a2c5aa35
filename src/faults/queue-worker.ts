// Faults of the programs that run jobs of a queue: they are killed and replaced, as under a supervisor, or stand still.
import * as z from "zod";
import { TargetError } from "../foundation/errors.js";
import { send } from "../foundation/process/server-process.js";
import { pauseProcesses } from "../foundation/process/stand-still.js";
import { defineFault, faultDuration, type FaultContext, type FaultHost } from "./fault.js";
import { procObstacle } from "./healthy.js";

const workers = z.int().min(1).max(64).optional().meta({
  description: "Number of worker programs of the queue that the fault affects. Default 1.",
});

interface QueueWorkerFault {
  readonly workers: number;
}

const resolve = ({ workers: count = 1 }: { workers?: number | undefined }): QueueWorkerFault => ({
  workers: count,
});

const obstacle = (_: QueueWorkerFault, { hasQueuePrograms }: FaultContext): string | undefined =>
  hasQueuePrograms ? undefined : "needs workload: jobs on this machine, whose workers are programs";

/** Process ids of as many worker programs, chosen by chance. Throws a TargetError if there are fewer. */
function choose(host: FaultHost, count: number): readonly number[] {
  const all = [...host.queueProcesses()];
  if (all.length < count)
    throw new TargetError(
      `${count} worker programs are to be affected, and ${all.length} run`,
      "Lower `workers` of the fault, or raise actors.workers.workers: each worker thread has one program.",
    );
  return host.prng.shuffle(all).slice(0, count);
}

const programs = (count: number): string => `${count} worker program${count === 1 ? "" : "s"}`;

export const queueWorkerKill = defineFault({
  name: "queue-worker-kill",
  description: "programs that run jobs are killed in the middle of their handlers; others take their places",
  keys: { workers },
  affectedPart: "queue",
  resolve,
  obstacle,
  inject(host, { workers: count }) {
    const chosen = choose(host, count);
    for (const pid of chosen) send(pid, "SIGKILL");
    return Promise.resolve({ words: `killed ${programs(count)}`, clear: () => Promise.resolve() });
  },
});

export const queueWorkerStop = defineFault({
  name: "queue-worker-stop",
  description: "programs that run jobs stand still, as a frozen machine, and then go on",
  keys: { for: faultDuration, workers },
  affectedPart: "queue",
  resolve,
  obstacle,
  machineObstacle: procObstacle,
  async inject(host, { workers: count }) {
    const pause = await pauseProcesses(choose(host, count));
    return { words: `stopped ${programs(count)}`, clear: () => pause.end() };
  },
});
