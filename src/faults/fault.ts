import * as z from "zod";
import type { Prng } from "../foundation/prng.js";
import { duration, HOUR_MS } from "../syntax/scalars.js";
import type { Network } from "./means/network.js";
import type { RunningTarget } from "../targets/running-target.js";
import type { RunningPooler } from "../pools/running-pooler.js";
import type { PoolSettings } from "../pools/registry.js";
import type { TargetSettings } from "../targets/registry.js";

/**
 * Places of connections that a network fault affects: between clients and server or pooler, between pooler and server,
 * between primary and standbys.
 */
export const NETWORK_PLACES = ["clients", "pooler", "replication"] as const;
export type NetworkPlace = (typeof NETWORK_PLACES)[number];

/**
 * System part that a fault affects. Two faults on the same part exclude each other, except on `session`: these faults use a
 * session of the server, and exclude faults on the `server`.
 */
export type AffectedPart = "server" | "standby" | "session" | "pooler" | "network" | "agent" | "queue";

export interface FaultTable {
  /** Name of the table for messages. */
  readonly name: string;
  readonly qualified: string;
}

export interface FaultTables<Table = FaultTable> {
  readonly snapshot: Table | undefined;
  /** Table that a lock holder locks, so that all transactions wait; undefined if the workload has none. */
  readonly lock: Table | undefined;
}

/** Reason why a treatment without a suitable table cannot have a fault. */
export const NO_TABLE_OBSTACLE = "needs a table, and the workload's file creates none by CREATE TABLE";

export interface LoadAgent {
  /** Description such as `agent a1 with 2 workers and 8 clients`. */
  readonly words: string;
  /** Network between the agent and other machines. */
  readonly network: Pick<Network, "apply" | "clear">;
  /** Name of the other end of that network: `the server`. */
  readonly beyond: string;
  /** Kills the agent for the rest of the trial; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface FaultHost {
  readonly target: RunningTarget;
  readonly pooler: RunningPooler | undefined;
  readonly networks: Readonly<Partial<Record<NetworkPlace, Pick<Network, "apply" | "clear">>>>;
  readonly tables: FaultTables;
  /** Application names of the load's sessions at the server. */
  readonly loadNames: readonly string[];
  chooseAgents(count: number, prng: Prng): readonly LoadAgent[];
  /** Process ids of the programs that run the queue's workers. */
  queueProcesses(): readonly number[];
  readonly prng: Prng;
  /** Aborted when all faults are to be cleared: an injection that waits must then end. */
  readonly signal: AbortSignal;
  /** Aborted when the run is stopped or the trial fails, but not at the end of a whole window. */
  readonly stopped: AbortSignal;
}

/** Span, in monotonic milliseconds, within which acknowledged commits may be lost. */
export interface LossSpan {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Number of the only endpoint whose commits may be lost; undefined if commits of all endpoints may be. */
  readonly endpoint?: number | undefined;
}

export interface ActiveFault {
  /** Effect of the fault for log and result, such as `ended 8 sessions of the load`. Read it after `clear`. */
  readonly words: string;
  /** Span within which acknowledged commits may be lost; undefined if none may be. Read it after `clear`. */
  readonly mayLose?: LossSpan | undefined;
  /** Ends the fault and resolves when the system is healthy. Call it once. Rejects if the system does not recover. */
  clear(): Promise<void>;
}

/** Properties of a treatment that decide whether the treatment can have a fault. */
export interface FaultContext {
  readonly target: TargetSettings;
  readonly pool: PoolSettings;
  /** Reason why transactions send no COMMIT, such as `statementShape is single-statement`; undefined if they send one. */
  readonly noCommitReason: string | undefined;
  readonly tables: FaultTables<string>;
  /** Number of agents that run the workers; 0 if the coordinator runs them. */
  readonly agents: number;
  /** True if programs of a queue run its workers. */
  readonly hasQueuePrograms: boolean;
  /** True if clients know one address only, which a proxy then keeps leading to the primary. */
  readonly knowsOneAddress: boolean;
}

export interface FaultTimes {
  readonly atMs: number;
  /** Duration of the fault in milliseconds; 0 if its kind has none. */
  readonly forMs: number;
}

export interface FaultKind<Name extends string, Keys extends z.ZodRawShape, Settings extends object> {
  readonly name: Name;
  readonly description: string;
  /**
   * Keys of the kind besides `at` and `kind`; a key is required unless its schema is optional. A kind without the key `for`
   * has no duration.
   */
  readonly keys: Keys;
  /** Example values of required keys, such as `50ms`. */
  readonly examples?: Readonly<Partial<Record<keyof Keys & string, string>>>;
  readonly affectedPart: AffectedPart | ((fault: Settings) => AffectedPart);
  /** Place at which the fault needs a proxy; undefined, or omitted by the kind, if it needs none. */
  networkPlace?(fault: Settings, surroundings: FaultContext): NetworkPlace | undefined;
  /** True if the fault replaces the server's postmaster by another process. */
  readonly restartsServer?: boolean;
  /** True if the fault uses up all connections, so that train-sim itself cannot open a session. */
  readonly takesAllConnections?: boolean;
  resolve(input: z.output<z.ZodObject<Keys>>): Settings;
  /** Reason why a treatment cannot have the fault, as the end of the sentence "<kind> ..."; undefined if it can. */
  obstacle?(fault: Settings, surroundings: FaultContext): string | undefined;
  /**
   * Reason why no fault of this kind is possible on this machine, asked before anything starts; undefined if it is
   * possible.
   */
  machineObstacle?(platform: NodeJS.Platform): Promise<string | undefined> | string | undefined;
  /** Starts the fault; resolves when it is present. Rejects, leaving nothing behind, if it cannot be injected. */
  inject(host: FaultHost, fault: Settings): Promise<ActiveFault>;
}

export function defineFault<
  const Name extends string,
  Keys extends z.ZodRawShape,
  Settings extends object = object,
>(kind: FaultKind<Name, Keys, Settings>): FaultKind<Name, Keys, Settings> {
  return kind;
}

/** Duration of a fault: required for kinds that do not end by themselves, optional for kinds that restart or kill. */
export const faultDuration = duration(
  "Length of the fault. Kinds that restart or kill keep the server or the pooler down for this time, 0 if left out.",
  1,
  7 * 24 * HOUR_MS,
);

export const share = z.string().regex(/^([1-9]\d?|100)%$/, "not a share, such as 50%");

export function shareOf(percent: string): number {
  return Number.parseInt(percent, 10) / 100;
}

/** Key `drop` of the kinds that refuse connections. */
export const drop = z.boolean().meta({
  description:
    "Whether open connections (beyond the limit) are ended; false refuses new ones only. Default true.",
});
