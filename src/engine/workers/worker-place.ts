import type { Endpoint } from "../../database/endpoint.js";
import type { LoadAgent, NetworkPlace } from "../../faults/fault.js";
import type { Network } from "../../faults/means/network.js";
import type { Prng } from "../../foundation/prng.js";
import type { TrainSimError } from "../../foundation/errors.js";
import type { ManagedSettings } from "../../pools/registry.js";
import type { RunningPooler } from "../../pools/running-pooler.js";
import type { ManagedPoolerDemand } from "../../pools/strategy.js";
import type { TrialAgent } from "../../results/result-schema.js";
import type { Assignment, Command, Report } from "./protocol.js";

/** Events of workers, each by its number among the workers that were started together. */
export interface WorkerEvents {
  /** The worker's thread runs and is about to load the program. */
  onOnline(worker: number): void;
  onReport(worker: number, report: Report): void;
  /** The worker threw an uncaught error or ran out of memory, or the agent that ran it is gone. */
  onCrash(worker: number, error: unknown): void;
  onExit(worker: number, code: number): void;
  /** The worker is gone with its agent, which a fault killed. */
  onKilled(worker: number): void;
}

/** A process that runs workers for this process, as results state it, with the numbers of its workers. */
export interface WorkersOfAgent extends Omit<TrialAgent, "workers" | "accountedRatio"> {
  readonly workers: readonly number[];
}

export interface RunningWorkers {
  post(worker: number, command: Command): void;
  nameOf(worker: number): string;
  /** Minimum time in milliseconds from sending a command until it takes effect. */
  readonly leadMs: number;
  /** CPU seconds of other processes' workers within the window, known once all have stopped; 0 if there are none. */
  cpuSeconds(): number;
  agents(): readonly WorkersOfAgent[];
  /** Chooses agents for a fault; see `FaultHost`. */
  chooseAgents(count: number, prng: Prng): readonly LoadAgent[];
  terminate(): Promise<TrainSimError | undefined>;
}

export interface WorkerPlace {
  /** Whether an agent runs on another machine, so that the load of its machine is not known here. */
  readonly isElsewhere: boolean;
  /** Process ids on this machine that belong to the place, without this process and its children. */
  readonly pids: readonly number[];
  /** Resolves once every agent is connected. Rejects if a killed agent does not return in time. */
  waitUntilComplete(): Promise<void>;
  /** Opens the network between the clients or poolers started next and these endpoints; see `openNetwork`. */
  openNetwork(place: NetworkPlace, upstreams: readonly Endpoint[], seed: number): Promise<Network>;
  /** Opens poolers between the clients started next, which they all admit, and these endpoints; see `startPoolers`. */
  openPoolers(
    pool: ManagedSettings,
    admitted: ManagedPoolerDemand,
    upstreams: readonly Endpoint[],
  ): Promise<RunningPooler>;
  start(assignments: readonly Assignment[], events: WorkerEvents): RunningWorkers;
}

export function workerName({ role, index }: Assignment): string {
  return `${role} worker ${index}`;
}
