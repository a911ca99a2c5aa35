import type { Endpoint } from "../database/endpoint.js";
import type { ProcessPause } from "../foundation/process/stand-still.js";

export interface PoolerInstance {
  /** Stops or kills the pooler: clients lose their connections at once. Resolves once the process is gone. Never rejects. */
  shutDown(how: "at-once" | "kill"): Promise<void>;
  /** Starts the pooler; resolves once it listens. Rejects with the pooler's log. */
  start(): Promise<void>;
}

/** A pooler instance with the parts that its start gives. */
export interface ManagedInstance extends PoolerInstance {
  readonly client: Endpoint;
  readonly console: Endpoint;
  readonly pid: number | undefined;
  /** Resolves if the pooler ends unexpectedly, with the way it ended and the last lines of its log. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Holds all transactions at these consoles back. Resolves, once they are held or `signal` aborts, to a function that lets
 * them continue.
 */
export type Pause = (consoles: readonly Endpoint[], signal: AbortSignal) => Promise<() => Promise<void>>;

/** One reading of all poolers together, by names of evidence without `pooler.`. Counters may begin at any value. */
export interface PoolerReading {
  readonly clientsActive: number;
  readonly serversActive: number;
  readonly serversIdle: number;
  readonly clientsWaiting?: number;
  /** Wait in ms of the client that is first in the queue. */
  readonly maxWaitMs?: number;
  readonly transactions?: number;
  readonly waitMs?: number;
  readonly queryMs?: number;
}

export interface PoolerStatistics {
  sample(): Promise<PoolerReading>;
  /** Maximum number of server connections of all poolers; undefined if a pooler does not report its limit. */
  serversMax(): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface RunningPooler {
  readonly product: string;
  readonly endpoints: readonly Endpoint[];
  /** Addresses of the running instances' consoles, for statistics; instances without a console are left out. */
  readonly consoles: readonly Endpoint[];
  /** Process ids of the running instances that train-sim started on this machine. */
  readonly pids: readonly number[];
  readonly instances: readonly PoolerInstance[];
  /** Version, such as `1.24.1`; undefined for an external pooler, whose version `askVersion` reads. */
  readonly version?: string;
  /** Asks the pooler for its version; undefined if it cannot be asked. */
  askVersion(): Promise<string | undefined>;
  /** Settings of an external pooler, by name; left out for managed poolers, undefined if the pooler cannot be asked. */
  askSettings?(): Promise<Readonly<Record<string, string>> | undefined>;
  readonly supportsPreparedStatements: boolean;
  statistics(connectTimeoutMs: number): Promise<PoolerStatistics>;
  /** Holds transactions back; undefined if the product cannot. */
  readonly pause?: Pause | undefined;
  /** Suspends the processes of the instances that train-sim started. Rejects if there is none. */
  pauseProcesses(): Promise<ProcessPause>;
  /**
   * Opens a connection to each instance. Resolves to the errors if all instances refuse, else to undefined. Never rejects.
   */
  findConnectionProblem(): Promise<string | undefined>;
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}
