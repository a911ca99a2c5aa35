// What one worker thread is assigned: its clients, their settings and the endpoints. Types only.
import type { Endpoint } from "../database/endpoint.js";
import type { PoolSettings } from "../pools/registry.js";
import type { ActorGroup, LogSettings, RetrySettings } from "./settings.js";

/** Whether statements are prepared by name; `simple` is the protocol without parameters. */
export type Prepared = boolean | "simple";

/** Of a treatment, what every workload's clients run with. */
export interface ClientSettings {
  readonly pool: PoolSettings;
  readonly prepared: Prepared;
  readonly retry: RetrySettings;
  readonly log: LogSettings;
  readonly actors: Readonly<Record<string, ActorGroup>>;
}

/** Numbers start at 0. */
export interface Assignment<S extends ClientSettings = ClientSettings> {
  /** The group of clients. */
  readonly role: string;
  /** Number of this worker among all workers of the trial. */
  readonly ordinal: number;
  /** Number of this worker in its group, of `workers`. */
  readonly index: number;
  readonly workers: number;
  /** Clients of this worker; `firstClient` is the first one's number in the group of `groupClients`. */
  readonly clients: number;
  readonly firstClient: number;
  readonly groupClients: number;
  /** Number of the first client among all clients of the trial: endpoints are spread by it. */
  readonly firstClientOfTrial: number;
  readonly clientsOfTrial: number;
  /** Worker threads of the whole trial, over which a pg-pool is shared out. */
  readonly workersOfTrial: number;
  readonly trial: { readonly number: number; readonly treatmentId: string; readonly seed: number };
  readonly settings: S;
  readonly endpoints: readonly Endpoint[];
  /** Whether named prepared statements are used: asked for, and possible through the pooler. */
  readonly prepared: boolean;
  /** The trial's directory, where a worker keeps what the audit reads. */
  readonly directory: string;
  /** What workers write that all workers of this process read, by the ordinal of the one that writes it. */
  readonly shared: ReadonlyMap<number, SharedArrayBuffer>;
  /** Those of workers in other processes among them: copies, which come a little later. */
  readonly mirrored: readonly number[];
  /** Counts iterations of a budget that the whole group shares, from those on that workers of other processes do. */
  readonly sharedCounter: Int32Array<SharedArrayBuffer>;
}
