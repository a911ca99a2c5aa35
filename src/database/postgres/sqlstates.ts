// The one table from SQLSTATE or driver code to a failure's treatment. Sources: PostgreSQL's appendix A, Node's and node-
// postgres's codes, PgBouncer's sources, CockroachDB's and Aurora DSQL's pages. A code that is not in the table is fatal, and
// so is shown.
import { codeOf, messageOf, TargetError } from "../../foundation/errors.js";
import { InDoubtError, StatementError, UnexpectedRowsError } from "../errors.js";
import type { Failure, FailureKind } from "../contract.js";
import { NETWORK_FAILURE_CODES } from "../network-failures.js";

const FAILURE_KIND_BY_CODE: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  // Failures after which the transaction is rolled back and the session goes on (PostgreSQL, appendix A and sections
  // 13.2, 13.3).
  ["40001", "retry"], // serialization_failure
  ["40P01", "retry"], // deadlock_detected
  ["55P03", "retry"], // lock_not_available: NOWAIT, lock_timeout
  ["57014", "retry"], // query_canceled: statement_timeout, pg_cancel_backend
  // Failures for lack of a resource that the server may have again: tried until the deadline, then counted as a failure.
  ["53100", "retry"], // disk_full: a table or a temporary file; a full disk of the WAL is a PANIC
  ["53200", "retry"], // out_of_memory
  ["58030", "retry"], // io_error: storage that does not answer for a while
  // Failures after which the server does not know how the statement ended (CockroachDB, when a node fails under a
  // commit).
  ["40003", "in-doubt"], // statement_completion_unknown
  // Failures by which the server ends the session, or does not open it now.
  ["57P01", "reconnect"], // admin_shutdown: fast shutdown, pg_terminate_backend
  ["57P02", "reconnect"], // crash_shutdown: another backend crashed
  ["57P03", "reconnect"], // cannot_connect_now: starting up, recovering
  ["57P05", "reconnect"], // idle_session_timeout
  ["25P03", "reconnect"], // idle_in_transaction_session_timeout
  ["25P04", "reconnect"], // transaction_timeout (PostgreSQL 17)
  ["53300", "reconnect"], // too_many_connections, of the server or of the role
  // Failure of a session that outlived a failover: its server is now a standby, and a new connection finds the new
  // primary.
  ["25006", "reconnect"], // read_only_sql_transaction
  ...NETWORK_FAILURE_CODES.map((code): [string, FailureKind] => [code, "reconnect"]),
]);

/** Codes of conflicts between transactions: serialization failure, deadlock, lock not available. */
const CONFLICT_SQLSTATES: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);

export function isConflict(sqlstate: string): boolean {
  return CONFLICT_SQLSTATES.has(sqlstate);
}

/**
 * Message of an internal error (XX000) that passes: a concurrent change of a catalog row. Every other XX000 is shown as a
 * bug.
 */
const TRANSIENT_INTERNAL_ERROR = /^tuple concurrently (?:updated|deleted)$/;

/** Messages by which Pgpool-II reports a lost connection to the server; PostgreSQL itself says "could not". */
const POOLER_LOST_SERVER_PATTERN =
  /^(?:unable|failed) to (?:read|write|flush|forward|create) .*\b(?:backend|DB node)(?::? \d+)?(?: connection)?$/;

/** Class 08 is "connection exception": every code of it means that the session is gone or never existed. */
const CONNECTION_EXCEPTION_CLASS = "08";

/**
 * Messages of PgBouncer that mean a lasting refusal (client.c, server.c, objects.c). PgBouncer answers almost every failure
 * with 08P01 and hangs up. Other messages pass with time: `server conn crashed?`, `query_wait_timeout`, `server login
 * failed`, `pgbouncer cannot connect to server`, `client_login_timeout`, `no more connections allowed (max_client_conn)`.
 */
const LASTING_REFUSAL_PATTERN =
  /transaction blocks not allowed|no such (?:database|user)|authentication failed|auth failed|SSL required|unsupported startup parameter|is disabled|bouncer config error|prepared statement did not exist/;

/**
 * Messages of PgBouncer to a client that was still waiting for a server connection, so that its statement reached no
 * server.
 */
const WAITING_CLIENT_REFUSAL = /^(?:query_wait_timeout|server login |pgbouncer cannot connect to server)/;

/** True if a statement that failed with this error is known not to have reached any server. */
export function hasReachedNoServer(error: unknown): boolean {
  const cause = error instanceof StatementError ? error.cause : error;
  return codeOf(cause) === "08P01" && WAITING_CLIENT_REFUSAL.test(messageOf(cause));
}

/**
 * Message by which Aurora DSQL refuses a role or a token with 08006, the code of a lost network. If its hint says
 * "expired", a new token may be let in; every other denial repeats. A limit of Aurora DSQL (53400) passes only if it is the
 * limit of logins a second.
 */
const ACCESS_DENIED_PATTERN = /^unable to accept connection, access denied/i;
const EXPIRED_TOKEN_PATTERN = /Signature expired/;
const LOGIN_RATE_PATTERN = /^unable to accept connection, rate exceeded/i;

const SQLSTATE_BY_DRIVER_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/^Connection terminated/, "08006"], // connection_failure: the socket closed, or our own time-out closed it
  [/^Connection closed while it was being opened/, "08006"],
  [/^Client (has encountered a connection error|was closed) and is not queryable/, "08003"], // connection_does_not_exist
  [/^timeout expired$/, "08001"], // sqlclient_unable_to_establish_sqlconnection
];

function sqlstateOfDriverError(error: unknown): string | undefined {
  const message = messageOf(error);
  return SQLSTATE_BY_DRIVER_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
}

function serverHintOf(error: unknown): string {
  return typeof error === "object" && error !== null && "hint" in error ? String(error.hint) : "";
}

/** True if a login was refused because its token has expired: a new token may be let in. */
export function isExpiredToken(error: unknown): boolean {
  return ACCESS_DENIED_PATTERN.test(messageOf(error)) && EXPIRED_TOKEN_PATTERN.test(serverHintOf(error));
}

function failureKindOf(code: string, error: unknown): FailureKind {
  if (code.startsWith(CONNECTION_EXCEPTION_CLASS)) {
    if (ACCESS_DENIED_PATTERN.test(messageOf(error))) return isExpiredToken(error) ? "reconnect" : "fatal";
    return LASTING_REFUSAL_PATTERN.test(messageOf(error)) ? "fatal" : "reconnect";
  }
  if (code === "53400" && LOGIN_RATE_PATTERN.test(messageOf(error))) return "reconnect";
  // While a server restarts, its socket file is missing for a moment; any other missing file is an error of ours.
  if (code === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "connect") return "reconnect";
  if (code === "XX000" && TRANSIENT_INTERNAL_ERROR.test(messageOf(error))) return "retry";
  if (code === "XX000" && POOLER_LOST_SERVER_PATTERN.test(messageOf(error))) return "reconnect";
  return FAILURE_KIND_BY_CODE.get(code) ?? "fatal";
}

/**
 * The failure's kind after considering its severity, which outranks the code: FATAL ends the session, and PANIC ends
 * every session.
 */
function kindBySeverity(kind: FailureKind, error: unknown): FailureKind {
  const severity = typeof error === "object" && error !== null && "severity" in error ? error.severity : "";
  if (severity === "PANIC") return "reconnect";
  return severity === "FATAL" && kind === "retry" ? "reconnect" : kind;
}

export function classifyFailure(error: unknown): Failure {
  if (error instanceof InDoubtError) {
    return { kind: "in-doubt", sqlstate: classifyFailure(error.cause).sqlstate };
  }
  if (error instanceof UnexpectedRowsError) return { kind: "final", sqlstate: "unexpected-rows" };
  const isWrapper = error instanceof StatementError || error instanceof TargetError;
  if (isWrapper && error.cause !== undefined) return classifyFailure(error.cause);
  const code = codeOf(error) ?? sqlstateOfDriverError(error);
  if (code !== undefined && code !== "")
    return { kind: kindBySeverity(failureKindOf(code, error), error), sqlstate: code };
  const name = error instanceof Error && error.name !== "" ? error.name : typeof error;
  return { kind: "fatal", sqlstate: name };
}
