// The contract of a kind of fault: its scenario keys, its needs of the system under test, and its injection by real means.
import * as z from "zod";
import type { Prng } from "../foundation/prng.js";
import { duration, HOUR_MS } from "../syntax/scalars.js";
import type { Network } from "./means/network.js";
import type { RunningTarget } from "../targets/running-target.js";
import type { RunningPooler } from "../pools/running-pooler.js";
import type { PoolSettings } from "../pools/registry.js";
import type { TargetSettings } from "../targets/registry.js";

/** Whose connections a fault of the network is about: the clients', the pooler's to the server, the standbys' to the primary. */
export const NETWORK_PLACES = ["clients", "pooler", "replication"] as const;
export type NetworkPlace = (typeof NETWORK_PLACES)[number];

/**
 * What a fault works on. Two faults on the `server` exclude each other, and none works by a `session` of its own
 * while the server is away; two on the same `pooler` exclude each other, and so do two on `standby`s, on the `network` or on `agent`s.
 */
export type Ground = "server" | "standby" | "session" | "pooler" | "network" | "agent";

/** A table of the workload. */
export interface FaultTable {
  /** For messages. */
  readonly name: string;
  /** For statements: with its schema, quoted. */
  readonly qualified: string;
}

/** Tables that faults touch; undefined for a workload without any. */
export interface FaultTables<Table = FaultTable> {
  /** The table that a long transaction reads. */
  readonly snapshot: Table | undefined;
  /** The table that a lock holder locks: all transactions wait for it. */
  readonly lock: Table | undefined;
}

/** Words for a treatment that lacks the table of a fault. */
export const NO_TABLE = "needs a table, and the workload's file creates none by CREATE TABLE";

/** An agent of the load, with the clients that it runs. */
export interface LoadAgent {
  /** `agent a1 with 2 workers and 8 clients`. */
  readonly words: string;
  /** Between it and what is not beside it, where a fault of the trial needs one. */
  readonly network: Pick<Network, "suffer" | "mend">;
  /** What that leads to: `the server`. */
  readonly beyond: string;
  /** Resolves once it is gone, for the rest of the trial. */
  kill(): Promise<void>;
}

/** What faults work on: the trial's own system. */
export interface FaultHost {
  readonly target: RunningTarget;
  /** Undefined where clients connect to the server itself. */
  readonly pooler: RunningPooler | undefined;
  /** Where a fault of the trial needs one. */
  readonly networks: Readonly<Partial<Record<NetworkPlace, Pick<Network, "suffer" | "mend">>>>;
  readonly tables: FaultTables;
  /** Application names of the load's sessions. */
  readonly loadNames: readonly string[];
  /** So many of the agents that remain. */
  chooseAgents(count: number, prng: Prng): readonly LoadAgent[];
  /** For choices among what is there, from the trial's seed. */
  readonly prng: Prng;
  /** Aborted when everything is to be cleared: an injection that waits must end then. */
  readonly signal: AbortSignal;
  /** Aborted when the run is stopped or the trial fails, not at the end of a whole window. */
  readonly stopped: AbortSignal;
}

/** In monotonic milliseconds: what was acknowledged within it may be gone. */
export interface LossSpan {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Number of the one endpoint of whose answers that is true; of all when left out. */
  readonly endpoint?: number | undefined;
}

/** A fault that is there. */
export interface Injected {
  /** What was done, for log and result, as `ended 8 sessions of the load`; read once it is cleared. */
  readonly words: string;
  /** Where it may lose what the server has acknowledged; read once it is cleared. */
  readonly mayLose?: LossSpan | undefined;
  /** Mends it; resolves once the system is healthy again. Called once. Rejects when that cannot be had. */
  clear(): Promise<void>;
}

/** What of a treatment decides whether it can suffer a fault. */
export interface FaultSurroundings {
  readonly target: TargetSettings;
  readonly pool: PoolSettings;
  /** Why its transactions send no COMMIT, as `statementShape is single-statement`; undefined where they do. */
  readonly withoutCommit: string | undefined;
  /** Names of the workload's tables. */
  readonly tables: FaultTables<string>;
  /** Processes that run the worker threads, beside the coordinator. */
  readonly agents: number;
}

/** When a fault is there. */
export interface FaultTimes {
  /** From the start of the measurement window. */
  readonly atMs: number;
  /** 0 where the kind is over once it has happened, or takes as long as it takes. */
  readonly forMs: number;
}

export interface FaultKind<Name extends string, Keys extends z.ZodRawShape, Settings extends object> {
  readonly name: Name;
  readonly description: string;
  /** Keys beside `at` and `kind`; one that is not optional is needed. Without `for` it is over once it has happened. */
  readonly keys: Keys;
  /** For the keys that are needed, as `50ms`. */
  readonly examples?: Readonly<Partial<Record<keyof Keys & string, string>>>;
  readonly ground: Ground | ((fault: Settings) => Ground);
  /** Where it needs a network that can be made bad; left out where it needs none. */
  networkPlace?(fault: Settings, pool: PoolSettings): NetworkPlace;
  /** Whether the postmaster is another one afterwards. */
  readonly restartsServer?: boolean;
  /** Whether no session of train-sim's own can connect meanwhile. */
  readonly takesAllConnections?: boolean;
  resolve(given: z.output<z.ZodObject<Keys>>): Settings;
  /** Why a treatment cannot suffer it, in words that end the sentence "<kind> ..."; undefined where it can. */
  obstacle?(fault: Settings, surroundings: FaultSurroundings): string | undefined;
  /** The same of this machine, asked before anything is started. */
  machineObstacle?(platform: NodeJS.Platform): Promise<string | undefined> | string | undefined;
  /** Resolves once the fault is there. Rejects, having left nothing behind, when it cannot be had. */
  inject(host: FaultHost, fault: Settings): Promise<Injected>;
}

/** Says what the types of a kind are, of what it is made of. */
export function defineFault<
  const Name extends string,
  Keys extends z.ZodRawShape,
  Settings extends object = object,
>(kind: FaultKind<Name, Keys, Settings>): FaultKind<Name, Keys, Settings> {
  return kind;
}

/** How long a fault lasts, for kinds that need to know, and, optional, for those that restart or kill something. */
export const lasting = duration(
  "How long it lasts; the kinds that restart or kill keep the server or the pooler down so long, 0 when left out.",
  1,
  7 * 24 * HOUR_MS,
);

export const share = z.string().regex(/^([1-9]\d?|100)%$/, "not a share, as 50%");

export function shareOf(percent: string): number {
  return Number.parseInt(percent, 10) / 100;
}

/** For kinds that refuse connections. */
export const drop = z.boolean().meta({
  description:
    "Whether open connections (beyond the limit) are ended; false refuses new ones only. Default true.",
});
