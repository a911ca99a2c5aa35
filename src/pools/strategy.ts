import type * as z from "zod";
import type { ConnectionSource } from "../database/session.js";
import type { Obstacle } from "../database/contract.js";
import type { Auth, Endpoint } from "../database/endpoint.js";
import type { Finding } from "../syntax/problems.js";
import type { Member } from "../syntax/tagged-union.js";
import type { PoolerSettings } from "./keys.js";
import type { ManagedInstance, Pause, PoolerStatistics, RunningPooler } from "./running-pooler.js";
import type { SourceOptions } from "./source-options.js";

export interface PoolDemand {
  readonly clients: number;
  readonly clientCountByPoolerGroup: readonly number[];
  readonly agents: number;
  readonly workers: number;
  /** Weight of each endpoint that the clients of one agent connect to. */
  readonly weights: readonly number[];
  /** True if `target.tls` or `target.auth: cert` makes clients of train-sim's server, and of its poolers, use TLS. */
  readonly isOverTls: boolean;
}

export interface PoolProblem {
  /** Path of the scenario's setting to change, such as `pool.size`. */
  readonly path: string;
  readonly message: string;
}

interface ScenarioExample {
  readonly title: string;
  readonly yaml: string;
}

export interface PoolSettingsOf<
  S extends { readonly strategy: string },
  Keys extends z.ZodRawShape = z.ZodRawShape,
> extends Member<S["strategy"], Keys> {
  /** Names of the databases that the strategy works with. Default: all. */
  readonly databases?: readonly string[];
  /** Settings that these keys of a scenario stand for. */
  resolve(input: z.output<z.ZodObject<Keys>>): S;
  keyProblems?(input: z.output<z.ZodObject<Keys>>): Finding[];
  /** Problems that the pool has together with the rest of the treatment. */
  problems?(settings: S, demand: PoolDemand): PoolProblem[];
  /** Description of these settings in a plan. */
  text(settings: S): string;
  /** Scenarios for the reference: a valid one with every key, and an invalid one for each rule. */
  readonly examples?: { readonly valid: ScenarioExample; readonly refused: ScenarioExample };
}

export interface PoolStrategy<S extends { readonly strategy: string }> {
  readonly settings: PoolSettingsOf<S>;
  /** Number of connections that this program's clients share; left out if each client has a connection. */
  shared?(settings: S): number;
  readonly isHeldByWorkload?: true;
  /**
   * Transactions that the pooler adds to each transaction of a client, such as a reset of the session, or the reason why
   * the number is unknown. Default 0. `asked` holds the settings that a running pooler reported.
   */
  ownTransactions?(settings: S, asked?: Readonly<Record<string, string>>): number | string;
  source(settings: S, options: SourceOptions): ConnectionSource;
  /** The product between the clients and the server; left out if there is none. */
  readonly pooler?: PoolerKind<Extract<S, PoolerSettings>>;
}

export interface PoolerProgram {
  readonly path: string;
  readonly version: string;
}

export interface ManagedPoolerDemand {
  /** Number of clients of all instances together. Each instance admits all of them, in case the others fail. */
  readonly maxClientConnections: number;
  readonly auth?: Auth | undefined;
}

/** A product between the clients and the server, started by train-sim or running already. */
export interface PoolerKind<S> {
  readonly product: string;
  readonly variable: string;
  /** Finds the program. Rejects with a TargetError that says how to install it if it is missing or cannot be run. */
  readonly find: (env?: NodeJS.ProcessEnv) => Promise<PoolerProgram>;
  /** Caveat about that version for the user; empty if there is none. */
  readonly caveat: (version: string) => string;
  openFiles(settings: S & ManagedPoolerDemand): number;
  /** Starts a pooler; resolves once it listens. On rejection no process is left. */
  start(
    program: PoolerProgram,
    settings: S & ManagedPoolerDemand,
    upstream: Endpoint,
  ): Promise<ManagedInstance>;
  /** True if named prepared statements work through the pooler; the version of a running pooler is unknown. */
  prepares(settings: S, version?: string): boolean;
  /**
   * Holds transactions back; left out if the product cannot. `obstacle` says why these settings prevent it, as the end of
   * the sentence "<fault> ...".
   */
  readonly pause?: { obstacle(settings: S): string | undefined; readonly hold: Pause };
  /** True if the pooler answers BEGIN itself: the wait for a server connection is in the first statement after it. */
  readonly answersBegin?: true;
  /** Opens a reader of statistics at these consoles. On rejection no connection is left. */
  statistics(
    consoles: readonly Endpoint[],
    endpoints: readonly Endpoint[],
    connectTimeoutMs: number,
  ): Promise<PoolerStatistics>;
  versionAt(console: Endpoint): Promise<string>;
  /** Settings of the pooler's configuration, by name; left out if the product cannot be asked. */
  settingsAt?(console: Endpoint): Promise<Readonly<Record<string, string>>>;
  /** Differences between a running pooler and these settings. */
  obstacles(settings: S, running: RunningPooler, isPrepared: boolean): Promise<Obstacle[]>;
}
