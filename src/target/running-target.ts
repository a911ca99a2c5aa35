// What the engine gets from a started target, whatever its kind. Endpoints carry passwords: see `endpoint.ts`.
import type { Endpoint } from "../scenario/endpoint.js";

/** A server that answers; `stop` leaves nothing of ours behind. */
export interface RunningTarget {
  readonly kind: "embedded" | "container" | "url";
  /** Where clients connect, one or several. */
  readonly endpoints: readonly Endpoint[];
  /** Where train-sim itself connects, as the owner of the namespace. */
  readonly admin: Endpoint;
  /** Process id of the postmaster where it runs on this machine under our care. */
  readonly serverPid?: number;
  /** Data directory of an embedded server. */
  readonly dataDirectory?: string;
  /** Settles when the server went away on its own, with the reason (last lines of its log); never otherwise. */
  readonly lost: Promise<string>;
  /** Stops the server and removes its directories, if they are ours. Never rejects; may be called twice. */
  stop(): Promise<void>;
}

/** PgBouncers in front of a target, ours or someone else's. */
export interface RunningPooler {
  /** Where clients connect, one for each instance. */
  readonly endpoints: readonly Endpoint[];
  /** Admin consoles (database `pgbouncer`, simple protocol only), one for each instance that has one. */
  readonly consoles: readonly Endpoint[];
  /** Process ids of those that train-sim started. */
  readonly pids: readonly number[];
  /** `1.24.1`; undefined for an external one that was not asked. */
  readonly version?: string;
  /** Whether named prepared statements work through it in its mode. */
  readonly supportsPreparedStatements: boolean;
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}
