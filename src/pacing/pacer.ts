// What an executor is to a client: the thing that says when its next iteration starts, and when there is none.
// Executors live in `executors/`, one file each, registered in `create-pacer.ts`. Time and randomness are handed
// in, so that a test moves the clock by hand.
import type { Prng } from "../foundation/prng.js";

/** The pause between two iterations, uniform, in milliseconds. */
export interface ThinkTime {
  readonly min: number;
  readonly max: number;
}

/** What every executor is given. */
export interface PacingContext {
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** Waits; may return early when the worker is told to change phase. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly prng: Prng;
  readonly thinkTime: ThinkTime;
  /** Clients of the whole group start evenly over this time, in milliseconds. */
  readonly rampUpMs: number;
  /** Clients of the whole group, over all its workers. */
  readonly totalClients: number;
  /** Number, in the whole group, of this worker's first client. */
  readonly firstClient: number;
  /** Counter of started iterations, shared by all workers of the group (one Int32); see `shared-iterations`. */
  readonly sharedCounter: Int32Array;
  /** True once the phase ended: no further iteration may start. */
  readonly isOver: () => boolean;
}

export interface Pacer {
  /**
   * Waits until the client (0 .. clients-1 of this worker) may start its next iteration and resolves to that
   * iteration's intended start in monotonic milliseconds; undefined when the client is done in this phase.
   */
  next(client: number): Promise<number | undefined>;
}
