import type { NetConnectOpts } from "node:net";
import type { TrainSimError } from "../foundation/errors.js";
import type { DialectCapabilities } from "./capabilities.js";
import type { Endpoint } from "./endpoint.js";
import type { Evidence } from "./evidence.js";
import type { Session } from "./session.js";
import type { UrlReader } from "./url-reading.js";

/** Prefix of the names of train-sim's sessions, by which the server's own views show them. */
export const APPLICATION_NAME = "train-sim";

/** Treatment of a failed call: whether, and how, it is tried again. */
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
  /** SQLSTATE of the failure; if it has none, the driver's code (`ECONNRESET`) or the error's name. */
  readonly sqlstate: string;
}

/** The statement that failed and its table; a part that is not known is left out. */
export interface FailurePlace {
  readonly statement?: string;
  readonly table?: string;
}

export interface FailureClassifier {
  classify(error: unknown): Failure;
  placesOf(
    statements: readonly { readonly name: string; readonly text: string }[],
    tables: Readonly<Record<string, string>>,
  ): (error: unknown) => FailurePlace;
  /** The way out of an error, as a sentence; undefined if none is known. */
  remedyOf(error: unknown): string | undefined;
  /** An obstacle of the run, made from the error of a failed check of a server. */
  obstacleOf(error: unknown): Obstacle;
  explain(error: unknown): TrainSimError | undefined;
  /** True if the failure's code means a conflict of concurrent transactions. */
  isConflict(code: string): boolean;
  /** True if the failure means that a row with the same key exists already. */
  isDuplicate(failure: Failure): boolean;
  /** True if a table is missing or has another form, which a query of the audit cannot read. */
  isUnreadableTable(error: unknown): boolean;
  isStandbyError(error: unknown): boolean;
  /** True if the server that refused a connection is a standby or may be back later; false if it refuses the user. */
  isUnavailableError(error: unknown): boolean;
}

export interface SessionOptions {
  readonly endpoint: Endpoint;
  readonly applicationName: string;
  /** True if each connection prepares a statement by name at its first use. */
  readonly prepared: boolean;
  readonly connectTimeoutMs?: number;
  /** Called once with `connected` or `refused`, and with `lost` if the server or the network ends the open session. */
  readonly report?: (event: "connected" | "refused" | "lost", failure?: Error) => void;
  /**
   * Called for each transaction or single statement that ended at the server, and for one under way when the session is
   * lost.
   */
  readonly onTransaction?: (() => void) | undefined;
}

export interface LoadSession extends Session {
  /** Opens the session. Rejects with a TargetError that names the place, the observation and the way out. */
  connect(): Promise<unknown>;
  end(): Promise<void>;
}

export interface AdminSession {
  /** Endpoint of the server that the session was opened at; its alternatives are the other servers. */
  readonly endpoint: Endpoint;
  /** Ends the session. Never rejects. */
  close(): Promise<void>;
}

export interface AdminOptions {
  /** Purpose of the session, which the server's views show after `train-sim/`. */
  readonly purpose?: string;
  readonly connectTimeoutMs?: number;
  /** True if the first statement after a lost session opens another session. */
  readonly reopensLostSession?: boolean;
  /** True if `execute` prepares statements by name, which not every pooler supports. */
  readonly prepared?: boolean;
  /** True if the role's time limits stay in force: a pooler may lend the session to others, which must keep them. */
  readonly keepsTimeLimits?: boolean;
  /** Called when the server or the network ends the open session, with the error if one is known. */
  readonly onLost?: (failure: Error | undefined) => void;
}

export interface ServerInfo {
  readonly product: string;
  /** The dialect that the product speaks; undefined for an unknown product. */
  readonly dialect: string | undefined;
  /** Version, such as `18.4`, `v25.1.2`, `16`. */
  readonly version: string;
  /** The server's own text about its version, as `version()` returns it. */
  readonly versionText: string;
  /** Settings that shape the workload, and all settings that differ from their defaults. */
  readonly settings: Readonly<Record<string, string>>;
  readonly connections: ConnectionBudget;
}

export interface ConnectionBudget {
  readonly max: number | undefined;
  /** Number of connections that only superusers and reserved roles can open. */
  readonly reserved: number;
  /** Number of open connections, including train-sim's. */
  readonly inUse: number;
}

export interface ServerIdentity {
  readonly systemIdentifier?: string | undefined;
  readonly version: string;
  readonly startedAt?: string | undefined;
  readonly configLoadedAt?: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  /** Parts of the identity that could not be read, each as a sentence with the reason. */
  readonly missing: readonly string[];
}

/** A reason why a run, or a part of its evidence, is not possible. */
export interface Obstacle {
  /** `unreachable` and `unfit` stop a run; with `evidence` it continues without a part of the evidence. */
  readonly kind: "unreachable" | "unfit" | "evidence";
  /** Place and observation, in one sentence. */
  readonly words: string;
  /** The way out, as SQL if SQL helps. */
  readonly remedy: string;
  /** True if the missing evidence is an addition that many servers lack. */
  readonly isOptional?: boolean;
}

/** A fact about a server of the user, or about train-sim's role there, which stops no run. */
export interface ServerFact {
  /** `optional`: a part of the evidence or some faults are missing. */
  readonly state: "ok" | "optional" | "warning";
  /** Subject of the fact, in one word. */
  readonly what: string;
  readonly words: string;
  /** The way to what is missing, as SQL if SQL helps. */
  readonly remedy: string;
}

export interface ClientEndpoint {
  readonly key: "target.urls" | "pool.urls";
  readonly endpoint: Endpoint;
}

/** Needs of a run that a server of the user must meet. */
export interface ServerDemand {
  readonly admin: Endpoint;
  readonly servers: readonly Endpoint[];
  readonly clientEndpoints: readonly ClientEndpoint[];
  readonly namespaces: readonly string[];
  /**
   * Number of connections that the most demanding load opens; `controlConnections` is the number that train-sim's control
   * sessions need.
   */
  readonly loadConnections: number;
  readonly controlConnections: number;
  readonly tablesOf: TablesOf;
}

export interface Server<Admin extends AdminSession> {
  info(admin: Admin): Promise<ServerInfo>;
  /** Reads the server's identity in a new session. Rejects with a TargetError if the session cannot be opened. */
  identity(endpoint: Endpoint): Promise<ServerIdentity>;
  clockMs(admin: Admin): Promise<number>;
  /** Number of the server's main process; undefined unless it is a visible process of this machine. */
  serverProcessOf(admin: Admin): Promise<number | undefined>;
  /** Throws a UsageError, with the numbers, if the server has fewer connections left than a treatment needs. */
  requireConnections(budget: ConnectionBudget, needed: number, treatmentId: string): void;
  /** All obstacles to the run on a server of the user. Rejects like `administer`. */
  obstacles(demand: ServerDemand): Promise<Obstacle[]>;
  /** Facts that only servers of this database have. */
  facts?(admin: Admin): Promise<ServerFact[]>;
  poolerRefusal(endpoint: Endpoint): Promise<{ readonly words: string; readonly remedy: string } | undefined>;
  /**
   * Number of train-sim's control transactions that have ended since this process began. The server's counters include
   * them.
   */
  controlTransactions(): number;
}

/** One form of a workload's tables, as its store defines them. */
export interface TableSet {
  /** The setting that determines the tables, in two words for the namespace's mark: `payload jsonb`. */
  readonly variant: string;
}

export interface NamespaceSettings {
  readonly namespace: string;
  /** Tables to make; `names` are in the order in which they are made. */
  readonly tables: TableSet & { readonly names: readonly string[] };
  /** Level of `storage` for the tables. Default: `default`. */
  readonly storage?: string;
  readonly grantTo?: string;
  /** Name of the run that makes the namespace, as in `NamespaceClaim`. */
  readonly run?: string | undefined;
}

export type NamespaceState =
  | { readonly kind: "absent" | "foreign" }
  /** A namespace with train-sim's mark. `run` made it; undefined if it was made outside of a run. */
  | { readonly kind: "ours"; readonly run: string | undefined };

/** Names of the tables of the workload that has that variant; throws a UsageError if no workload has it. */
export type TablesOf = (variant: string) => readonly string[];

export interface NamespaceClaim {
  /**
   * Name of the run, which is in the namespace's mark and in the names of its sessions; undefined if the dialect has no
   * claims.
   */
  readonly run: string | undefined;
  /** Rejects with a TargetError if the claim is lost and cannot be taken again; never resolves. */
  readonly lossRejection: Promise<never>;
  confirm(): Promise<void>;
  /** Announces a fault: until the returned function is called, a lost claim is tried again without a time limit. */
  tolerateLoss(): () => void;
  /** Gives the claim up. Never rejects. */
  release(): Promise<void>;
}

/** The claim of a namespace that needs no claim or cannot have one: it is never lost. */
export const UNCLAIMED_NAMESPACE: NamespaceClaim = {
  run: undefined,
  lossRejection: new Promise(() => undefined),
  confirm: () => Promise.resolve(),
  tolerateLoss: () => () => undefined,
  release: () => Promise.resolve(),
};

export interface ClaimEvents {
  /** Called with a sentence when a lost claim was taken again, or when an earlier run left the namespace behind. */
  readonly note?: (words: string) => void;
}

/** Manages the schemas that belong to train-sim; a namespace without train-sim's mark is never touched. */
export interface Namespaces<Admin extends AdminSession> {
  ddl(settings: NamespaceSettings, dialect: string): string[];
  /** Qualified names of the tables, by their plain names. */
  qualifiedNames(
    namespace: string,
    tables: readonly string[],
    dialect: string,
  ): Readonly<Record<string, string>>;
  /** The endpoint with the namespace as its search path, so that unqualified names mean the namespace's tables. */
  endpointIn(endpoint: Endpoint, namespace: string, dialect: string): Endpoint;
  /** Claims the namespace for a run. Rejects with a UsageError while another run has claimed it or works in it. */
  claim(
    endpoint: Endpoint,
    namespace: string,
    dialect: string,
    events?: ClaimEvents,
  ): Promise<NamespaceClaim>;
  /** True if the dialect has claims, and marks that name runs. */
  supportsClaims(dialect: string): boolean;
  state(admin: Admin, namespace: string, dialect: string): Promise<NamespaceState>;
  /** True if that run has a session in the namespace. */
  isRunActive(admin: Admin, namespace: string, run: string): Promise<boolean>;
  requireOwnNamespace(admin: Admin, namespace: string, dialect: string): Promise<void>;
  apply(admin: Admin, settings: NamespaceSettings, dialect: string): Promise<"created" | "unchanged">;
  /** Makes an empty namespace; a namespace that train-sim made before is dropped first. */
  reset(admin: Admin, settings: NamespaceSettings, dialect: string, tablesOf: TablesOf): Promise<void>;
  /** Drops the namespace; resolves to false if there was none. */
  drop(admin: Admin, namespace: string, dialect: string, tablesOf: TablesOf): Promise<boolean>;
  /** Removes traces of earlier trials from the server, as far as `wanted` permits it. */
  settle(
    admin: Admin,
    dialect: string,
    wanted: {
      readonly cleansCatalogues: boolean;
      readonly writesPages: boolean;
      readonly emptiesBuffers: boolean;
    },
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
  /**
   * Reads the plan of a statement: its steps with the objects that they read, the first on the left, such as `Index Scan
   * events_pkey > Update events`.
   */
  read(admin: Admin, text: string, dialect: string, within: string | undefined): Promise<string>;
}

/** Sessions of the load on which the server worked within the last second; sessions that wait for a lock are left out. */
export interface WorkingSessions {
  readonly count: number;
  /** Age in seconds of the oldest transaction of these sessions. */
  readonly oldestSeconds: number;
  /** Wait events of these sessions, with `CPU` for a session that does not wait: `CPU, IO:DataFileRead`. */
  readonly waits: string;
}

export interface HeldConnections {
  readonly count: number;
  /** Opens connections until the server refuses another one for lack of free ones. */
  takeAll(): Promise<void>;
  release(count: number): Promise<void>;
  /** Closes all connections. Never rejects. */
  releaseAll(): Promise<void>;
}

/**
 * Actions on sessions that faults need. Their connections end with the fault, and locks and snapshots end with the
 * connections.
 */
export interface Sessions<Admin extends AdminSession> {
  open(endpoint: Endpoint): Promise<Admin>;
  awaitAnswer(session: Admin): Promise<void>;
  /** Process ids of the load's sessions, which have these names. */
  listProcessIds(session: Admin, loadNames: readonly string[]): Promise<number[]>;
  /**
   * Sessions of the load that work; undefined if the dialect cannot report them. The count is 0 for a role that may not see
   * them.
   */
  readWorkingSessions(
    session: Admin,
    dialect: string,
    loadNames: readonly string[],
  ): Promise<WorkingSessions | undefined>;
  /** Ends these sessions, or cancels their statements; resolves to the number of sessions that still existed. */
  signal(session: Admin, how: "terminate" | "cancel", pids: readonly number[]): Promise<number>;
  /** Takes a snapshot that lasts to the end of the session's transaction. */
  holdSnapshot(session: Admin, table: string): Promise<void>;
  /** Locks the table; resolves once it is locked. */
  lockTable(session: Admin, table: string, mode: string): Promise<void>;
  /** Releases the session's snapshot or lock. Rejects if the session ended before. */
  release(session: Admin): Promise<void>;
  holdConnections(endpoint: Endpoint): HeldConnections;
  checkpoint(session: Admin): Promise<void>;
  /** Writes to the server's log (WAL) until its disk is full. */
  fillLogDisk(session: Admin): Promise<void>;
  /** Milliseconds by which the server may acknowledge a commit before it writes it; 0 if it writes first. */
  unwrittenCommitMs(session: Admin): Promise<number>;
}

export interface Database<Admin extends AdminSession = AdminSession> {
  readonly name: string;
  /** Capabilities of the database's dialects by name. */
  readonly dialects: Readonly<Record<string, DialectCapabilities>>;
  readonly urls: UrlReader;
  socketOf(endpoint: Pick<Endpoint, "host" | "port">): NetConnectOpts;
  session(options: SessionOptions): LoadSession;
  /** Opens a control session. Rejects with a TargetError that names the place, the observation and the way out. */
  administer(endpoint: Endpoint, options?: AdminOptions): Promise<Admin>;
  readonly failures: FailureClassifier;
  readonly server: Server<Admin>;
  readonly namespaces: Namespaces<Admin>;
  readonly sessions: Sessions<Admin>;
  readonly plans: Plans<Admin>;
  readonly evidence: Evidence;
}
