// The contract of a connection: what a statement, a call and a session are to those who use them, and how a pool lends
// sessions out. Pools implement it; workloads and the client runtime know nothing else of the driver.
// Types only.

/** One SQL statement of the workload; `name` is how errors, logs and latency parts call it (`process.claim`). */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Sent by the simple protocol, never prepared: it takes no parameters, or is several in one message. */
  readonly isText?: true;
}

/** A value for a `$n` parameter. A Buffer goes in binary format. */
export type SqlValue = string | number | boolean | Date | Buffer | null;

/** Values that lie in the message of a later call already. */
export interface BoundValues {
  readonly message: Buffer;
  /** One by one, for a session that has not prepared the statement. */
  readonly values: readonly SqlValue[];
}

export type StatementValues = readonly SqlValue[] | BoundValues;

/** What a statement of the workload gives for a row: its columns, in their order. */
export type StatementRow = readonly unknown[];

/** A row by the names of its columns, of what is asked beside the workload. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Sees the time of every call on a connection: where a latency is taken apart. */
export interface CallObserver {
  /** `name` is the statement's, or begin, commit, rollback; times are monotonic milliseconds. Failures count too. */
  onCall(name: string, startMs: number, endMs: number): void;
}

/** One open connection in the hands of one client. */
export interface Connection {
  /** Runs a statement of the workload, prepared by name where the treatment says so. */
  execute(statement: Statement, values: StatementValues): Promise<StatementRow[]>;
  /** Runs a `COPY ... FROM STDIN` of the workload, and sends it those messages; resolves to the rows that the server took. */
  copyIn(statement: Statement, rows: { readonly messages: readonly Buffer[] }): Promise<number>;
  /** The same, with rows by the names of their columns: slower, for those who cannot know the order. */
  executeNamed(statement: Statement, values: readonly SqlValue[]): Promise<SqlRow[]>;
  /** Runs transaction control (`BEGIN ...`, `COMMIT`, `ROLLBACK`) by the simple protocol. */
  control(name: "begin" | "commit" | "rollback", text: string): Promise<void>;
  /** Tells the time of every call to that one from now on, in place of whoever was told before. */
  observe(observer: CallObserver | undefined): void;
  /** True once the server or the network closed it; it can only be released then. */
  readonly isBroken: boolean;
  /** What ended it while no call was under way; undefined where that is not known. */
  readonly lost?: Error | undefined;
  /** The failure that aborted the transaction under way: each later statement of it, and its commit, fails with it. */
  readonly abortedBy?: Error | undefined;
  /** Commits that the server has acknowledged with a warning. */
  readonly warnedCommits?: number;
  /** Whether the last statement returned and changed no row, by its command tag; false for a tag without a count. */
  readonly foundNoRow?: boolean;
}

/**
 * One database transaction, committed when the promise resolves. What it sends is serialised where that is possible, so it
 * is made ahead of the moment when it is to start, and may be run again after a failure. On rejection it was rolled back (or
 * died with its connection) unless the error is an `InDoubtError`: then the connection was lost while the commit was under
 * way, and nobody knows.
 */
export type MadeTransaction<T> = (connection: Connection) => Promise<T>;

/** How a failed call may be treated; the table behind it is `sqlstates.ts`. */
export type FailureKind =
  /** Try again on the same connection: serialisation failure, deadlock, lock not available, a full disk. */
  | "retry"
  /** Try again on a new connection: it was lost, or the server is starting up or shutting down. */
  | "reconnect"
  /** The commit was under way when the connection went: settle it before trying again. */
  | "in-doubt"
  /** Trying again would give the same, and the load goes on: what a transaction found is not what it expects. */
  | "final"
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
  /** What the last of those met: a code of the system, an SQLSTATE, else its words. */
  refusal?: string;
  /** Open connections that the server or the network ended. */
  lost: number;
}

/** A pool strategy inside one worker thread: how a client comes by a connection. */
export interface ConnectionSource {
  /**
   * A connection for that client (0 .. clients-1 of this worker), at once where one is kept for it; rejects when none can be
   * had.
   */
  acquire(client: number): Lease | Promise<Lease>;
  /** Number of the endpoint at which that client's last `acquire` ended, connected or refused. */
  endpointOf(client: number): number;
  /** By endpoint, since the source was made. */
  readonly contacts: readonly EndpointContacts[];
  /** Connects what the strategy keeps open, so that the warm-up does not begin with a storm. */
  warm(): Promise<void>;
  /** Closes every connection. Never rejects. */
  close(): Promise<void>;
}
