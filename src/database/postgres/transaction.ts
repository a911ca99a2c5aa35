// One transaction on one connection. An error rolls back and is thrown as it came, except for a commit whose end cannot be
// known.
import { InDoubtError, StatementError } from "../errors.js";
import { classifyFailure, wasNotPassedOn } from "./sqlstates.js";
import type { Connection } from "../sql.js";

/** Class "connection exception": there is no connection, and nothing was sent. */
const NO_CONNECTION = "08003";

/**
 * An answer that says that the connection went says nothing about the commit that it was waiting for, unless it says that no
 * server has heard of it.
 */
function unlessInDoubt(error: unknown, result?: unknown): unknown {
  if (wasNotPassedOn(error)) return error;
  const { kind } = classifyFailure(error);
  return kind === "reconnect" || kind === "in-doubt" ? new InDoubtError(error, result) : error;
}

/**
 * Whether the server had trouble of its own in a commit: insufficient resources, a system error, an internal one. It may have
 * written the commit before, and whether it ended the session with it only the severity would say, which is in its language.
 */
function isServersTrouble(error: unknown): boolean {
  return /^(53|58|XX)/.test(classifyFailure(error).sqlstate);
}

/** The failure of a commit that stays unsaid, under the code of what ended the session where that is known. */
function notSent({ lost }: Connection): StatementError {
  const cause =
    lost ?? Object.assign(new Error("the connection was lost before it was sent"), { code: NO_CONNECTION });
  return new StatementError("commit", cause, classifyFailure(cause).sqlstate);
}

/** Undoes what the connection is in the middle of; never rejects. */
export async function rollBack(connection: Connection): Promise<void> {
  if (connection.isBroken) return;
  try {
    await connection.control("rollback", "ROLLBACK");
  } catch {
    // The connection went as well, and the transaction with it. The first error says more.
  }
}

/**
 * `begin` opens it (`BEGIN ISOLATION LEVEL ...`). Rejects with an InDoubtError only when the commit was lost on its way or
 * unanswered; what was gone before it was sent is lost like any statement.
 */
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

/** Rejects as `inTransaction`; `result` is what the transaction resolves to. */
export async function commit(connection: Connection, text: string, result?: unknown): Promise<void> {
  // Gone in an app delay, say: what was never committed has been rolled back.
  if (connection.isBroken) throw notSent(connection);
  const { abortedBy } = connection;
  try {
    await connection.control("commit", text);
  } catch (error) {
    if (error === abortedBy) throw error;
    throw isServersTrouble(error) ? new InDoubtError(error, result) : unlessInDoubt(error, result);
  }
}

/** `inTransaction` for reading, which is never in doubt: the end of its commit does not matter. */
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

/**
 * What came of a statement that is a transaction by itself: it writes and commits in one, so its loss is in doubt. Nothing
 * but one promise, since most transactions of a fast workload are such.
 */
export function asTransaction<T, U>(answer: Promise<T>, outcomeOf: (result: T) => U): Promise<U> {
  return answer.then(outcomeOf, (error: unknown) => {
    throw unlessInDoubt(error);
  });
}
