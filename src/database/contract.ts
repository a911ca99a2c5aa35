// The contract of a database: the questions that the rest of the program asks of it, and the sessions that it opens.
import type { NetConnectOpts } from "node:net";
import type { TrainSimError } from "../foundation/errors.js";
import type { DialectCapabilities } from "./capabilities.js";
import type { Endpoint, EndpointUrl } from "./endpoint.js";
import type { Evidence } from "./evidence.js";
import type { Session } from "./session.js";
import type { TlsKeys } from "./tls.js";

/** Prefix of the name of every session, by which the server's own views show it. */
export const APPLICATION = "train-sim";

/** The treatment of a failed call. */
export type FailureKind =
  /** Try again on the same connection: serialisation failure, deadlock, lock not available, a full disk. */
  | "retry"
  /** Try again on a new connection: it was lost, or the server is starting up or shutting down. */
  | "reconnect"
  /** The commit was under way when the connection went: settle it before trying again. */
  | "in-doubt"
  /** Trying again would give the same, and the load goes on: the transaction did not find the rows that it expects. */
  | "final"
  /** Trying again cannot help: a wrong statement, a missing table, a refused password. */
  | "fatal";

/** A failure's treatment and the code to count it under (never empty). */
export interface Failure {
  readonly kind: FailureKind;
  /** SQLSTATE; else the driver's code (`ECONNRESET`); else the error's name. */
  readonly sqlstate: string;
}

/** The statement that failed and its table; a part that is not known is left out. */
export interface FailurePlace {
  readonly statement?: string;
  /** The name without its schema, as `events`. */
  readonly table?: string;
}

/** Decides what may be done about anything that a session, a pool or a store threw. */
export interface Failures {
  classify(error: unknown): Failure;
  /** A function that names the statement and table of a failure; `tables` maps each table's name to its qualified one. */
  placesOf(
    statements: readonly { readonly name: string; readonly text: string }[],
    tables: Readonly<Record<string, string>>,
  ): (error: unknown) => FailurePlace;
  /** The way out as a sentence; undefined if none is known. */
  remedyOf(error: unknown): string | undefined;
  /** A check of a server that failed, as an obstacle of the run. */
  obstacleOf(error: unknown): Obstacle;
  /** The error for people, if the server, a pooler, the network or a file system caused it; else undefined. */
  explained(error: unknown): TrainSimError | undefined;
  /** Whether a failure's code says that concurrent transactions met. */
  isConflict(code: string): boolean;
  /** Whether a row with the same key is there already. */
  isDuplicate(failure: Failure): boolean;
  /** Whether the server reached by a failed connection takes no writes. */
  isStandby(error: unknown): boolean;
  /** Whether the server of a failed connection is a standby or may be back later, unlike one that refuses the user. */
  isAway(error: unknown): boolean;
}

/** Connection URLs of a database. No message repeats a URL, for it may hold a password. */
export interface Urls {
  /** Schemes that URLs begin with; endpoints have the first. */
  readonly schemes: readonly string[];
  /** A URL that shows the form. */
  readonly example: string;
  /** The reason, to follow "this connection URL", why a URL of these schemes is never connected to; undefined if it may be. */
  refusal(url: string): string | undefined;
  /** TLS and password that the URL leaves out come from `tls` and the environment. Throws a UsageError. */
  read(url: EndpointUrl, tls?: TlsKeys, environment?: NodeJS.ProcessEnv): Endpoint;
  /** TLS that the parameters of a valid URL state. */
  tlsOf(url: string): TlsKeys;
  /** The URL with parameters for those keys of TLS that it does not state itself. */
  withTls(url: string, keys: TlsKeys): string;
  /** The URL with another path for each file that its parameters name; any other text stays as it is. */
  withFiles(url: string, change: (file: string) => string): string;
  /**
   * The URL with the parts that it leaves out, from the environment. `stated` names keys of TLS that the target has; the
   * URL of a pooler gets the user alone. Throws a UsageError for a variable whose value no URL can have.
   */
  complete(url: string, environment: NodeJS.ProcessEnv, stated: "pooler" | ReadonlySet<string>): string;
  /** Variables of the environment that have no effect here, each as a sentence with the reason. */
  ignoredVariables(environment: NodeJS.ProcessEnv): string[];
}

export interface SessionOptions {
  readonly endpoint: Endpoint;
  readonly applicationName: string;
  /** Whether statements are prepared by name, once a connection. */
  readonly prepared: boolean;
  readonly connectTimeoutMs?: number;
  /**
   * Called once with `connected`, or with `refused` and the error of `connect`. Called again with `lost`, and the error if there
   * was one, if the server or the network ends the open session.
   */
  readonly report?: (event: "connected" | "refused" | "lost", failure?: Error) => void;
  /**
   * Called for each transaction that ended at the server, committed or not. A statement outside of a transaction counts, and
   * so does a transaction under way when the connection was lost.
   */
  readonly onTransaction?: (() => void) | undefined;
}

/** A session of the load in the hands of a pool. */
export interface LoadSession extends Session {
  /** Rejects with a TargetError that says where, what was seen and what to do. */
  connect(): Promise<unknown>;
  /** Closes the connection within a second, even during a call. Never rejects; may be called twice. */
  end(): Promise<void>;
}

/** A session for train-sim's own work. */
export interface AdminSession {
  readonly endpoint: Endpoint;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface AdminOptions {
  /** The purpose of the session, as the server's views show it after `train-sim/`. */
  readonly purpose?: string;
  readonly connectTimeoutMs?: number;
  /**
   * Whether a session that has ended is followed by another at the next statement. The statement that meets the end
   * fails all the same, and what was set in the session is gone.
   */
  readonly reopens?: boolean;
  /** Whether `execute` prepares statements by name, which not every pooler in between takes. */
  readonly prepared?: boolean;
  /** Whether the role's own time limits hold, as for a session that a pooler may lend to others. */
  readonly keepsTimeLimits?: boolean;
  /** Called when the server or the network ends the open session, with the error if there was one. */
  readonly onLost?: (failure: Error | undefined) => void;
}

/** A server's product, version, settings and room for connections. */
export interface ServerInfo {
  readonly product: string;
  /** The dialect that the product speaks; undefined for an unknown product. */
  readonly dialect: string | undefined;
  /** `18.4`, `v25.1.2`, `16` */
  readonly version: string;
  /** The server's own description of its version. */
  readonly versionText: string;
  /** Settings that shape the workload, and every one that differs from its default. */
  readonly settings: Readonly<Record<string, string>>;
  readonly connections: ConnectionBudget;
}

/** Numbers of connections; a limit is undefined if the server states none. */
export interface ConnectionBudget {
  readonly max: number | undefined;
  /** Connections that the server keeps for superusers and reserved roles. */
  readonly reserved: number;
  /** Open connections, those of train-sim included. */
  readonly inUse: number;
}

/** Identity and settings of a server. Moments are ISO 8601 in UTC, to the microsecond. */
export interface ServerIdentity {
  readonly systemIdentifier?: string | undefined;
  readonly version: string;
  readonly startedAt?: string | undefined;
  readonly configLoadedAt?: string | undefined;
  /** Settings that differ from their default and those that shape the workload; none that may hold a secret. */
  readonly settings: Readonly<Record<string, string>>;
  /** Parts that are missing, in words, each with the reason. */
  readonly missing: readonly string[];
}

/** Something that stands in the way of a run, or of a part of its evidence. */
export interface Obstacle {
  /** `unreachable` and `unfit` stop a run; without `evidence` it goes on. */
  readonly kind: "unreachable" | "unfit" | "evidence";
  /** The place and the observation, in one sentence. */
  readonly words: string;
  /** The way out, as SQL if that helps. */
  readonly remedy: string;
}

/** An endpoint where clients connect, and the key of the scenario that says so. */
export interface Way {
  readonly key: "target.urls" | "pool.urls";
  readonly endpoint: Endpoint;
}

/** Demands of runs on a server of the user. */
export interface ServerDemand {
  readonly admin: Endpoint;
  /** The target's endpoints: servers, not poolers. */
  readonly servers: readonly Endpoint[];
  readonly ways: readonly Way[];
  readonly namespaces: readonly string[];
  /** Connections that the most demanding load opens, and those that train-sim opens itself. */
  readonly loadConnections: number;
  readonly ownConnections: number;
  readonly tablesOf: TablesOf;
}

/** Questions about a server. */
export interface Server<Admin extends AdminSession> {
  info(admin: Admin): Promise<ServerInfo>;
  /** Opens a session to ask. Rejects with a TargetError if it cannot be opened. */
  identity(endpoint: Endpoint): Promise<ServerIdentity>;
  /** Milliseconds since 1970, by the server's clock. */
  clockMs(admin: Admin): Promise<number>;
  /** The process behind the session, if it is one of this machine; `began` is in seconds since 1970. */
  processOf(admin: Admin): Promise<{ readonly pid: number; readonly began: number } | undefined>;
  /** Throws a UsageError, with the numbers, if the server has fewer connections left than a treatment needs. */
  requireConnections(budget: ConnectionBudget, needed: number, treatmentId: string): void;
  /** Everything that stands in the way of runs on a server of the user's own. Rejects as `administer`. */
  obstacles(demand: ServerDemand): Promise<Obstacle[]>;
  /** The refusal of an endpoint that is a pooler; undefined for a server. */
  poolerRefusal(endpoint: Endpoint): Promise<{ readonly words: string; readonly remedy: string } | undefined>;
  /** Transactions of train-sim's own sessions that ended since this process began: the server counts them as well. */
  controlTransactions(): number;
}

/** One form of a workload's tables, given by its store. */
export interface TableSet {
  /** The setting that decides about the tables, in two words for the namespace's mark: `payload jsonb`. */
  readonly variant: string;
}

export interface NamespaceSettings {
  readonly namespace: string;
  /** `names` are in the order in which the tables are made. */
  readonly tables: TableSet & { readonly names: readonly string[] };
  /** The level of `storage`. Default: `default`. */
  readonly storage?: string;
  /** A role, other than the owner, that is to run the load. */
  readonly grantTo?: string;
  /** The run that makes the namespace, by the name in its `NamespaceClaim`. */
  readonly run?: string | undefined;
}

export type NamespaceState =
  | { readonly kind: "absent" | "foreign" }
  /** `run` made the namespace; undefined if no run did. */
  | { readonly kind: "ours"; readonly run: string | undefined };

/** Names of the tables of a workload that made a namespace of that variant; throws a UsageError if none did. */
export type TablesOf = (variant: string) => readonly string[];

export interface NamespaceClaim {
  /** The run's name in the namespace's mark and in its sessions; undefined where the dialect has no claims. */
  readonly run: string | undefined;
  /** Rejects with a TargetError if the claim is lost and cannot be taken again; never resolves. */
  readonly lost: Promise<never>;
  /** Resolves once the claim is held, in the namespace that this run made or found; rejects as `lost`. */
  confirm(): Promise<void>;
  /** During a fault: a lost claim is tried again without a time limit. Call the result when the fault is over. */
  excuse(): () => void;
  /** Never rejects. */
  release(): Promise<void>;
}

/** The claim of a namespace that needs none or cannot have one. */
export const UNCLAIMED: NamespaceClaim = {
  run: undefined,
  lost: new Promise(() => undefined),
  confirm: () => Promise.resolve(),
  excuse: () => () => undefined,
  release: () => Promise.resolve(),
};

export interface ClaimEvents {
  /** Called with a sentence if a lost claim is held again, or if an earlier run left the namespace. */
  readonly note?: (words: string) => void;
}

/** The part of a database that is train-sim's own; a namespace that train-sim did not mark is never touched. */
export interface Namespaces<Admin extends AdminSession> {
  /** Statements that make the namespace, for people. */
  ddl(settings: NamespaceSettings, dialect: string): string[];
  /** The tables' full names, by name. */
  qualified(namespace: string, tables: readonly string[], dialect: string): Readonly<Record<string, string>>;
  /** The endpoint from which unqualified names are found in the namespace. */
  within(endpoint: Endpoint, namespace: string, dialect: string): Endpoint;
  /** Rejects with a UsageError while another run has claimed it or works in it. */
  claim(
    endpoint: Endpoint,
    namespace: string,
    dialect: string,
    events?: ClaimEvents,
  ): Promise<NamespaceClaim>;
  /** Whether claims, and the names of runs in marks, exist in that dialect. */
  hasClaims(dialect: string): boolean;
  state(admin: Admin, namespace: string, dialect: string): Promise<NamespaceState>;
  /** Whether that run has a session there. */
  isAtWork(admin: Admin, namespace: string, run: string): Promise<boolean>;
  requireOwn(admin: Admin, namespace: string, dialect: string): Promise<void>;
  apply(admin: Admin, settings: NamespaceSettings, dialect: string): Promise<"created" | "unchanged">;
  /** Creates an empty namespace; drops the one that train-sim made before. */
  reset(admin: Admin, settings: NamespaceSettings, dialect: string, tablesOf: TablesOf): Promise<void>;
  /** Resolves to false if there was no namespace. */
  drop(admin: Admin, namespace: string, dialect: string, tablesOf: TablesOf): Promise<boolean>;
  /** Frees the server of the traces of earlier trials, as far as it may be asked to. */
  settle(
    admin: Admin,
    dialect: string,
    wanted: { readonly cleansCatalogues: boolean; readonly writesPages: boolean },
  ): Promise<void>;
  /** Brings the planner's statistics up to date where tables are large enough to tell. */
  refreshStatistics(
    admin: Admin,
    namespace: string,
    tables: readonly string[],
    dialect: string,
  ): Promise<unknown>;
}

/** Plans of statements as the planner would make them, without their values. Nothing of a statement runs. */
export interface Plans<Admin extends AdminSession> {
  /** The reason why the server gives no plans; undefined if it gives them. */
  obstacle(admin: Admin, dialect: string): Promise<string | undefined>;
  /** Each step with the object that it reads, the first on the left: `Index Scan events_pkey > Update events`. */
  read(admin: Admin, text: string, dialect: string, within: string | undefined): Promise<string>;
}

/** Sessions of the load that the server works on or did within the last second, without those that wait for a lock. */
export interface WorkingSessions {
  readonly count: number;
  /** Seconds since the oldest of their transactions began. */
  readonly oldestSeconds: number;
  /** Their other waits, `CPU` for none: `CPU, IO:DataFileRead`. */
  readonly waits: string;
}

/** Every connection that the server still has, held by sessions that do nothing. */
export interface HeldConnections {
  readonly count: number;
  /** Resolves once the server refuses the next one for want of connections. */
  takeAll(): Promise<void>;
  giveBack(count: number): Promise<void>;
  /** Never rejects. */
  giveAllBack(): Promise<void>;
}

/** Actions of faults, on connections that end with the fault. Nothing that they hold outlives them. */
export interface Sessions<Admin extends AdminSession> {
  open(endpoint: Endpoint): Promise<Admin>;
  answer(session: Admin): Promise<void>;
  /** Process ids of the load's sessions. */
  list(session: Admin, loadNames: readonly string[]): Promise<number[]>;
  /** Undefined if the dialect cannot be asked. The count is 0 for a role that may not see the load's sessions. */
  working(
    session: Admin,
    dialect: string,
    loadNames: readonly string[],
  ): Promise<WorkingSessions | undefined>;
  /** Ends those sessions, or cancels their statements; resolves to the number of sessions that existed. */
  signal(session: Admin, how: "terminate" | "cancel", pids: readonly number[]): Promise<number>;
  /** A snapshot is held from here to the end of the session's transaction. */
  holdSnapshot(session: Admin, table: string): Promise<void>;
  /** Resolves once the table is locked. */
  lockTable(session: Admin, table: string, mode: string): Promise<void>;
  /** Releases the snapshot or lock. Rejects if the session ended before. */
  letGo(session: Admin): Promise<void>;
  hold(endpoint: Endpoint): HeldConnections;
  /** Requests a checkpoint; resolves when it is complete. */
  checkpoint(session: Admin): Promise<void>;
  /** Writes to the server's log until its disk is full. */
  exhaustLog(session: Admin): Promise<void>;
  /** Milliseconds of acknowledged work that the server may not have written yet; 0 if it writes before it acknowledges. */
  unwrittenMs(session: Admin): Promise<number>;
}

/** Everything that the rest of the program asks of a database. */
export interface Database<Admin extends AdminSession = AdminSession> {
  /** The product's usual spelling. */
  readonly name: string;
  /** Capabilities of its dialects by name. */
  readonly dialects: Readonly<Record<string, DialectCapabilities>>;
  readonly urls: Urls;
  /** The socket on which an endpoint listens. */
  socketOf(endpoint: Pick<Endpoint, "host" | "port">): NetConnectOpts;
  /** A session of the load, to be opened by its `connect`. */
  session(options: SessionOptions): LoadSession;
  /** Rejects with a TargetError that says where, what was seen and what to do. */
  administer(endpoint: Endpoint, options?: AdminOptions): Promise<Admin>;
  readonly failures: Failures;
  readonly server: Server<Admin>;
  readonly namespaces: Namespaces<Admin>;
  readonly sessions: Sessions<Admin>;
  readonly plans: Plans<Admin>;
  readonly evidence: Evidence;
}
