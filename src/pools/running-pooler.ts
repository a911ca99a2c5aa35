// A pooler that runs: ours, or one that was there before. Pool strategies start it; the engine and faults work with it.
// Types only.
import type { Endpoint } from "../database/endpoint/endpoint.js";

/** A PgBouncer that train-sim runs: taken down and up again, its port and its configuration stay. */
export interface PoolerInstance {
  /** SIGQUIT or SIGKILL: clients lose their connections at once. Resolves once it is gone. Never rejects. */
  shutDown(how: "at-once" | "kill"): Promise<void>;
  /** Starts it; resolves once it listens. Rejects with its own words. */
  up(): Promise<void>;
}

/** PgBouncers in front of a target, ours or someone else's. */
export interface RunningPooler {
  /** Where clients connect, one for each instance. */
  readonly endpoints: readonly Endpoint[];
  /** Admin consoles (database `pgbouncer`, simple protocol only), one for each instance that has one. */
  readonly consoles: readonly Endpoint[];
  /** Process ids of those that train-sim started and that run now. */
  readonly pids: readonly number[];
  /** Those that train-sim started, in the order of the endpoints. */
  readonly instances: readonly PoolerInstance[];
  /** `1.24.1`; undefined for an external one that was not asked. */
  readonly version?: string;
  /** Whether named prepared statements work through it in its mode. */
  readonly supportsPreparedStatements: boolean;
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}
