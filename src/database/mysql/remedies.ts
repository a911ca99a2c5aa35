// The way out of errors, by error number.
import { messageOf, TargetError, TrialError, type TrainSimError } from "../../foundation/errors.js";
import { errorCodeText, StatementError } from "../errors.js";
import { classifyFailure, errorNumberOf } from "./error-codes.js";

const FEWER_CLIENTS = "or lower the scenario's clients";
const CHECK_SERVER = "Check that the server is still running, and read its log.";
const FREE_DISK = "Free space on the server's disk.";
const TAKES_NO_WRITES = "Name the server that is the primary, or set read_only = OFF there.";
const LOCKED =
  "Another session holds a lock: look at sys.innodb_lock_waits or SHOW ENGINE INNODB STATUS, and end that session or wait for it.";

const REMEDY_BY_CODE: Readonly<Record<string, string>> = {
  1040: `Raise max_connections there, close other sessions, ${FEWER_CLIENTS}.`,
  1203: `Raise max_user_connections there, ${FEWER_CLIENTS}.`,
  1226: `Raise the limit of the account that the message names, ${FEWER_CLIENTS}.`,
  1205: LOCKED,
  3572: LOCKED,
  1206: "Raise innodb_buffer_pool_size: it holds the locks.",
  1213: "Lock rows in the same order in all transactions.",
  1317: "Another session cancelled the statement: find out which, and run again.",
  3024: "Raise max_execution_time; 0 is no limit.",
  1969: "Raise max_statement_time of the user or the server; 0 is no limit.",
  4031: "Raise wait_timeout of the server.",
  1021: FREE_DISK,
  1114: FREE_DISK,
  1037: "Give the server more memory.",
  1041: "Give the server more memory.",
  1290: TAKES_NO_WRITES,
  1836: TAKES_NO_WRITES,
  1142: "Grant the user the right that the message names, or use another user.",
  1044: "Grant the user the right that the message names, or use another user.",
  1227: "Grant the user the right that the message names, or use another user.",
  1153: "Raise max_allowed_packet there, or make the value smaller.",
  1461: "Raise max_prepared_stmt_count there, set prepared: false, or lower the scenario's clients.",
  1062: "If the error is expected, use INSERT ... ON DUPLICATE KEY UPDATE or INSERT IGNORE.",
  1053: CHECK_SERVER,
  2006: CHECK_SERVER,
  2013: CHECK_SERVER,
};

const causeOf = (error: unknown): unknown => (error instanceof StatementError ? error.cause : error);

export const remedyOf = (error: unknown): string | undefined =>
  REMEDY_BY_CODE[errorNumberOf(causeOf(error))?.toString() ?? ""];

/** The error of a server or of its connection in words for users; undefined for any other error. */
export function explain(error: unknown): TrainSimError | undefined {
  const cause = causeOf(error);
  const { kind, sqlstate } = classifyFailure(cause);
  if (errorNumberOf(cause) === undefined)
    return sqlstate.startsWith("PROTOCOL_")
      ? new TargetError(`the connection to a server was lost: ${messageOf(error)}`, CHECK_SERVER, {
          cause: error,
        })
      : undefined;
  const message = `the server refused a statement: ${messageOf(error)} (${errorCodeText(sqlstate)})`;
  const hint =
    remedyOf(cause) ?? `If the statement is train-sim's own, check the server's version; else correct it.`;
  const Kind = kind === "reconnect" ? TargetError : TrialError;
  return new Kind(message, hint, { cause: error });
}
