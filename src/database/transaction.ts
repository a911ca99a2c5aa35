// One transaction on one session. An error rolls back and is thrown as it came, except for a commit in doubt.
import type { Failure } from "./contract.js";
import { InDoubtError, StatementError } from "./errors.js";
import type { SqlSession } from "./sql.js";

export interface TransactionRules<S extends SqlSession> {
  classify(error: unknown): Failure;
  begin(session: S, text: string, isPipelined: boolean): Promise<void> | void;
  /** Driver's or server's code of a commit that was not sent, because there was no connection. */
  readonly noConnectionCode: string;
  /** True if a statement that failed with this error is known not to have reached any server. */
  hasReachedNoServer(error: unknown): boolean;
  /** True if the code means a problem inside the server, which in a commit may have come after the commit was written. */
  isServerProblem(code: string): boolean;
}

export async function rollBack(session: SqlSession): Promise<void> {
  if (session.isBroken) return;
  try {
    await session.control("rollback", "ROLLBACK");
  } catch {
    // The connection is gone, and the transaction with it. The first error says more.
  }
}

export function transactionsOf<S extends SqlSession>(rules: TransactionRules<S>) {
  const isLoss = (error: unknown): boolean => ["reconnect", "in-doubt"].includes(rules.classify(error).kind);

  /**
   * Turns the error of a commit into an InDoubtError if the connection was lost, unless the commit surely reached no server.
   */
  function commitErrorOf(error: unknown, result?: unknown): unknown {
    if (rules.hasReachedNoServer(error)) return error;
    return isLoss(error) ? new InDoubtError(error, result) : error;
  }

  /**
   * True if the server refused a statement that was sent in one message with the commit: it then skipped the commit. An error
   * that ends the session says less, since a pooler may send it after the server has committed.
   */
  const isOfEarlierCall = (error: unknown): boolean =>
    error instanceof StatementError && error.statement !== "commit" && !isLoss(error);

  function commitNotSentError({ lossError }: S): StatementError {
    const cause =
      lossError ??
      Object.assign(new Error("the connection was lost before it was sent"), {
        code: rules.noConnectionCode,
      });
    return new StatementError("commit", cause, rules.classify(cause).sqlstate);
  }

  /**
   * Commits a transaction. Rejects like `inTransaction`; `result`, to which the transaction resolves, goes into an
   * InDoubtError.
   */
  function commit(session: S, text: string, result?: unknown): Promise<void> {
    // The session may have ended during an app delay: then the commit was never sent, and the server has rolled back.
    if (session.isBroken) return Promise.reject(commitNotSentError(session));
    const { abortedBy } = session;
    return session.control("commit", text).catch((error: unknown) => {
      if (error === abortedBy || isOfEarlierCall(error)) throw error;
      const isProblem = rules.isServerProblem(rules.classify(error).sqlstate);
      throw isProblem ? new InDoubtError(error, result) : commitErrorOf(error, result);
    });
  }

  /**
   * Runs a transaction: begins with the text `begin`, runs `body` and commits. Rejects with an InDoubtError only if a commit
   * was sent and not answered. With `isPipelined`, BEGIN is sent in one message with the first statement that is not held.
   */
  async function inTransaction<T>(
    session: S,
    begin: string,
    body: () => Promise<T>,
    isPipelined = false,
  ): Promise<T> {
    await rules.begin(session, begin, isPipelined);
    let result: T;
    try {
      result = await body();
    } catch (error) {
      await rollBack(session);
      throw error;
    }
    await commit(session, "COMMIT", result);
    return result;
  }

  /**
   * Runs a transaction that only reads, like `inTransaction`. It is never in doubt, since the outcome of its commit does not
   * matter.
   */
  async function inReadTransaction<T>(
    session: S,
    begin: string,
    body: () => Promise<T>,
    isPipelined = false,
  ): Promise<T> {
    try {
      return await inTransaction(session, begin, body, isPipelined);
    } catch (error) {
      throw error instanceof InDoubtError ? error.cause : error;
    }
  }

  /**
   * Result of a statement that is a transaction by itself, so that a lost connection leaves it in doubt. Adds one promise
   * only.
   */
  function asTransaction<T, U>(answer: Promise<T>, outcomeOf: (result: T) => U): Promise<U> {
    return answer.then(outcomeOf, (error: unknown) => {
      throw commitErrorOf(error);
    });
  }

  return { commit, inTransaction, inReadTransaction, asTransaction };
}
