/** Receives the duration of every call on a connection; the parts of a latency are made from them. */
export interface CallObserver {
  /**
   * Called after each call, failed ones included. `name` is a statement's, or begin, commit, rollback; times are monotonic
   * milliseconds.
   */
  onCall(name: string, startMs: number, endMs: number): void;
}

/** An open connection that a pool lends to one client. The stores of a database use a subtype with its statements. */
export interface Session {
  /** Resolves once the server has answered a cheap statement: a pooler may accept clients although its server is away. */
  ping(): Promise<void>;
  /** Makes `observer` the only observer of later calls. */
  observe(observer: CallObserver | undefined): void;
  /** True once the server or the network closed the connection; releasing it is then the only use. */
  readonly isBroken: boolean;
  /** The error that ended the connection while no call was under way; undefined if that is not known. */
  readonly lossError?: Error | undefined;
  /** The failure that aborted the transaction under way: its later statements and its commit fail with the same error. */
  readonly abortedBy?: Error | undefined;
  /** Number of commits that the server acknowledged with a warning. */
  readonly warnedCommits?: number;
}

/**
 * Runs a database transaction, which is committed when the promise resolves. Its messages are serialised before the
 * intended start if possible, and it may run again after a failure. A rejected transaction was rolled back, unless the
 * error is an `InDoubtError`. The type is bivariant: the pool lends sessions of the store's database.
 */
export type PreparedTransaction<T, S extends Session = Session> = {
  bivariant(session: S): Promise<T>;
}["bivariant"];

export interface Lease<S extends Session = Session> {
  readonly connection: S;
  /**
   * Gives the connection back, or closes it if it is suspect. Never rejects; returns undefined if there is nothing to wait
   * for.
   */
  release(suspect: boolean): Promise<void> | undefined;
}

export interface EndpointContacts {
  connects: number;
  refused: number;
  /** Cause of the last failed attempt to connect: an error code of the system, an SQLSTATE, else the message. */
  refusal?: string;
  lost: number;
}

/** A pool strategy inside one worker thread. */
export interface ConnectionSource<S extends Session = Session> {
  /**
   * Leases a connection to a client; without a promise if the client has kept it. Rejects if no connection can be opened.
   */
  acquire(client: number): Lease<S> | Promise<Lease<S>>;
  /** Number of the endpoint at which the client's last `acquire` was connected or refused. */
  endpointOf(client: number): number;
  /** Connections made and refused at each endpoint since the source was made. */
  readonly contacts: readonly EndpointContacts[];
  /** Opens the connections that the strategy keeps, so that the warm-up does not begin with logins. */
  openConnections(): Promise<void>;
  /** Closes every connection. Never rejects. */
  close(): Promise<void>;
}
