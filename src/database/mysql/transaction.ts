import type { Isolation } from "../levels.js";
import { transactionsOf } from "../transaction.js";
import { classifyFailure, PROBLEMS_DURING_COMMIT } from "./error-codes.js";
import type { MySqlSession } from "./session.js";

export { rollBack } from "../transaction.js";
export const { commit, inTransaction, inReadTransaction, asTransaction } = transactionsOf<MySqlSession>({
  classify: classifyFailure,
  begin: (session, text) => session.control("begin", text),
  noConnectionCode: "PROTOCOL_CONNECTION_LOST",
  hasReachedNoServer: () => false,
  isServerProblem: (code) => PROBLEMS_DURING_COMMIT.has(code),
});

/** Text that begins a transaction: two statements in one message, since MySQL's START TRANSACTION names no level. */
export function beginText(isolation: Isolation, access: "READ WRITE" | "READ ONLY"): string {
  return `SET TRANSACTION ISOLATION LEVEL ${isolation.toUpperCase()}; START TRANSACTION ${access}`;
}
