import type { NetConnectOpts } from "node:net";
import type { TrainSimError } from "../foundation/errors.js";
import type { DialectCapabilities } from "./capabilities.js";
import type { Endpoint } from "./endpoint.js";
import type { Evidence } from "./evidence.js";
import type { Session } from "./session.js";
import type { Urls } from "./url-reading.js";

/** Prefix of the name of every session, by which the server's own views show it. */
export const APPLICATION = "train-sim";

/** The treatment of a failed call. */
export type FailureKind =
  /** Try again on the same connection: serialisation failure, deadlock, lock not available, a full disk. */
  | "retry"
  /** Try again on a new connection: it was lost, or the server is starting up or shutting down. */
  | "reconnect"
  /** The connection was lost during the commit: settle the commit before trying again. */
  | "in-doubt"
  /** Trying again would give the same result, and the load continues: expected rows were not found. */
  | "final"
  /** Trying again cannot help: a wrong statement, a missing table, a refused password. */
  | "fatal";

export interface Failure {
  readonly kind: FailureKind;
  /** SQLSTATE; else the driver's code (`ECONNRESET`); else the error's name. */
  readonly sqlstate: string;
}

/** The statement that failed and its table; a part that is not known is left out. */
export interface FailurePlace {
  readonly statement?: string;
  readonly table?: string;
}

export interface Failures {
  classify(error: unknown): Failure;
  placesOf(
    statements: readonly { readonly name: string; readonly text: string }[],
    tables: Readonly<Record<string, string>>,
  ): (error: unknown) => FailurePlace;
  /** The way out as a sentence; undefined if none is known. */
  remedyOf(error: unknown): string | undefined;
  /** An obstacle of the run, made from the error of a failed check of a server. */
  obstacleOf(error: unknown): Obstacle;
  explained(error: unknown): TrainSimError | undefined;
  /** True if the failure's code means a conflict of concurrent transactions. */
  isConflict(code: string): boolean;
  /** True if a row with the same key exists already. */
  isDuplicate(failure: Failure): boolean;
  isStandby(error: unknown): boolean;
  /** True if the server of a failed connection is a standby or may be back later; false if it refuses the user. */
  isUnavailable(error: unknown): boolean;
}

export interface SessionOptions {
  readonly endpoint: Endpoint;
  readonly applicationName: string;
  /** True if each connection prepares its statements by name, once. */
  readonly prepared: boolean;
  readonly connectTimeoutMs?: number;
  /** Called once with `connected` or `refused`, and with `lost` if the server or the network ends the open session. */
  readonly report?: (event: "connected" | "refused" | "lost", failure?: Error) => void;
  /** Called for each transaction or single statement that ended at the server, and for one under way at a loss. */
  readonly onTransaction?: (() => void) | undefined;
}

export interface LoadSession extends Session {
  /** Rejects with a TargetError that names the place, the observation and the way out. */
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

export interface AdminSession {
  readonly endpoint: Endpoint;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface AdminOptions {
  /** Purpose of the session, which the server's views show after `train-sim/`. */
  readonly purpose?: string;
  readonly connectTimeoutMs?: number;
  /** True if the next statement after the end of the session opens another session. */
  readonly reopens?: boolean;
  /** True if `execute` prepares statements by name, which not every pooler supports. */
  readonly prepared?: boolean;
  /** True if the role's time limits stay in force, as they must in a session that a pooler may lend to others. */
  readonly keepsTimeLimits?: boolean;
  /** Called when the server or the network ends the open session, with the error if there was one. */
  readonly onLost?: (failure: Error | undefined) => void;
}

export interface ServerInfo {
  readonly product: string;
  /** The dialect that the product speaks; undefined for an unknown product. */
  readonly dialect: string | undefined;
  /** Version, such as `18.4`, `v25.1.2`, `16`. */
  readonly version: string;
  /** The server's own description of its version. */
  readonly versionText: string;
  /** Settings that shape the workload, and all settings that differ from their defaults. */
  readonly settings: Readonly<Record<string, string>>;
  readonly connections: ConnectionBudget;
}

export interface ConnectionBudget {
  readonly max: number | undefined;
  /** Connections reserved for superusers and reserved roles. */
  readonly reserved: number;
  /** Open connections, including train-sim's. */
  readonly inUse: number;
}

export interface ServerIdentity {
  readonly systemIdentifier?: string | undefined;
  readonly version: string;
  readonly startedAt?: string | undefined;
  readonly configLoadedAt?: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  /** Parts that are missing, each as a sentence with the reason. */
  readonly missing: readonly string[];
}

/** An obstacle for a run, or for a part of its evidence. */
export interface Obstacle {
  /** `unreachable` and `unfit` stop a run; with `evidence` it continues without a part of the evidence. */
  readonly kind: "unreachable" | "unfit" | "evidence";
  /** Place and observation, in one sentence. */
  readonly words: string;
  /** The way out, as SQL if SQL helps. */
  readonly remedy: string;
}

export interface ClientEndpoint {
  readonly key: "target.urls" | "pool.urls";
  readonly endpoint: Endpoint;
}

/** Demands of a run on a server of the user. */
export interface ServerDemand {
  readonly admin: Endpoint;
  readonly servers: readonly Endpoint[];
  readonly clientEndpoints: readonly ClientEndpoint[];
  readonly namespaces: readonly string[];
  /** Connections that the most demanding load opens, and connections that train-sim's control sessions need. */
  readonly loadConnections: number;
  readonly ownConnections: number;
  readonly tablesOf: TablesOf;
}

export interface Server<Admin extends AdminSession> {
  info(admin: Admin): Promise<ServerInfo>;
  /** Reads the identity in a new session. Rejects with a TargetError if the session cannot be opened. */
  identity(endpoint: Endpoint): Promise<ServerIdentity>;
  clockMs(admin: Admin): Promise<number>;
  /** The server process of the session, if it runs on this machine; `began` is in seconds since 1970. */
  processOf(admin: Admin): Promise<{ readonly pid: number; readonly began: number } | undefined>;
  /** Throws a UsageError, with the numbers, if the server has fewer connections left than a treatment needs. */
  requireConnections(budget: ConnectionBudget, needed: number, treatmentId: string): void;
  /** All obstacles to runs on a server of the user. Rejects like `administer`. */
  obstacles(demand: ServerDemand): Promise<Obstacle[]>;
  poolerRefusal(endpoint: Endpoint): Promise<{ readonly words: string; readonly remedy: string } | undefined>;
  /** Number of train-sim's control transactions that ended since this process began: the server counts them as well. */
  controlTransactions(): number;
}

/** One form of a workload's tables, given by its store. */
export interface TableSet {
  /** The setting that determines the tables, in two words for the namespace's mark: `payload jsonb`. */
  readonly variant: string;
}

export interface NamespaceSettings {
  readonly namespace: string;
  /** `names` are in the order in which the tables are made. */
  readonly tables: TableSet & { readonly names: readonly string[] };
  /** The level of `storage`. Default: `default`. */
  readonly storage?: string;
  readonly grantTo?: string;
  /** Name, in its `NamespaceClaim`, of the run that makes the namespace. */
  readonly run?: string | undefined;
}

export type NamespaceState =
  | { readonly kind: "absent" | "foreign" }
  /** `run` made the namespace; undefined if it was made outside of a run. */
  | { readonly kind: "ours"; readonly run: string | undefined };

/** Names of the tables of a workload that made a namespace of that variant; throws a UsageError if none did. */
export type TablesOf = (variant: string) => readonly string[];

export interface NamespaceClaim {
  /** Name of the run in the namespace's mark and in its sessions; undefined if the dialect has no claims. */
  readonly run: string | undefined;
  /** Rejects with a TargetError if the claim is lost and cannot be taken again; never resolves. */
  readonly lost: Promise<never>;
  confirm(): Promise<void>;
  /** Announces a fault, during which a lost claim is tried again without a time limit, until the result is called. */
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

/** The part of a database that belongs to train-sim; a namespace without train-sim's mark is never touched. */
export interface Namespaces<Admin extends AdminSession> {
  ddl(settings: NamespaceSettings, dialect: string): string[];
  /** Qualified names of the tables, by name. */
  qualified(namespace: string, tables: readonly string[], dialect: string): Readonly<Record<string, string>>;
  /** The endpoint with the namespace as its search path for unqualified names. */
  within(endpoint: Endpoint, namespace: string, dialect: string): Endpoint;
  /** Rejects with a UsageError while another run has claimed it or works in it. */
  claim(
    endpoint: Endpoint,
    namespace: string,
    dialect: string,
    events?: ClaimEvents,
  ): Promise<NamespaceClaim>;
  /** True if the dialect has claims, and names of runs in marks. */
  hasClaims(dialect: string): boolean;
  state(admin: Admin, namespace: string, dialect: string): Promise<NamespaceState>;
  /** True if that run has a session in the namespace. */
  isActive(admin: Admin, namespace: string, run: string): Promise<boolean>;
  requireOwn(admin: Admin, namespace: string, dialect: string): Promise<void>;
  apply(admin: Admin, settings: NamespaceSettings, dialect: string): Promise<"created" | "unchanged">;
  /** Creates an empty namespace; drops the one that train-sim made before. */
  reset(admin: Admin, settings: NamespaceSettings, dialect: string, tablesOf: TablesOf): Promise<void>;
  /** Resolves to false if there was no namespace. */
  drop(admin: Admin, namespace: string, dialect: string, tablesOf: TablesOf): Promise<boolean>;
  /** Removes traces of earlier trials from the server, as far as train-sim may ask for that. */
  settle(
    admin: Admin,
    dialect: string,
    wanted: { readonly cleansCatalogues: boolean; readonly writesPages: boolean },
  ): Promise<void>;
  /** Brings the planner's statistics up to date for tables that are large enough for them. */
  refreshStatistics(
    admin: Admin,
    namespace: string,
    tables: readonly string[],
    dialect: string,
  ): Promise<unknown>;
}

export interface Plans<Admin extends AdminSession> {
  obstacle(admin: Admin, dialect: string): Promise<string | undefined>;
  /** Steps of the plan with the objects that they read, the first on the left: `Index Scan events_pkey > Update events`. */
  read(admin: Admin, text: string, dialect: string, within: string | undefined): Promise<string>;
}

/** Sessions of the load on which the server worked within the last second, without sessions that wait for a lock. */
export interface WorkingSessions {
  readonly count: number;
  /** Seconds since the oldest of their transactions began. */
  readonly oldestSeconds: number;
  /** Wait events of these sessions, `CPU` for none: `CPU, IO:DataFileRead`. */
  readonly waits: string;
}

export interface HeldConnections {
  readonly count: number;
  /** Resolves once the server refuses another connection for lack of free ones. */
  takeAll(): Promise<void>;
  release(count: number): Promise<void>;
  /** Never rejects. */
  releaseAll(): Promise<void>;
}

/** Actions of faults, on connections that end with the fault. Locks and snapshots end with the connections. */
export interface Sessions<Admin extends AdminSession> {
  open(endpoint: Endpoint): Promise<Admin>;
  answer(session: Admin): Promise<void>;
  /** Process ids of the load's sessions. */
  list(session: Admin, loadNames: readonly string[]): Promise<number[]>;
  /** Undefined if the dialect cannot report them. The count is 0 for a role that may not see the load's sessions. */
  working(
    session: Admin,
    dialect: string,
    loadNames: readonly string[],
  ): Promise<WorkingSessions | undefined>;
  /** Ends these sessions, or cancels their statements; resolves to the number of sessions that existed. */
  signal(session: Admin, how: "terminate" | "cancel", pids: readonly number[]): Promise<number>;
  /** Takes a snapshot that lasts to the end of the session's transaction. */
  holdSnapshot(session: Admin, table: string): Promise<void>;
  /** Resolves once the table is locked. */
  lockTable(session: Admin, table: string, mode: string): Promise<void>;
  /** Releases the snapshot or lock. Rejects if the session ended before. */
  release(session: Admin): Promise<void>;
  hold(endpoint: Endpoint): HeldConnections;
  checkpoint(session: Admin): Promise<void>;
  /** Writes to the server's log until the log's disk is full. */
  exhaustLog(session: Admin): Promise<void>;
  /** Milliseconds of acknowledged work that the server may not have written yet; 0 if it writes before it acknowledges. */
  unwrittenMs(session: Admin): Promise<number>;
}

export interface Database<Admin extends AdminSession = AdminSession> {
  readonly name: string;
  /** Capabilities of the database's dialects by name. */
  readonly dialects: Readonly<Record<string, DialectCapabilities>>;
  readonly urls: Urls;
  socketOf(endpoint: Pick<Endpoint, "host" | "port">): NetConnectOpts;
  session(options: SessionOptions): LoadSession;
  /** Opens a control session. Rejects with a TargetError that names the place, the observation and the way out. */
  administer(endpoint: Endpoint, options?: AdminOptions): Promise<Admin>;
  readonly failures: Failures;
  readonly server: Server<Admin>;
  readonly namespaces: Namespaces<Admin>;
  readonly sessions: Sessions<Admin>;
  readonly plans: Plans<Admin>;
  readonly evidence: Evidence;
}
