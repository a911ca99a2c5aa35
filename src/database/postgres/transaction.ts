// One transaction on one connection. An error rolls back and is thrown as it came, except for a commit in doubt.
import { InDoubtError, StatementError } from "../errors.js";
import { classifyFailure, wasNotPassedOn } from "./sqlstates.js";
import type { Connection } from "../sql.js";

/** Code of class "connection exception": there is no connection, and nothing was sent. */
const NO_CONNECTION = "08003";

/** The error of a commit, an InDoubtError if the connection was lost, unless no server has heard of the commit. */
function unlessInDoubt(error: unknown, result?: unknown): unknown {
  if (wasNotPassedOn(error)) return error;
  const { kind } = classifyFailure(error);
  return kind === "reconnect" || kind === "in-doubt" ? new InDoubtError(error, result) : error;
}

/**
 * True if the server had an internal problem in a commit: insufficient resources, a system error, an internal error. The
 * commit may have been written before; whether the session ended is only in the severity, which is in the server's
 * language.
 */
function isServersTrouble(error: unknown): boolean {
  return /^(53|58|XX)/.test(classifyFailure(error).sqlstate);
}

function notSent({ lost }: Connection): StatementError {
  const cause =
    lost ?? Object.assign(new Error("the connection was lost before it was sent"), { code: NO_CONNECTION });
  return new StatementError("commit", cause, classifyFailure(cause).sqlstate);
}

export async function rollBack(connection: Connection): Promise<void> {
  if (connection.isBroken) return;
  try {
    await connection.control("rollback", "ROLLBACK");
  } catch {
    // The connection is gone as well, and the transaction with it. The first error says more.
  }
}

/** Runs a transaction that `begin` opens. Rejects with an InDoubtError only if a sent commit was not answered. */
export async function inTransaction<T>(
  connection: Connection,
  begin: string,
  body: () => Promise<T>,
): Promise<T> {
  await connection.control("begin", begin);
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

/** Commits; rejects like `inTransaction`. `result` is what the transaction resolves to. */
export function commit(connection: Connection, text: string, result?: unknown): Promise<void> {
  // The session may have ended in an app delay: a transaction that was never committed has been rolled back.
  if (connection.isBroken) return Promise.reject(notSent(connection));
  const { abortedBy } = connection;
  return connection.control("commit", text).catch((error: unknown) => {
    if (error === abortedBy) throw error;
    throw isServersTrouble(error) ? new InDoubtError(error, result) : unlessInDoubt(error, result);
  });
}

/** Variant of `inTransaction` for reading, which is never in doubt: the outcome of its commit does not matter. */
export async function inReadTransaction<T>(
  connection: Connection,
  begin: string,
  body: () => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(connection, begin, body);
  } catch (error) {
    throw error instanceof InDoubtError ? error.cause : error;
  }
}

/** Result of a statement that is a transaction by itself, so its loss is in doubt. It adds one promise only. */
export function asTransaction<T, U>(answer: Promise<T>, outcomeOf: (result: T) => U): Promise<U> {
  return answer.then(outcomeOf, (error: unknown) => {
    throw unlessInDoubt(error);
  });
}
