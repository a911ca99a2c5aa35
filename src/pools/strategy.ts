// The contract of a pool strategy. Types only.
import type * as z from "zod";
import type { ConnectionSource } from "../database/session.js";
import type { Obstacle } from "../database/contract.js";
import type { Auth, Endpoint } from "../database/endpoint.js";
import type { Finding } from "../syntax/problems.js";
import type { Member } from "../syntax/tagged-union.js";
import type { PoolerSettings } from "./keys.js";
import type { ManagedInstance, Pause, PoolerStatistics, RunningPooler } from "./running-pooler.js";
import type { SourceOptions } from "./source-options.js";

/** The demand of one treatment on its pool. */
export interface Demand {
  readonly clients: number;
  /** Number of clients of each agent if poolers run beside agents; else one lot of all clients. */
  readonly lots: readonly number[];
  readonly agents: number;
  readonly workers: number;
  /** Weight of each endpoint that the clients of one lot connect to. */
  readonly weights: readonly number[];
}

/** A reason why a treatment's pool cannot work. */
export interface PoolProblem {
  /** The setting to change, as a path in the scenario: `pool.size`. */
  readonly path: string;
  readonly message: string;
}

interface Example {
  readonly title: string;
  readonly yaml: string;
}

/** A member of the union on `strategy`; its description says how a client comes by a connection. */
export interface PoolSettingsOf<
  S extends { readonly strategy: string },
  Keys extends z.ZodRawShape = z.ZodRawShape,
> extends Member<S["strategy"], Keys> {
  /** Names of the databases that it speaks with. Default: all. */
  readonly databases?: readonly string[];
  /** The settings that a mapping of these keys means. */
  resolve(given: z.output<z.ZodObject<Keys>>): S;
  /** Problems of keys that exclude or need each other. */
  keyProblems?(given: z.output<z.ZodObject<Keys>>): Finding[];
  /** Problems that the pool has with the rest of the treatment. */
  problems?(settings: S, demand: Demand): PoolProblem[];
  /** The words of a plan for these settings. */
  text(settings: S): string;
  /** Scenarios for the reference: one with every key that loads, one that each rule refuses. */
  readonly examples?: { readonly taken: Example; readonly refused: Example };
}

export interface PoolStrategy<S extends { readonly strategy: string }> {
  readonly settings: PoolSettingsOf<S>;
  /** Connections that this program's clients share; left out if each client has its own. */
  shared?(settings: S): number;
  /** Whether the workload opens the shared connections itself, however many clients there are, and leases none. */
  readonly isHeldByWorkload?: true;
  /**
   * Transactions that the pooler adds to each transaction of a client, as to reset a session, or why they are not known.
   * Default 0. `asked` are the settings that a running pooler told.
   */
  ownTransactions?(settings: S, asked?: Readonly<Record<string, string>>): number | string;
  /** The connections of one worker thread. */
  source(settings: S, options: SourceOptions): ConnectionSource;
  /** The product between the clients and the server; left out if there is none. */
  readonly pooler?: PoolerKind<Extract<S, PoolerSettings>>;
}

export interface PoolerProgram {
  readonly path: string;
  /** The version, `1.24.1`. */
  readonly version: string;
}

/** Demands on a pooler that train-sim starts. */
export interface Admitted {
  /** Clients of all instances together; each instance admits them all, should the others fail. */
  readonly maxClientConnections: number;
  /** The log-in of clients. Default: by password. */
  readonly auth?: Auth | undefined;
}

/** A product that stands between the clients and the server, started by train-sim or running already. */
export interface PoolerKind<S> {
  /** The usual spelling, `PgBouncer`. */
  readonly product: string;
  /** Variable of the environment that names the program. */
  readonly variable: string;
  /** TargetError with the ways to get one where there is none, or it cannot be run. */
  readonly find: (env?: NodeJS.ProcessEnv) => Promise<PoolerProgram>;
  /** A caveat of that version for the user; empty if there is none. */
  readonly caveat: (version: string) => string;
  /** Files that one instance may hold open. */
  openFiles(settings: S & Admitted): number;
  /** Resolves once it listens. On rejection nothing is left. */
  start(program: PoolerProgram, settings: S & Admitted, upstream: Endpoint): Promise<ManagedInstance>;
  /** Whether named prepared statements work through it; of one that runs already, the version is not known. */
  prepares(settings: S, version?: string): boolean;
  /** Left out where it cannot hold transactions back; the obstacle ends the sentence "<fault> ...". */
  readonly pause?: { obstacle(settings: S): string | undefined; readonly hold: Pause };
  /** Reads statistics from the consoles of these; on rejection no connection is left. */
  statistics(
    consoles: readonly Endpoint[],
    endpoints: readonly Endpoint[],
    connectTimeoutMs: number,
  ): Promise<PoolerStatistics>;
  versionAt(console: Endpoint): Promise<string>;
  /** Settings of its configuration, by name; left out where it cannot be asked. */
  settingsAt?(console: Endpoint): Promise<Readonly<Record<string, string>>>;
  /** Differences between a pooler that runs already and the settings. */
  obstacles(settings: S, running: RunningPooler, isPrepared: boolean): Promise<Obstacle[]>;
}
