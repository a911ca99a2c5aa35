import type { Prng } from "../foundation/prng.js";
import type { Arrival } from "./arrivals.js";

export interface ThinkTime {
  readonly min: number;
  readonly max: number;
}

/** Receives what happens to an open loop's arrivals. All times are monotonic milliseconds. */
export interface ArrivalObserver {
  /** Called once for each due arrival, in order, whether or not a client was free. Calls may come late. */
  onOffer(arrival: Arrival, intendedMs: number): void;
  /** Called for an offered arrival that will not start; `atMs` is the moment of that decision. */
  onDrop(arrival: Arrival, intendedMs: number, atMs: number): void;
}

/** What every executor receives. */
export interface PacingContext {
  readonly nowMs: () => number;
  /** Waits; may return early when the worker changes phase. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly prng: Prng;
  /** Seed of schedules that the role shares, equal in all its workers. */
  readonly roleSeed: number;
  readonly thinkTime: ThinkTime;
  /** Time over which the whole role's clients start, evenly, in milliseconds. */
  readonly rampUpMs: number;
  /** Start of the phase, equal in all workers: schedules and stages count from here. */
  readonly startMs: number;
  readonly endMs: () => number;
  readonly totalClients: number;
  /** Number of this worker's first client in the whole role. */
  readonly firstClient: number;
  /** Number of workers of the role; `workerIndex` is this worker's. */
  readonly workers: number;
  readonly workerIndex: number;
  /** Counter of started iterations (one Int32) that all workers of the role share, for `shared-iterations`. */
  readonly sharedCounter: Int32Array;
  /** True once the phase ended: no further iteration may start. */
  readonly isOver: () => boolean;
  readonly arrivals: ArrivalObserver;
}

export interface IterationStart {
  /**
   * Moment at which the iteration should start, in monotonic milliseconds. In an open loop it may lie ahead, and the client
   * waits for it.
   */
  readonly intendedMs: number;
  /** The arrival that the iteration serves; present in an open loop only. */
  readonly arrival?: Arrival;
}

export interface Pacer {
  /**
   * Next iteration of a client (0 .. clients-1 of this worker); undefined if the client is done in this phase. A closed
   * loop resolves when the client may start, an open loop as soon as the start is known.
   */
  next(client: number): Promise<IterationStart | undefined>;
  /** Open loop: whether a due iteration may start. If not, it was counted as dropped. */
  mayStart?(start: IterationStart): boolean;
  /** Iteration budget: whether the client has an iteration left. */
  isLeft?(client: number): boolean;
  /**
   * Ends a phase. Open loop: counts offered arrivals, and drops waiting ones. Iteration budget: ends pauses of idle
   * clients.
   */
  settle?(): void;
}
