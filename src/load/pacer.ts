// The interface through which a client asks its executor for the next start. Time and randomness are injected.
import type { Prng } from "../foundation/prng.js";
import type { Arrival } from "./arrivals.js";

/** The pause between two iterations, uniform, in milliseconds. */
export interface ThinkTime {
  readonly min: number;
  readonly max: number;
}

/** Who is told what becomes of the arrivals of an open loop. All instants are monotonic milliseconds. */
export interface ArrivalObserver {
  /** An arrival was due, whether or not a client was free. Told late, but in order and once each. */
  offered(arrival: Arrival, intendedMs: number): void;
  /** An arrival that was offered will not start, as was decided at `atMs`. */
  dropped(arrival: Arrival, intendedMs: number, atMs: number): void;
}

/** What every executor is given. */
export interface PacingContext {
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** Waits; may return early when the worker is told to change phase. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly prng: Prng;
  /** The same in every worker of the group: what schedules that the group shares are made from. */
  readonly groupSeed: number;
  readonly thinkTime: ThinkTime;
  /** Clients of the whole group start evenly over this time, in milliseconds. */
  readonly rampUpMs: number;
  /** When the phase starts, the same for all workers: schedules and stages count from here. */
  readonly startMs: number;
  /** When the phase ends, as far as is known by now; else Infinity. */
  readonly endMs: () => number;
  /** Clients of the whole group, over all its workers. */
  readonly totalClients: number;
  /** Number, in the whole group, of this worker's first client. */
  readonly firstClient: number;
  /** Workers of the group, and which of them this one is. */
  readonly workers: number;
  readonly workerIndex: number;
  /** Counter of started iterations, shared by all workers of the group (one Int32); see `shared-iterations`. */
  readonly sharedCounter: Int32Array;
  /** True once the phase ended: no further iteration may start. */
  readonly isOver: () => boolean;
  readonly arrivals: ArrivalObserver;
}

/** The start of one iteration. */
export interface Start {
  /** Monotonic milliseconds; in an open loop it may lie ahead, and the client has to wait for it. */
  readonly intendedMs: number;
  /** Open loop only. */
  readonly arrival?: Arrival;
}

export interface Pacer {
  /**
   * The next iteration of the client (0 .. clients-1 of this worker); undefined when the client is done in this
   * phase. A closed loop resolves when the client may start; an open loop as soon as it knows when that will be.
   */
  next(client: number): Promise<Start | undefined>;
  /** Open loop: whether the iteration, now that it is due, may start; one that may not was dropped, and counted. */
  mayStart?(start: Start): boolean;
  /** Budgets only: whether the client has an iteration left to start. */
  isLeft?(client: number): boolean;
  /**
   * Open loop: brings the counts of offered and dropped arrivals up to date. Ends the schedule when the phase is over
   * or its end has come: what is still waiting for a client then is dropped. A shared budget: ends the pauses of clients
   * that have nothing left to start.
   */
  settle?(): void;
}
