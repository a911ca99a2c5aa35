import { Worker } from "node:worker_threads";
import { builtUrl } from "../../foundation/built.js";
import { withinMs } from "../../foundation/deadline.js";
import { tuneForSetup, tuneForLoad, youngGenerationMb } from "../../foundation/v8-tuning.js";
import type { Assignment, Command, Report, ThreadAssignment } from "./protocol.js";
import { openNetwork } from "../../faults/means/network.js";
import { startPoolers } from "../../pools/managed.js";
import { poolerKindOf } from "../../pools/registry.js";
import { endlessWorkerError } from "./worker-failures.js";
import { threadAssignmentsOf } from "./worker-memory.js";
import { workerName, type RunningWorkers, type WorkerEvents, type WorkerPlace } from "./worker-place.js";

/** Time for a thread to end, which it can do only between two steps of its code. */
const END_PATIENCE_MS = 10_000;
/** Minimum time in milliseconds from sending a command until it takes effect. */
const COMMAND_LEAD_MS = 30;

function startThread(assignment: ThreadAssignment, clients: number): Worker {
  return new Worker(builtUrl("./worker-entry.js", import.meta.url), {
    workerData: assignment,
    name: `${assignment.role}-${assignment.index}`,
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb(clients) },
  });
}

class WorkerThreads implements RunningWorkers {
  readonly leadMs = COMMAND_LEAD_MS;
  private readonly threads: readonly Worker[];

  constructor(
    private readonly assignments: readonly ThreadAssignment[],
    events: WorkerEvents,
  ) {
    const clients = assignments.reduce((sum, each) => sum + each.clients, 0);
    tuneForLoad(clients);
    this.threads = assignments.map((assignment, number) => {
      const thread = startThread(assignment, clients);
      thread.on("online", () => events.onOnline(number));
      thread.on("message", (report: Report) => events.onReport(number, report));
      thread.on("error", (error) => events.onCrash(number, error));
      thread.on("exit", (code) => events.onExit(number, code));
      return thread;
    });
  }

  post(worker: number, command: Command): void {
    this.threads[worker]?.postMessage(command);
  }

  nameOf(worker: number): string {
    return workerName(this.assignments[worker] as Assignment);
  }

  cpuSeconds(): number {
    return 0;
  }

  agents(): readonly never[] {
    return [];
  }

  chooseAgents(): readonly never[] {
    return [];
  }

  async terminate(): ReturnType<RunningWorkers["terminate"]> {
    const ends = await Promise.allSettled(
      this.threads.map((thread) => withinMs(thread.terminate(), END_PATIENCE_MS)),
    );
    tuneForSetup();
    const first = ends.findIndex(({ status }) => status === "rejected");
    return first < 0 ? undefined : endlessWorkerError(this.nameOf(first), END_PATIENCE_MS);
  }
}

export function startThreads(assignments: readonly ThreadAssignment[], events: WorkerEvents): RunningWorkers {
  return new WorkerThreads(assignments, events);
}

export const LOCAL_WORKER_PLACE: WorkerPlace = {
  isElsewhere: false,
  pids: [],
  waitUntilComplete: () => Promise.resolve(),
  openNetwork: (_, upstreams, seed) => openNetwork(upstreams, seed),
  openPoolers: (pool, admitted, upstreams) =>
    startPoolers(poolerKindOf(pool), { ...pool, ...admitted }, upstreams),
  start: (assignments, events) => startThreads(threadAssignmentsOf(assignments), events),
};
