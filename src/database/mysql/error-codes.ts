// The one table from error number or driver code to a failure's treatment. Sources: the error references of MySQL 9.7 and
// MariaDB 10.11, mysql2's and Node's codes. A code that is not in the table is fatal, and so is shown.
import { codeOf, TargetError } from "../../foundation/errors.js";
import type { Failure, FailureKind } from "../contract.js";
import { InDoubtError, StatementError, UnexpectedRowsError } from "../errors.js";
import { NETWORK_FAILURE_CODES } from "../network-failures.js";

export const DUPLICATE_KEY = "1062";
export const READ_ONLY_SERVER = "1290";

const FAILURE_KIND_BY_CODE: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ["1213", "retry"], // ER_LOCK_DEADLOCK: the whole transaction is rolled back
  ["1205", "retry"], // ER_LOCK_WAIT_TIMEOUT, and NOWAIT of MariaDB: only the statement is rolled back
  ["3572", "retry"], // ER_LOCK_NOWAIT
  ["1020", "retry"], // ER_CHECKREAD: a row has changed since the snapshot (MariaDB, innodb_snapshot_isolation)
  ["1317", "retry"], // ER_QUERY_INTERRUPTED: KILL QUERY
  ["3024", "retry"], // ER_QUERY_TIMEOUT: max_execution_time
  ["1969", "retry"], // ER_STATEMENT_TIMEOUT: max_statement_time of MariaDB
  ["1180", "retry"], // ER_ERROR_DURING_COMMIT
  ["3101", "retry"], // ER_TRANSACTION_ROLLBACK_DURING_COMMIT: group replication
  // Failures for lack of a resource that the server may have again: tried until the deadline, then counted as a failure.
  ["1021", "retry"], // ER_DISK_FULL
  ["1114", "retry"], // ER_RECORD_FILE_FULL: no room for the table
  ["1037", "retry"], // ER_OUTOFMEMORY
  ["1041", "retry"], // ER_OUT_OF_RESOURCES
  ["1206", "retry"], // ER_LOCK_TABLE_FULL
  // Failures by which the server ends the session, or does not open it now.
  ["1040", "reconnect"], // ER_CON_COUNT_ERROR: too many connections
  ["1203", "reconnect"], // ER_TOO_MANY_USER_CONNECTIONS
  ["1226", "reconnect"], // ER_USER_LIMIT_REACHED
  ["1053", "reconnect"], // ER_SERVER_SHUTDOWN
  ["1077", "reconnect"], // ER_NORMAL_SHUTDOWN
  ["1079", "reconnect"], // ER_SHUTDOWN_COMPLETE
  ["1152", "reconnect"], // ER_ABORTING_CONNECTION
  ["1184", "reconnect"], // ER_NEW_ABORTING_CONNECTION
  ["1927", "reconnect"], // ER_CONNECTION_KILLED of MariaDB
  ["4031", "reconnect"], // ER_CLIENT_INTERACTION_TIMEOUT: wait_timeout
  ["2006", "reconnect"], // CR_SERVER_GONE_ERROR, by a proxy
  ["2013", "reconnect"], // CR_SERVER_LOST, by a proxy
  // Failures of a session that outlived a failover: a new connection may find the new primary.
  ["1290", "reconnect"], // ER_OPTION_PREVENTS_STATEMENT: read_only is ON
  ["1836", "reconnect"], // ER_READ_ONLY_MODE
  ["PROTOCOL_CONNECTION_LOST", "reconnect"],
  ["PROTOCOL_SEQUENCE_TIMEOUT", "reconnect"],
  ...NETWORK_FAILURE_CODES.map((code): [string, FailureKind] => [code, "reconnect"]),
]);

const CONFLICTS: ReadonlySet<string> = new Set(["1213", "1205", "3572", "1020"]);

/** Errors of an audit's query on tables that something has changed: a table, a column or a right is missing, bad JSON. */
export const UNREADABLE_TABLE_CODES: ReadonlySet<string> = new Set([
  "1054",
  "1142",
  "1143",
  "1146",
  "3140",
  "3141",
]);

/** Errors that, as the answer to a commit, may have come after the commit was written. */
export const PROBLEMS_DURING_COMMIT: ReadonlySet<string> = new Set([
  "1180",
  "1317",
  "3024",
  "1969",
  "1021",
  "1037",
  "1041",
]);

export const isConflict = (code: string): boolean => CONFLICTS.has(code);

/** The server's error number; undefined for an error of the driver or the system, whose numbers are negative. */
export function errorNumberOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errno" in error)) return undefined;
  return typeof error.errno === "number" && error.errno > 0 ? error.errno : undefined;
}

/** Code of a failure: the server's error number, else the code of the driver or the system. */
export const failureCodeOf = (error: unknown): string | undefined =>
  errorNumberOf(error)?.toString() ?? codeOf(error);

export function classifyFailure(error: unknown): Failure {
  if (error instanceof InDoubtError)
    return { kind: "in-doubt", sqlstate: classifyFailure(error.cause).sqlstate };
  if (error instanceof UnexpectedRowsError) return { kind: "final", sqlstate: "unexpected-rows" };
  const isWrapper = error instanceof StatementError || error instanceof TargetError;
  if (isWrapper && error.cause !== undefined) return classifyFailure(error.cause);
  const code = failureCodeOf(error);
  if (code !== undefined) return { kind: kindOf(code, error), sqlstate: code };
  const name = error instanceof Error && error.name !== "" ? error.name : typeof error;
  return { kind: "fatal", sqlstate: name };
}

function kindOf(code: string, error: unknown): FailureKind {
  // While a server restarts, its socket file is missing for a moment; any other missing file is an error of ours.
  if (code === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "connect") return "reconnect";
  return FAILURE_KIND_BY_CODE.get(code) ?? "fatal";
}
