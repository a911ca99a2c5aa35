// A pooler that train-sim started, or that ran before. Types only.
import type { Endpoint } from "../database/endpoint.js";
import type { StandingStill } from "../foundation/process/stand-still.js";

/** A pooler that train-sim runs: taken down and up again, its port and its configuration stay. */
export interface PoolerInstance {
  /** Stopped or killed: clients lose their connections at once. Resolves once it is gone. Never rejects. */
  shutDown(how: "at-once" | "kill"): Promise<void>;
  /** Starts it; resolves once it listens. Rejects with its own words. */
  up(): Promise<void>;
}

/** The same with what its start gives. */
export interface ManagedInstance extends PoolerInstance {
  /** Address for clients. */
  readonly client: Endpoint;
  readonly console: Endpoint;
  /** Undefined while it is down. */
  readonly pid: number | undefined;
  /** Settles when it ended without having been told to, with how and the last lines of its log. */
  readonly lost: Promise<string>;
  /** Leaves neither process nor directory. Never rejects. */
  stop(): Promise<void>;
}

/** Holds all transactions at these consoles back; resolves, once they are or the signal aborts, to what lets them go on. */
export type Pause = (consoles: readonly Endpoint[], signal: AbortSignal) => Promise<() => Promise<void>>;

/** One moment of one or several poolers together, by the names of evidence without `pooler.`; counts since any fixed start. */
export interface PoolerReading {
  readonly clientsActive: number;
  readonly serversActive: number;
  readonly serversIdle: number;
  readonly clientsWaiting?: number;
  /** The wait of the first client in the queue. */
  readonly maxWaitMs?: number;
  readonly transactions?: number;
  readonly waitMs?: number;
  readonly queryMs?: number;
}

/** Asks poolers for their own account. */
export interface PoolerStatistics {
  sample(): Promise<PoolerReading>;
  /** Server connections that the poolers may have together; undefined where one of them does not tell. */
  serversMax(): Promise<number | undefined>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Poolers in front of a target, ours or someone else's. */
export interface RunningPooler {
  /** `PgBouncer`. */
  readonly product: string;
  /** Addresses for clients, one for each instance. */
  readonly endpoints: readonly Endpoint[];
  /** Addresses for questions about statistics, one for each instance that has one, while it runs. */
  readonly consoles: readonly Endpoint[];
  /** Process ids of those that train-sim started on this machine and that run now. */
  readonly pids: readonly number[];
  /** Instances that train-sim started, in the order of the endpoints. */
  readonly instances: readonly PoolerInstance[];
  /** `1.24.1`; undefined for an external one, which may be asked. */
  readonly version?: string;
  /** Undefined where there is none to ask. */
  askVersion(): Promise<string | undefined>;
  /** Settings of an external one, by name; left out for ours, undefined where there is none to ask. */
  askSettings?(): Promise<Readonly<Record<string, string>> | undefined>;
  /** Whether named prepared statements work through it in its mode. */
  readonly supportsPreparedStatements: boolean;
  statistics(connectTimeoutMs: number): Promise<PoolerStatistics>;
  /** Undefined where the product cannot. */
  readonly pause?: Pause | undefined;
  /** Makes the processes of those that train-sim started stand still. Rejects where none is there. */
  standStill(): Promise<StandingStill>;
  /** Opens a connection to each; resolves to what those answer that let none in, undefined where all do. Never rejects. */
  knock(): Promise<string | undefined>;
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}
