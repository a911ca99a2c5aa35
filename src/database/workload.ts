// The contract between actors and the database: the transactions of the Train Events workload, with every level
// of a treatment already decided. An actor hands in a batch and gets back what happened; it never sees SQL.
// Implementations live beside this file, one per statement shape.
import type { AdvanceProbabilities } from "../model/lifecycle.js";
import type { EventBatch } from "../model/event-batch.js";
import type { PreparedEvent } from "../model/event.js";

/** One SQL statement of the workload; `name` is how errors, logs and latency parts call it (`process.claim`). */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A value for a `$n` parameter. A Buffer goes in binary format. */
export type SqlValue = string | number | boolean | Date | Buffer | null;
/** Values that lie in the message of a later call already, in binary format. */
export interface BoundValues {
  readonly message: Buffer;
  /** The value of `$(index + 1)`, as it lies in the message. */
  value(index: number): Buffer;
  readonly values: readonly Buffer[];
}

export type StatementValues = readonly SqlValue[] | BoundValues;
export type SqlRow = Readonly<Record<string, unknown>>;

/** Sees the time of every call on a connection: where a latency is taken apart. */
export interface CallObserver {
  /** `name` is the statement's, or begin, commit, rollback; times are monotonic milliseconds. Failures count too. */
  onCall(name: string, startMs: number, endMs: number): void;
}

/** One open connection in the hands of one client. */
export interface Connection {
  /** Runs a statement of the workload, prepared by name where the treatment says so. */
  execute(statement: Statement, values: StatementValues): Promise<SqlRow[]>;
  /** Runs transaction control (`BEGIN ...`, `COMMIT`, `ROLLBACK`) by the simple protocol. */
  control(name: "begin" | "commit" | "rollback", text: string): Promise<void>;
  /** Tells the time of every call to that one from now on, in place of whoever was told before. */
  observe(observer: CallObserver | undefined): void;
  /** True once the server or the network closed it; it can only be released then. */
  readonly isBroken: boolean;
}

export interface ProcessRequest {
  /** Events to lock at most. */
  readonly limit: number;
  /** Uniform over [0, 1): decides each event's advance. */
  readonly roll: () => number;
  readonly chances: AdvanceProbabilities;
  /** Waits the app delay, between advancing statuses and updating payloads; absent when there is none. */
  readonly appDelay?: () => Promise<void>;
}

export interface ProcessOutcome {
  /** Events locked, changed and written back; 0 is an empty poll. */
  readonly events: number;
  /** Events that went PENDING -> PROCESSING. */
  readonly claimed: number;
  /** Keys of events that this transaction moved to COMPLETE. */
  readonly completedIds: readonly string[];
  /** Keys of events that this transaction moved to FAILED. */
  readonly failedIds: readonly string[];
}

export interface ArchiveOutcome {
  /** Keys of events moved to the archive; none is an empty poll. */
  readonly archivedIds: readonly string[];
}

/**
 * The transactions of one treatment. Each call is one database transaction, committed when the promise resolves.
 * On rejection the transaction was rolled back (or died with its connection) unless the error is an
 * `InDoubtError`: then the connection was lost while the commit was under way, and nobody knows.
 */
export interface Workload {
  /** Every statement that the transactions below may run, for `schema print --statements`. */
  readonly statements: readonly Statement[];
  add(connection: Connection, batch: EventBatch): Promise<void>;
  /** Room in a batch's column of documents that spares copying them one by one; any other does as well. */
  readonly documentRoom: number;
  /**
   * The same in two steps: serialises the batch now, for a transaction that may be run later, and again after a
   * failure. What it gives keeps nothing of the batch, which may be overwritten then.
   */
  prepareAdd(batch: EventBatch): (connection: Connection) => Promise<void>;
  process(connection: Connection, request: ProcessRequest): Promise<ProcessOutcome>;
  archive(connection: Connection, limit: number): Promise<ArchiveOutcome>;
  /** Looks events up as a dispatcher would (recent ones of a type, one train's); resolves to the rows seen. */
  read(
    connection: Connection,
    probe: Pick<PreparedEvent, "eventType" | "authorityId" | "trainId">,
  ): Promise<number>;
  /** Of these keys, `KEY_BYTES` each, how many are live or archived: settles an add in doubt (0 or all, for one transaction). */
  countPresent(connection: Connection, keys: Buffer): Promise<number>;
}

/** How a failed call may be treated; the table behind it is `sqlstates.ts`. */
export type FailureKind =
  /** Try again on the same connection: serialisation failure, deadlock, lock not available, a full disk. */
  | "retry"
  /** Try again on a new connection: it was lost, or the server is starting up or shutting down. */
  | "reconnect"
  /** The commit was under way when the connection went: settle it before trying again. */
  | "in-doubt"
  /** Trying again cannot help: a wrong statement, a missing table, a refused password. */
  | "fatal";

/** A client's hold on a connection. */
export interface Lease {
  readonly connection: Connection;
  /**
   * Gives the connection back; a broken or suspect one is closed instead. Never rejects; undefined where nothing has to be
   * waited for.
   */
  release(suspect: boolean): Promise<void> | undefined;
}

/** How connections to one endpoint went, in one worker thread. */
export interface EndpointContacts {
  /** Connections that were opened. */
  connects: number;
  /** Attempts that came to nothing. */
  refused: number;
  /** Open connections that the server or the network ended. */
  lost: number;
}

/** A pool strategy inside one worker thread: how a client comes by a connection. */
export interface ConnectionSource {
  /** Resolves with a connection for that client (0 .. clients-1 of this worker); rejects when none can be had. */
  acquire(client: number): Promise<Lease>;
  /** Number of the endpoint at which that client's last `acquire` ended, connected or refused. */
  endpointOf(client: number): number;
  /** By endpoint, since the source was made. */
  readonly contacts: readonly EndpointContacts[];
  /** Connects what the strategy keeps open, so that the warm-up does not begin with a storm. */
  warm(): Promise<void>;
  /** Closes every connection. Never rejects. */
  close(): Promise<void>;
}
