// Each error names its statement, because a message of the server (`deadlock detected`) does not. None holds a value.
import { messageOf } from "../foundation/errors.js";

/** `SQLSTATE 40001`; `error 1213` for a code of another kind. */
export function errorCodeText(code: string): string {
  return `${/^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? "SQLSTATE" : "error"} ${code}`;
}

export class StatementError extends Error {
  override readonly name = "StatementError";
  /** Place of the statement in the user's file, such as `bank.sql:9:1`, if the workload knows it. */
  place?: string;

  constructor(
    /** Name of the statement (`process.claim`), or begin, commit, rollback. */
    readonly statement: string,
    cause: unknown,
    /** SQLSTATE or the driver's code. */
    readonly sqlstate?: string,
  ) {
    super(`${statement}: ${messageOf(cause)}`, { cause });
  }
}

/** Error of a statement that returned or changed another number of rows than its transaction accepts. */
export class UnexpectedRowsError extends Error {
  override readonly name = "UnexpectedRowsError";
}

/** Error of a commit during which the connection was lost, so that it may or may not have happened. */
export class InDoubtError extends Error {
  override readonly name = "InDoubtError";

  constructor(
    cause: unknown,
    readonly result?: unknown,
  ) {
    super(`the commit was never answered: ${messageOf(cause)}`, { cause });
  }
}
