// The contract between a worker thread and the clients that it runs.
import type { Prng } from "../foundation/prng.js";
import type { Sleeper } from "../foundation/sleeper.js";
import type { PartNames } from "../metrics/part-times.js";
import type { Recorder } from "../metrics/recorder.js";
import type { Arrival } from "../load/arrivals.js";
import type { ThreadAssignment } from "./assignment.js";
import type { TimeAccount } from "./time-account.js";
import type { OwnOperations } from "./own-operations.js";
import type { Transactor } from "./transactor.js";

/** The parts of a worker thread that its clients use; the same for every workload. */
export interface WorkerContext<A extends ThreadAssignment = ThreadAssignment> {
  readonly assignment: A;
  /** Runs a transaction on a leased connection, and measures it. */
  readonly transactor: Pick<Transactor, "run">;
  /** Measures an operation on connections that the workload holds itself. */
  readonly operations: Pick<OwnOperations, "run">;
  /** Name of the worker's sessions at the server. Evidence tells them from sessions of others by it. */
  readonly applicationName: string;
  readonly recorder: Recorder;
  readonly sleeper: Sleeper;
  readonly prng: Prng;
  /** True while the queue is being emptied: clients then neither think nor delay nor wait for more work. */
  readonly isDraining: () => boolean;
  /** True if the phase ends with the running iterations: then there is no app delay. */
  readonly isEnding: () => boolean;
  /** True if a schedule (open loop) starts iterations: then clients do not back off when idle. */
  readonly isScheduled: () => boolean;
  readonly time: TimeAccount;
  readonly partNames: PartNames;
}

export interface Clients {
  /** Runs one iteration, whose intended start was `intendedMs`. Rejects only if the trial cannot go on. */
  iterate(client: number, intendedMs: number): Promise<void>;
  /** Draws the next iteration, untimed; a second call does nothing, except with an arrival in an open loop. */
  prepare(client: number, arrival?: Arrival): void;
}

export const nothingToPrepare = (): void => undefined;
