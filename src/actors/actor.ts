// What an actor is to its worker thread: the thing that runs one iteration of one client. The role decides which;
// the workload has the registry. Nothing in here knows about pools, phases or threads.
import type { Prng } from "../foundation/prng.js";
import type { Sleeper } from "../foundation/sleeper.js";
import type { PartNames } from "../metrics/part-times.js";
import type { Recorder } from "../metrics/recorder.js";
import type { Arrival } from "../load/arrivals.js";
import type { Assignment } from "./assignment.js";
import type { TimeAccount } from "./time-account.js";
import type { Transactor } from "./transactor.js";

/** What the worker passes to its actor; the same for every workload. */
export interface ActorContext<A extends Assignment = Assignment> {
  readonly assignment: A;
  readonly transactor: Pick<Transactor, "run">;
  readonly recorder: Recorder;
  readonly sleeper: Sleeper;
  readonly prng: Prng;
  /** True while the queue is being emptied: no think time, no app delay, no waiting for more work. */
  readonly isDraining: () => boolean;
  /** True once what is under way is to be the last of its phase: no app delay any more. */
  readonly isEnding: () => boolean;
  /** True while iterations start by a schedule (an open loop): then nobody backs off, for the schedule says when. */
  readonly isScheduled: () => boolean;
  readonly time: TimeAccount;
  readonly partNames: PartNames;
}

export interface Actor {
  /**
   * One iteration of one client (0 .. clients-1 of this worker) whose intended start was `intendedMs`. Rejects
   * only when the trial cannot go on.
   */
  iterate(client: number, intendedMs: number): Promise<void>;
  /**
   * Makes what the client's next iteration needs, outside every timed section; asked again, it does nothing. In an
   * open loop it is asked once more when it is known which arrival that is, before the arrival is waited for.
   */
  prepare(client: number, arrival?: Arrival): void;
}

export const nothingToPrepare = (): void => undefined;
