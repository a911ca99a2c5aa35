import * as z from "zod";
import type { Prng } from "../foundation/prng.js";
import { duration, HOUR_MS } from "../syntax/scalars.js";
import type { Network } from "./means/network.js";
import type { RunningTarget } from "../targets/running-target.js";
import type { RunningPooler } from "../pools/running-pooler.js";
import type { PoolSettings } from "../pools/registry.js";
import type { TargetSettings } from "../targets/registry.js";

/** Connections that a network fault affects: clients', the pooler's to the server, the standbys' to the primary. */
export const NETWORK_PLACES = ["clients", "pooler", "replication"] as const;
export type NetworkPlace = (typeof NETWORK_PLACES)[number];

/**
 * System part that a fault affects. Two faults on the `server` exclude each other, and a fault with its own `session` excludes a `server` fault; two faults on the same `pooler`, on `standby`s, on the `network` or on `agent`s exclude each
 * other.
 */
export type AffectedPart = "server" | "standby" | "session" | "pooler" | "network" | "agent";

export interface FaultTable {
  /** Name for messages. */
  readonly name: string;
  readonly qualified: string;
}

export interface FaultTables<Table = FaultTable> {
  readonly snapshot: Table | undefined;
  /** Table that a lock holder locks, so that all transactions wait. */
  readonly lock: Table | undefined;
}

/** Refusal for a treatment that lacks the table of a fault. */
export const NO_TABLE = "needs a table, and the workload's file creates none by CREATE TABLE";

export interface LoadAgent {
  /** Example: `agent a1 with 2 workers and 8 clients`. */
  readonly words: string;
  /** Network between the agent and other machines; undefined unless a fault of the trial needs it. */
  readonly network: Pick<Network, "apply" | "clear">;
  /** Other end of that network: `the server`. */
  readonly beyond: string;
  /** Resolves when the agent is gone, for the rest of the trial. */
  kill(): Promise<void>;
}

export interface FaultHost {
  readonly target: RunningTarget;
  readonly pooler: RunningPooler | undefined;
  readonly networks: Readonly<Partial<Record<NetworkPlace, Pick<Network, "apply" | "clear">>>>;
  readonly tables: FaultTables;
  /** Application names of the load's sessions. */
  readonly loadNames: readonly string[];
  chooseAgents(count: number, prng: Prng): readonly LoadAgent[];
  readonly prng: Prng;
  /** Aborted when everything is to be cleared: a waiting injection must then end. */
  readonly signal: AbortSignal;
  /** Aborted when the run is stopped or the trial fails, but not at the end of a whole window. */
  readonly stopped: AbortSignal;
}

/** Span, in monotonic milliseconds, in which acknowledged commits may be lost. */
export interface LossSpan {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Number of the only endpoint whose commits may be lost; all endpoints if undefined. */
  readonly endpoint?: number | undefined;
}

export interface ActiveFault {
  /** Effect of the fault for log and result, like `ended 8 sessions of the load`. Read after `clear`. */
  readonly words: string;
  /** Span in which acknowledged commits may be lost. Read after `clear`. */
  readonly mayLose?: LossSpan | undefined;
  /** Ends the fault and resolves when the system is healthy. Called once. Rejects if the system does not recover. */
  clear(): Promise<void>;
}

/** Properties of a treatment that decide whether it can have a fault. */
export interface FaultContext {
  readonly target: TargetSettings;
  readonly pool: PoolSettings;
  /** Reason why transactions send no COMMIT, like `statementShape is single-statement`; undefined if they send it. */
  readonly withoutCommit: string | undefined;
  readonly tables: FaultTables<string>;
  /** Number of agents that run the workers; 0 if the coordinator runs them. */
  readonly agents: number;
}

export interface FaultTimes {
  readonly atMs: number;
  /** Duration in milliseconds; 0 if the kind has none. */
  readonly forMs: number;
}

export interface FaultKind<Name extends string, Keys extends z.ZodRawShape, Settings extends object> {
  readonly name: Name;
  readonly description: string;
  /** Keys besides `at` and `kind`, required unless optional in their schema. Without `for` there is no duration. */
  readonly keys: Keys;
  /** Example values of required keys, like `50ms`. */
  readonly examples?: Readonly<Partial<Record<keyof Keys & string, string>>>;
  readonly affectedPart: AffectedPart | ((fault: Settings) => AffectedPart);
  /** Place of the network that the fault affects; omitted if it affects none. */
  networkPlace?(fault: Settings, pool: PoolSettings): NetworkPlace;
  /** True if the server has another postmaster afterwards. */
  readonly restartsServer?: boolean;
  /** True if train-sim itself cannot open a session meanwhile. */
  readonly takesAllConnections?: boolean;
  resolve(given: z.output<z.ZodObject<Keys>>): Settings;
  /** Reason why a treatment cannot have the fault, ending the sentence "<kind> ..."; undefined if it can. */
  obstacle?(fault: Settings, surroundings: FaultContext): string | undefined;
  /** Reason why this machine cannot have the fault, asked before anything starts. */
  machineObstacle?(platform: NodeJS.Platform): Promise<string | undefined> | string | undefined;
  /** Resolves when the fault is present. Rejects, leaving nothing behind, if it cannot be injected. */
  inject(host: FaultHost, fault: Settings): Promise<ActiveFault>;
}

export function defineFault<
  const Name extends string,
  Keys extends z.ZodRawShape,
  Settings extends object = object,
>(kind: FaultKind<Name, Keys, Settings>): FaultKind<Name, Keys, Settings> {
  return kind;
}

/** Duration of a fault: required for kinds without a natural end, optional for kinds that restart or kill. */
export const faultDuration = duration(
  "Length of the fault. Kinds that restart or kill keep the server or the pooler down for this time, 0 if left out.",
  1,
  7 * 24 * HOUR_MS,
);

export const share = z.string().regex(/^([1-9]\d?|100)%$/, "not a share, such as 50%");

export function shareOf(percent: string): number {
  return Number.parseInt(percent, 10) / 100;
}

/** Key of kinds that refuse connections. */
export const drop = z.boolean().meta({
  description:
    "Whether open connections (beyond the limit) are ended; false refuses new ones only. Default true.",
});
