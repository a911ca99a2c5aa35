// One table from SQLSTATE or driver code to what may be done about a failure. Whoever meets an error asks here and
// nowhere else, so that what is retried, what reconnects and what ends a trial is decided in one place. Sources:
// PostgreSQL's appendix A, Node's and node-postgres's own codes and messages, PgBouncer's sources. What is not in
// the table is fatal: an unknown error is shown, never tried again in the hope that it goes away.
import { codeOf, messageOf, TargetError } from "../foundation/errors.js";
import { InDoubtError, StatementError } from "./errors.js";
import type { FailureKind } from "./workload.js";

/** What may be done about a failure, and the code to count it under (never empty). */
export interface Failure {
  readonly kind: FailureKind;
  /** SQLSTATE; else the driver's code (`ECONNRESET`); else the error's name. */
  readonly sqlstate: string;
}

const KIND_OF_CODE: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  // The transaction lost against another one and is rolled back; the session goes on.
  ["40001", "retry"], // serialization_failure
  ["40P01", "retry"], // deadlock_detected
  ["55P03", "retry"], // lock_not_available: NOWAIT, lock_timeout
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
  // The network, as Node names it.
  ["ECONNRESET", "reconnect"],
  ["ECONNREFUSED", "reconnect"], // nobody listens: restarting
  ["ECONNABORTED", "reconnect"],
  ["EPIPE", "reconnect"], // written to after the other side hung up
  ["ETIMEDOUT", "reconnect"],
  ["EHOSTUNREACH", "reconnect"],
  ["ENETUNREACH", "reconnect"],
  ["EADDRNOTAVAIL", "reconnect"], // local ports used up by connections in TIME_WAIT: `reconnect: per-transaction`
  ["EAI_AGAIN", "reconnect"], // name service for the moment without an answer
]);

/** Class 08 is "connection exception": every code of it means that the session is gone or was never there. */
const CONNECTION_EXCEPTION = "08";

/**
 * PgBouncer answers almost everything of its own with 08P01 and hangs up. `server conn crashed?`,
 * `query_wait_timeout`, `server login failed`, `pgbouncer cannot connect to server`, `client_login_timeout`,
 * `no more connections allowed (max_client_conn)` pass with time; these do not (client.c, server.c, objects.c).
 */
const LASTING_POOLER_REFUSAL =
  /transaction blocks not allowed|no such (?:database|user)|authentication failed|auth failed|SSL required|unsupported startup parameter|is disabled|bouncer config error|prepared statement did not exist/;

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

function kindOf(code: string, error: unknown): FailureKind {
  if (code.startsWith(CONNECTION_EXCEPTION)) {
    return LASTING_POOLER_REFUSAL.test(messageOf(error)) ? "fatal" : "reconnect";
  }
  // The socket file of a server that restarts is away for a moment; any other missing file is an error of ours.
  if (code === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "connect") return "reconnect";
  return KIND_OF_CODE.get(code) ?? "fatal";
}

/** What may be done about anything thrown by a connection, a pool or a workload. */
export function classifyFailure(error: unknown): Failure {
  if (error instanceof InDoubtError) {
    return { kind: "in-doubt", sqlstate: classifyFailure(error.cause).sqlstate };
  }
  const isWrapper = error instanceof StatementError || error instanceof TargetError;
  if (isWrapper && error.cause !== undefined) return classifyFailure(error.cause);
  const code = codeOf(error) ?? codeOfDriver(error);
  if (code !== undefined && code !== "") return { kind: kindOf(code, error), sqlstate: code };
  const name = error instanceof Error && error.name !== "" ? error.name : typeof error;
  return { kind: "fatal", sqlstate: name };
}
