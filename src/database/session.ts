/** Receives the duration of every call on a connection; the parts of a latency are made from them. */
export interface CallObserver {
  /** `name` is a statement's, or begin, commit, rollback; also called for failures. Times are monotonic milliseconds. */
  onCall(name: string, startMs: number, endMs: number): void;
}

/** An open connection that a pool lends to one client; stores of a database know a subtype of it. */
export interface Session {
  /** Resolves once the server has answered the cheapest statement; a pooler may greet clients whose server is away. */
  ping(): Promise<void>;
  /** Makes `observer` the only observer of later calls. */
  observe(observer: CallObserver | undefined): void;
  /** True once the server or the network closed the connection; it can only be released then. */
  readonly isBroken: boolean;
  /** The error that ended the connection while no call was under way; undefined if that is not known. */
  readonly lost?: Error | undefined;
  /** The failure that aborted the transaction under way: each later statement of it, and its commit, fails with it. */
  readonly abortedBy?: Error | undefined;
  /** Commits that the server has acknowledged with a warning. */
  readonly warnedCommits?: number;
}

/**
 * A database transaction, committed when the promise resolves. Its messages are serialised before the intended start if
 * possible, and it may run again after a failure. A rejected transaction was rolled back, except after an `InDoubtError`:
 * the connection was lost during the commit. Bivariant: the pool lends sessions of the store's database.
 */
export type PreparedTransaction<T, S extends Session = Session> = {
  bivariant(session: S): Promise<T>;
}["bivariant"];

export interface Lease<S extends Session = Session> {
  readonly connection: S;
  /** Gives the connection back, or closes a suspect one. Never rejects. Undefined if there is no wait. */
  release(suspect: boolean): Promise<void> | undefined;
}

export interface EndpointContacts {
  connects: number;
  refused: number;
  /** Cause of the last failed attempt: an error code of the system, an SQLSTATE, else the message. */
  refusal?: string;
  lost: number;
}

/** A pool strategy inside one worker thread. */
export interface ConnectionSource<S extends Session = Session> {
  /** Leases a connection to that client, without a promise if the client keeps it. Rejects if none can be opened. */
  acquire(client: number): Lease<S> | Promise<Lease<S>>;
  /** Number of the endpoint at which that client's last `acquire` ended, connected or refused. */
  endpointOf(client: number): number;
  /** Counts by endpoint since the source was made. */
  readonly contacts: readonly EndpointContacts[];
  /** Opens the connections that the strategy keeps, so that the warm-up does not begin with logins. */
  openConnections(): Promise<void>;
  /** Closes every connection. Never rejects. */
  close(): Promise<void>;
}
