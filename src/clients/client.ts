// The contract between a worker thread and the clients that it runs.
import type { Prng } from "../foundation/prng.js";
import type { Sleeper } from "../foundation/sleeper.js";
import type { PartNames } from "../metrics/part-times.js";
import type { Recorder } from "../metrics/recorder.js";
import type { Arrival } from "../load/arrivals.js";
import type { ThreadAssignment } from "./assignment.js";
import type { TimeAccount } from "./time-account.js";
import type { OwnConnectionOperations } from "./own-operations.js";
import type { Transactor } from "./transactor.js";

/** The parts of a worker thread that its clients use; the same for every workload. */
export interface WorkerContext<A extends ThreadAssignment = ThreadAssignment> {
  readonly assignment: A;
  /** Runs a transaction on a leased connection, and measures it. */
  readonly transactor: Pick<Transactor, "run">;
  /** Measures an operation on connections that the workload itself holds, instead of leasing them. */
  readonly operations: Pick<OwnConnectionOperations, "run">;
  /** Name of the worker's sessions at the server, by which evidence recognises them. */
  readonly applicationName: string;
  readonly recorder: Recorder;
  readonly sleeper: Sleeper;
  readonly prng: Prng;
  /** True while the queue is being emptied: clients make no app delay, and clients of the cycle add nothing. */
  readonly isDraining: () => boolean;
  /** True if the phase ends with the iterations under way: clients then make no app delay. */
  readonly isEnding: () => boolean;
  /** True if a schedule (open loop) starts iterations: clients then do not back off when they find no work. */
  readonly isScheduled: () => boolean;
  readonly time: TimeAccount;
  readonly partNames: PartNames;
}

export interface Clients {
  /** Runs one iteration, whose intended start was `intendedMs`. Rejects only if the trial cannot go on. */
  iterate(client: number, intendedMs: number): Promise<void>;
  /**
   * Draws the client's next iteration, outside of measured time. A second call does nothing, except with an arrival of an
   * open loop.
   */
  prepare(client: number, arrival?: Arrival): void;
}

export const prepareNothing = (): void => undefined;
