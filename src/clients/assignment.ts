import type { Endpoint } from "../database/endpoint.js";
import type { PoolSettings } from "../pools/registry.js";
import type { RoleSettings, LogSettings, RetrySettings } from "./settings.js";

/** True if statements are prepared by name; `simple` is the protocol without parameters. */
export type PreparedMode = boolean | "simple";

/** Settings of a treatment that clients of every workload have. */
export interface ClientSettings {
  readonly pool: PoolSettings;
  /** Present if each worker uses a single endpoint; left out if clients are spread over endpoints one by one. */
  readonly endpointPer?: "worker";
  readonly prepared: PreparedMode;
  /** Present if statements that need no earlier answer of their transaction are sent together, under one Sync. */
  readonly pipeline?: true;
  readonly retry: RetrySettings;
  readonly log: LogSettings;
  readonly actors: Readonly<Record<string, RoleSettings>>;
}

/** The work of one worker: which clients it runs, with which settings, and where they connect. Numbers start at 0. */
export interface Assignment<S extends ClientSettings = ClientSettings> {
  readonly role: string;
  /** Number of this worker among all workers of the trial, from 0. */
  readonly ordinal: number;
  /** Number of this worker in its role, from 0, out of `workers`. */
  readonly index: number;
  readonly workers: number;
  /** Clients of this worker. `firstClient` is the number of its first client in the role, from 0, out of `roleClients`. */
  readonly clients: number;
  readonly firstClient: number;
  readonly roleClients: number;
  /**
   * Number, from 0, of this worker's first client among all clients of the trial that have these endpoints; it decides how
   * they are spread.
   */
  readonly firstClientOfTrial: number;
  readonly clientsOfTrial: number;
  /** Worker threads of the whole trial; a pg-pool's connections are divided among them. */
  readonly workersOfTrial: number;
  readonly trial: { readonly number: number; readonly treatmentId: string; readonly seed: number };
  readonly settings: S;
  readonly endpoints: readonly Endpoint[];
  /** Number of the endpoint of all clients of this worker; left out if they are spread over the endpoints. */
  readonly homeEndpoint?: number;
  /** True if named prepared statements were asked for and the pooler supports them. */
  readonly prepared: boolean;
  /** The trial's directory: a worker writes there what the audit reads. */
  readonly directory: string;
  readonly logFile: string;
  /** True if the load generator's ceiling is measured instead of the workload. */
  readonly isCeiling?: boolean;
}

/** The assignment with the memory that the workers of one process share. */
export interface ThreadAssignment<S extends ClientSettings = ClientSettings> extends Assignment<S> {
  /** Buffers that one worker writes and all workers of this process read, by the ordinal of the writer. */
  readonly shared: ReadonlyMap<number, SharedArrayBuffer>;
  /** Ordinals of workers in other processes, whose buffers are copies that lag a little. */
  readonly mirroredOrdinals: readonly number[];
  /** Counter of the role's iteration budget, which all its workers in all processes share. */
  readonly sharedCounter: Int32Array<SharedArrayBuffer>;
}
