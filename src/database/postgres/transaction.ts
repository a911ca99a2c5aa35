// One transaction on one connection. An error rolls back and is thrown as it came, except for a commit in doubt.
import { InDoubtError, StatementError } from "../errors.js";
import { classifyFailure, hasReachedNoServer } from "./sqlstates.js";
import type { Connection } from "../sql.js";

/** Code of class "connection exception" for a commit that was not sent, because there was no connection. */
const NO_CONNECTION_SQLSTATE = "08003";

/**
 * Turns the error of a commit into an InDoubtError if the connection was lost, unless the commit surely reached no server.
 */
function commitErrorOf(error: unknown, result?: unknown): unknown {
  if (hasReachedNoServer(error)) return error;
  const { kind } = classifyFailure(error);
  return kind === "reconnect" || kind === "in-doubt" ? new InDoubtError(error, result) : error;
}

/**
 * True if the server had an internal problem in a commit: insufficient resources, a system error, an internal error. The
 * commit may have been written before the problem. Whether the session ended is only in the severity, which is in the
 * server's language.
 */
function isServerProblem(error: unknown): boolean {
  return /^(53|58|XX)/.test(classifyFailure(error).sqlstate);
}

/**
 * True if the server refused a statement that was sent in one message with the commit: it then skipped the commit. An error
 * that ends the session says less, since a pooler may send it after the server has committed.
 */
function isOfEarlierCall(error: unknown): boolean {
  if (!(error instanceof StatementError) || error.statement === "commit") return false;
  return !["reconnect", "in-doubt"].includes(classifyFailure(error).kind);
}

function commitNotSentError({ lossError }: Connection): StatementError {
  const cause =
    lossError ??
    Object.assign(new Error("the connection was lost before it was sent"), { code: NO_CONNECTION_SQLSTATE });
  return new StatementError("commit", cause, classifyFailure(cause).sqlstate);
}

export async function rollBack(connection: Connection): Promise<void> {
  if (connection.isBroken) return;
  try {
    await connection.control("rollback", "ROLLBACK");
  } catch {
    // The connection is gone, and the transaction with it. The first error says more.
  }
}

/**
 * Runs a transaction: begins with the text `begin`, runs `body` and commits. Rejects with an InDoubtError only if a commit
 * was sent and not answered. With `isPipelined`, BEGIN is sent in one message with the first statement that is not held.
 */
export async function inTransaction<T>(
  connection: Connection,
  begin: string,
  body: () => Promise<T>,
  isPipelined = false,
): Promise<T> {
  if (isPipelined) connection.holdBegin([begin]);
  else await connection.control("begin", begin);
  let result: T;
  try {
    result = await body();
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
  await commit(connection, "COMMIT", result);
  return result;
}

/**
 * Commits a transaction. Rejects like `inTransaction`; `result`, to which the transaction resolves, goes into an
 * InDoubtError.
 */
export function commit(connection: Connection, text: string, result?: unknown): Promise<void> {
  // The session may have ended during an app delay: then the commit was never sent, and the server has rolled back.
  if (connection.isBroken) return Promise.reject(commitNotSentError(connection));
  const { abortedBy } = connection;
  return connection.control("commit", text).catch((error: unknown) => {
    if (error === abortedBy || isOfEarlierCall(error)) throw error;
    throw isServerProblem(error) ? new InDoubtError(error, result) : commitErrorOf(error, result);
  });
}

/**
 * Runs a transaction that only reads, like `inTransaction`. It is never in doubt, since the outcome of its commit does not
 * matter.
 */
export async function inReadTransaction<T>(
  connection: Connection,
  begin: string,
  body: () => Promise<T>,
  isPipelined = false,
): Promise<T> {
  try {
    return await inTransaction(connection, begin, body, isPipelined);
  } catch (error) {
    throw error instanceof InDoubtError ? error.cause : error;
  }
}

/**
 * Result of a statement that is a transaction by itself, so that a lost connection leaves it in doubt. Adds one promise
 * only.
 */
export function asTransaction<T, U>(answer: Promise<T>, outcomeOf: (result: T) => U): Promise<U> {
  return answer.then(outcomeOf, (error: unknown) => {
    throw commitErrorOf(error);
  });
}
