// The one table from SQLSTATE or driver code to a failure's treatment. Sources: PostgreSQL's appendix A, Node's and node-
// postgres's codes, PgBouncer's sources, CockroachDB's and Aurora DSQL's pages. A code that is not in the table is fatal, and
// so is shown.
import { codeOf, messageOf, TargetError } from "../../foundation/errors.js";
import { InDoubtError, StatementError, UnexpectedRowsError } from "../errors.js";
import type { Failure, FailureKind } from "../contract.js";

const KIND_OF_CODE: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  // The transaction is rolled back and the session goes on (PostgreSQL, appendix A and sections 13.2, 13.3).
  ["40001", "retry"], // serialization_failure
  ["40P01", "retry"], // deadlock_detected
  ["55P03", "retry"], // lock_not_available: NOWAIT, lock_timeout
  ["57014", "retry"], // query_canceled: statement_timeout, pg_cancel_backend
  // The server is short of something that it may have again: tried until the deadline, then given up and counted.
  ["53100", "retry"], // disk_full: a table or a temporary file; a full disk of the WAL is a PANIC
  ["53200", "retry"], // out_of_memory
  ["58030", "retry"], // io_error: storage that does not answer for a while
  // The server does not know how it ended (CockroachDB says so when a node fails under a commit).
  ["40003", "in-doubt"], // statement_completion_unknown
  // The server ends the session, or does not open one now.
  ["57P01", "reconnect"], // admin_shutdown: fast shutdown, pg_terminate_backend
  ["57P02", "reconnect"], // crash_shutdown: another backend crashed
  ["57P03", "reconnect"], // cannot_connect_now: starting up, recovering
  ["57P05", "reconnect"], // idle_session_timeout
  ["25P03", "reconnect"], // idle_in_transaction_session_timeout
  ["25P04", "reconnect"], // transaction_timeout (PostgreSQL 17)
  ["53300", "reconnect"], // too_many_connections, of the server or of the role
  // The session outlived a failover on what is a standby now; a new connection finds the new primary.
  ["25006", "reconnect"], // read_only_sql_transaction
  // The network, as Node names it (its errors.md, and errno of the system).
  ["ECONNRESET", "reconnect"],
  ["ECONNREFUSED", "reconnect"], // nobody listens: restarting
  ["ECONNABORTED", "reconnect"],
  ["EPIPE", "reconnect"], // written to after the other side hung up
  ["ERR_STREAM_DESTROYED", "reconnect"], // written to after this side had cut it
  ["ERR_STREAM_WRITE_AFTER_END", "reconnect"],
  ["ETIMEDOUT", "reconnect"],
  ["EHOSTUNREACH", "reconnect"],
  ["ENETUNREACH", "reconnect"],
  ["ENETDOWN", "reconnect"],
  ["EADDRNOTAVAIL", "reconnect"], // local ports used up by connections in TIME_WAIT: `reconnect: per-transaction`
  ["EAI_AGAIN", "reconnect"], // name service for the moment without an answer
]);

/** Codes by which a server says that concurrent transactions met: serialization failure, deadlock, lock not available. */
const CONFLICTS: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);

/** Whether a failure is a result of the measured isolation and locking, and no fault of server or generator. */
export function isConflict(sqlstate: string): boolean {
  return CONFLICTS.has(sqlstate);
}

/**
 * Codes that say too little, told apart by their message: a concurrent change of a catalog row (heapam.c), which is
 * over at the next attempt. Whatever else is XX000 is a bug of the server, and shown.
 */
const PASSING_INTERNAL_ERROR = /^tuple concurrently (?:updated|deleted)$/;

/**
 * How Pgpool-II says, as a failure of its own, that its connection to the server is gone or was not to be had
 * (pool_stream.c, pool_process_query.c). PostgreSQL itself says "could not".
 */
const LOST_BEHIND_POOLER =
  /^(?:unable|failed) to (?:read|write|flush|forward|create) .*\b(?:backend|DB node)(?::? \d+)?(?: connection)?$/;

/** Class 08 is "connection exception": every code of it means that the session is gone or was never there. */
const CONNECTION_EXCEPTION = "08";

/**
 * PgBouncer answers almost everything of its own with 08P01 and hangs up. `server conn crashed?`,
 * `query_wait_timeout`, `server login failed`, `pgbouncer cannot connect to server`, `client_login_timeout`,
 * `no more connections allowed (max_client_conn)` pass with time; these do not (client.c, server.c, objects.c).
 */
const LASTING_POOLER_REFUSAL =
  /transaction blocks not allowed|no such (?:database|user)|authentication failed|auth failed|SSL required|unsupported startup parameter|is disabled|bouncer config error|prepared statement did not exist/;

/** Its words to a client that still waits for a connection to the server (client.c, objects.c): nothing was passed on. */
const STILL_WAITED = /^(?:query_wait_timeout|server login |pgbouncer cannot connect to server)/;

/** Whether a statement that failed so is known not to have reached any server. */
export function wasNotPassedOn(error: unknown): boolean {
  const cause = error instanceof StatementError ? error.cause : error;
  return codeOf(cause) === "08P01" && STILL_WAITED.test(messageOf(cause));
}

/**
 * Aurora DSQL refuses a role or a token with 08006, like a network that is gone: what its hint calls expired may be let in
 * with a new token, whatever else is denied will be denied again. Of its limits (53400) that of logins a second passes.
 */
const ACCESS_DENIED = /^unable to accept connection, access denied/i;
const EXPIRED_TOKEN = /Signature expired/;
const LOGIN_RATE = /^unable to accept connection, rate exceeded/i;

/** Messages of node-postgres that carry no code, with the SQLSTATE that says the same. */
const DRIVER_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Connection terminated/, "08006"], // connection_failure: the socket closed, or our own time-out closed it
  [/^Connection closed while it was being opened/, "08006"],
  [/^Client (has encountered a connection error|was closed) and is not queryable/, "08003"], // connection_does_not_exist
  [/^timeout expired$/, "08001"], // sqlclient_unable_to_establish_sqlconnection
];

function codeOfDriver(error: unknown): string | undefined {
  const message = messageOf(error);
  return DRIVER_MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
}

/** The hint that the server adds to its message. */
function hintOf(error: unknown): string {
  return typeof error === "object" && error !== null && "hint" in error ? String(error.hint) : "";
}

/** A login that was refused for the age of its token: a new one may be let in. */
export function isExpiredToken(error: unknown): boolean {
  return ACCESS_DENIED.test(messageOf(error)) && EXPIRED_TOKEN.test(hintOf(error));
}

function kindOf(code: string, error: unknown): FailureKind {
  if (code.startsWith(CONNECTION_EXCEPTION)) {
    if (ACCESS_DENIED.test(messageOf(error))) return isExpiredToken(error) ? "reconnect" : "fatal";
    return LASTING_POOLER_REFUSAL.test(messageOf(error)) ? "fatal" : "reconnect";
  }
  if (code === "53400" && LOGIN_RATE.test(messageOf(error))) return "reconnect";
  // The socket file of a server that restarts is away for a moment; any other missing file is an error of ours.
  if (code === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "connect") return "reconnect";
  if (code === "XX000" && PASSING_INTERNAL_ERROR.test(messageOf(error))) return "retry";
  if (code === "XX000" && LOST_BEHIND_POOLER.test(messageOf(error))) return "reconnect";
  return KIND_OF_CODE.get(code) ?? "fatal";
}

/**
 * An error is worse than its code where the server says so: FATAL ends the session, so that a new one is needed, and
 * PANIC ends every session, whatever the cause: the server recovers from a crash.
 */
function withSeverity(kind: FailureKind, error: unknown): FailureKind {
  const severity = typeof error === "object" && error !== null && "severity" in error ? error.severity : "";
  if (severity === "PANIC") return "reconnect";
  return severity === "FATAL" && kind === "retry" ? "reconnect" : kind;
}

/** The treatment of anything thrown by a connection, a pool or a workload. */
export function classifyFailure(error: unknown): Failure {
  if (error instanceof InDoubtError) {
    return { kind: "in-doubt", sqlstate: classifyFailure(error.cause).sqlstate };
  }
  if (error instanceof UnexpectedRowsError) return { kind: "final", sqlstate: "unexpected-rows" };
  const isWrapper = error instanceof StatementError || error instanceof TargetError;
  if (isWrapper && error.cause !== undefined) return classifyFailure(error.cause);
  const code = codeOf(error) ?? codeOfDriver(error);
  if (code !== undefined && code !== "")
    return { kind: withSeverity(kindOf(code, error), error), sqlstate: code };
  const name = error instanceof Error && error.name !== "" ? error.name : typeof error;
  return { kind: "fatal", sqlstate: name };
}
