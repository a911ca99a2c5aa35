import type { Connection } from "../sql.js";
import { transactionsOf } from "../transaction.js";
import { classifyFailure, hasReachedNoServer } from "./sqlstates.js";

export { rollBack } from "../transaction.js";
export const { commit, inTransaction, inReadTransaction, asTransaction } = transactionsOf<Connection>({
  classify: classifyFailure,
  begin: (connection, text, isPipelined) =>
    isPipelined ? connection.holdBegin([text]) : connection.control("begin", text),
  // Class "connection exception".
  noConnectionCode: "08003",
  hasReachedNoServer,
  // Insufficient resources, a system error, an internal error. Whether the session ended is only in the severity, which is
  // in the server's language.
  isServerProblem: (sqlstate) => /^(53|58|XX)/.test(sqlstate),
});
