// What the engine gets from a started target, whatever its kind. Endpoints carry passwords: see `endpoint.ts`.
import type { Endpoint } from "../database/endpoint/endpoint.js";
import type { FullDisk, Shutdown } from "../faults/faults.js";
import type { SmallDisk } from "../faults/means/small-disk.js";

/** Takes a server that train-sim runs down and up again; its data directory and its port stay. */
export interface ServerControl {
  /** Whether a postmaster runs; one that crashed and went away does not. */
  readonly isRunning: boolean;
  /** Processes that make it up, the postmaster first; Linux only. */
  processes(): readonly number[];
  /** Resolves once it is gone, with how it ended, as `exit code 0`. */
  shutDown(mode: Shutdown): Promise<string>;
  /** SIGKILL to all of its processes at once; resolves once none is left. Linux only. */
  kill(): Promise<void>;
  /** Resolves once it accepts connections again, what it had to recover included. Rejects with its own words. */
  start(): Promise<void>;
  /** Until the result is called, its end is expected, and `lost` does not tell of it. */
  expectLoss(): () => void;
  /** Those parts of its data that lie on a file system of their own. */
  readonly disks: Readonly<Partial<Record<FullDisk, SmallDisk>>>;
}

/** A server that answers; `stop` leaves nothing of ours behind. */
export interface RunningTarget {
  readonly kind: "embedded" | "container" | "url";
  /** Where clients connect, one or several. */
  readonly endpoints: readonly Endpoint[];
  /** Where train-sim itself connects, as the owner of the namespace. */
  readonly admin: Endpoint;
  /** Process id of the postmaster where it runs on this machine under our care; another one after a restart. */
  readonly serverPid?: number;
  /** Where train-sim runs the server itself. */
  readonly control?: ServerControl;
  /** Data directory of an embedded server. */
  readonly dataDirectory?: string;
  /** Settles when the server went away on its own, with the reason (last lines of its log); never otherwise. */
  readonly lost: Promise<string>;
  /** Stops the server and removes its directories, if they are ours. Never rejects; may be called twice. */
  stop(): Promise<void>;
}

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
