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

/** What becomes of each worker, by its number among those that were started together. */
export interface WorkerEvents {
  /** Its thread runs and is about to load the program. */
  onOnline(worker: number): void;
  onReport(worker: number, report: Report): void;
  /** It threw what was caught nowhere, or has no memory left; of an agent's worker, that the agent is gone. */
  onCrash(worker: number, error: unknown): void;
  onExit(worker: number, code: number): void;
  /** It is gone with its agent, which was killed on purpose. */
  onKilled(worker: number): void;
}

/** A process that runs workers for this one, as results state it, and which ones by their numbers. */
export interface WorkersOfAgent extends Omit<TrialAgent, "workers" | "accountedRatio"> {
  readonly workers: readonly number[];
}

export interface RunningWorkers {
  post(worker: number, command: Command): void;
  nameOf(worker: number): string;
  /** Least milliseconds between a command and the instant it names. */
  readonly leadMs: number;
  /** CPU seconds of other processes that they took within the window, once all have stopped; 0 where there is none. */
  cpuSeconds(): number;
  agents(): readonly WorkersOfAgent[];
  /** See `FaultHost`. */
  chooseAgents(count: number, prng: Prng): readonly LoadAgent[];
  terminate(): Promise<TrainSimError | undefined>;
}

export interface WorkerPlace {
  /** Whether it has so much to do with other machines that what runs there is not known here. */
  readonly isElsewhere: boolean;
  /** Processes of this machine that belong to it, without this one and its children. */
  readonly pids: readonly number[];
  /** Resolves once every agent is connected. Rejects where one does not come back in time. */
  whole(): Promise<void>;
  /** The network between the clients or poolers that are started next and these endpoints; see `openNetwork`. */
  openNetwork(place: NetworkPlace, upstreams: readonly Endpoint[], seed: number): Promise<Network>;
  /** Between the clients that are started next, which are admitted, and these; see `startPoolers`. */
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
