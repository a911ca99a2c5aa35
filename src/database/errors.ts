// What a workload rejects with. An error says which statement it was, because a message of the server alone
// (`deadlock detected`) does not; it never carries a parameter value.
import { messageOf } from "../foundation/errors.js";

/** A statement failed; `cause` is the driver's error. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  /** Where the statement stands in a file of the user's, as `bank.sql:9:1`; set by a workload that knows. */
  place?: string;

  constructor(
    /** The statement's name (`process.claim`), or begin, commit, rollback. */
    readonly statement: string,
    cause: unknown,
    /** SQLSTATE or the driver's code. */
    readonly sqlstate?: string,
  ) {
    super(`${statement}: ${messageOf(cause)}`, { cause });
  }
}

/** A statement gave or changed another number of rows than its transaction takes. */
export class UnexpectedRowsError extends Error {
  override readonly name = "UnexpectedRowsError";
}

/** The connection was lost while the commit was under way: nobody knows whether it happened. */
export class InDoubtError extends Error {
  override readonly name = "InDoubtError";

  constructor(
    cause: unknown,
    /** What the transaction resolves to if it was committed; undefined where its outcome was lost with the answer. */
    readonly result?: unknown,
  ) {
    super(`the commit was never answered: ${messageOf(cause)}`, { cause });
  }
}
