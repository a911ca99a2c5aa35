// A lost connection rejects with a TargetError; the error of a statement is the server's own.
import { messageOf, TargetError } from "../../foundation/errors.js";
import { adminSessionOptions, openAdminConnection } from "../admin-connection.js";
import type { AdminOptions, AdminSession } from "../contract.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { StatementError } from "../errors.js";
import type { SqlRow, SqlValue, Statement, StatementRow } from "../sql.js";
import { isReadOnlyError } from "./connect-failure.js";
import { classifyFailure } from "./error-codes.js";
import { remedyOf } from "./remedies.js";
import { MySqlSession } from "./session.js";

export interface MySqlAdmin extends AdminSession {
  /** Runs one statement with `?` values, or several statements without values; resolves to the last rows. */
  query(text: string, values?: readonly SqlValue[]): Promise<SqlRow[]>;
  execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementRow[]>;
  /** Yields the rows of a query one by one. */
  rows(text: string): AsyncIterable<SqlRow>;
}

let ended = 0;

export const controlTransactions = (): number => ended;

async function openAt(endpoint: Endpoint, options: AdminOptions): Promise<MySqlSession> {
  const session = new MySqlSession(adminSessionOptions(endpoint, options, () => ended++));
  await session.connect();
  return session;
}

/** Returns a TargetError if the error means that the server is gone, else the server's error. */
function explainLoss(endpoint: Endpoint, failure: unknown): unknown {
  const error = failure instanceof StatementError ? failure.cause : failure;
  if (classifyFailure(error).kind !== "reconnect") return error;
  return new TargetError(
    `lost the connection to ${describeEndpoint(endpoint)}: ${messageOf(error)}`,
    remedyOf(error) ?? "Check that the server is still running, and read its log.",
    { cause: error },
  );
}

export async function connectMySqlAdmin(endpoint: Endpoint, options: AdminOptions = {}): Promise<MySqlAdmin> {
  const { use, close } = await openAdminConnection(endpoint, options, {
    open: (server) => openAt(server, options),
    isStandbyError: isReadOnlyError,
    explain: explainLoss,
  });
  return {
    endpoint,
    close,
    query: (text, values = []) =>
      use((session) => session.executeNamed({ name: "admin", text, isText: true }, values)),
    execute: (statement, values) => use((session) => session.execute(statement, values)),
    async *rows(text) {
      const session = await use((opened) => Promise.resolve(opened));
      try {
        yield* session.rows(text);
      } catch (error) {
        throw explainLoss(endpoint, error);
      }
    },
  };
}
