// A session of the load, and how a pool lends sessions to clients. Types only.

/** Sees the time of every call on a connection: where a latency is taken apart. */
export interface CallObserver {
  /** `name` is the statement's, or begin, commit, rollback; times are monotonic milliseconds. Failures count too. */
  onCall(name: string, startMs: number, endMs: number): void;
}

/** One open connection in the hands of one client. A store knows more of it: the driver's calls. */
export interface Session {
  /** Resolves once the server has answered the cheapest question; a pooler may greet clients whose server is away. */
  ping(): Promise<void>;
  /** Tells `observer` the time of every later call, and nobody else. */
  observe(observer: CallObserver | undefined): void;
  /** True once the server or the network closed it; it can only be released then. */
  readonly isBroken: boolean;
  /** The error that ended it while no call was under way; undefined if that is not known. */
  readonly lost?: Error | undefined;
  /** The failure that aborted the transaction under way: each later statement of it, and its commit, fails with it. */
  readonly abortedBy?: Error | undefined;
  /** Commits that the server has acknowledged with a warning. */
  readonly warnedCommits?: number;
}

/**
 * One database transaction, committed when the promise resolves. What it sends is serialised where that is possible, so it
 * is made ahead of the moment when it is to start, and may be run again after a failure. On rejection it was rolled back (or
 * died with its connection) unless the error is an `InDoubtError`: then the connection was lost while the commit was under
 * way, and nobody knows. Bivariant: the pool lends sessions of the database that the store is for.
 */
export type MadeTransaction<T, S extends Session = Session> = {
  bivariant(session: S): Promise<T>;
}["bivariant"];

/** A client's hold on a connection. */
export interface Lease<S extends Session = Session> {
  readonly connection: S;
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
export interface ConnectionSource<S extends Session = Session> {
  /**
   * A connection for that client (0 .. clients-1 of this worker), at once where one is kept for it; rejects when none can be
   * had.
   */
  acquire(client: number): Lease<S> | Promise<Lease<S>>;
  /** Number of the endpoint at which that client's last `acquire` ended, connected or refused. */
  endpointOf(client: number): number;
  /** By endpoint, since the source was made. */
  readonly contacts: readonly EndpointContacts[];
  /** Connects what the strategy keeps open, so that the warm-up does not begin with a storm. */
  warm(): Promise<void>;
  /** Closes every connection. Never rejects. */
  close(): Promise<void>;
}
