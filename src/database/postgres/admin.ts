// A lost connection rejects with a TargetError; the error of a statement is the server's own.
import { codeOf, messageOf, TargetError } from "../../foundation/errors.js";
import { adminSessionOptions, openAdminConnection } from "../admin-connection.js";
import type { AdminOptions, AdminSession } from "../contract.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { isStandbyError, READ_ONLY_SQLSTATE } from "./connect-failure.js";
import { PgConnection } from "./connection.js";
import { StatementError } from "../errors.js";
import { remedyOf } from "./remedies.js";
import { LIFT_TIME_LIMITS_SQL } from "./time-limits.js";
import { classifyFailure } from "./sqlstates.js";
import type { SqlRow, Statement, StatementRow, StatementValues } from "../sql.js";

export interface SqlClient {
  /**
   * Runs one statement with `$n` values, or several statements without values. Rows hold booleans and numbers (int8 too) as
   * such, and the server's text for all other types: see `pg-config.ts`.
   */
  query(text: string, values?: readonly unknown[]): Promise<SqlRow[]>;
}

export interface AdminClient extends SqlClient, AdminSession {
  /** Runs a statement that is repeated; it is prepared by name if the options say so. */
  execute(statement: Statement, values: StatementValues): Promise<StatementRow[]>;
}

let ended = 0;

export function controlTransactions(): number {
  return ended;
}

async function openAt(endpoint: Endpoint, options: AdminOptions): Promise<PgConnection> {
  const connection = new PgConnection(adminSessionOptions(endpoint, options, () => ended++));
  await connection.connect();
  if (options.keepsTimeLimits !== true) await liftTimeLimits(connection);
  return connection;
}

/** Lifts the time limits of the role: they are for its load and must not end the preparation or the audit of a trial. */
async function liftTimeLimits(connection: PgConnection): Promise<void> {
  // The first SET lifts the time limit under which the second would run. A server without these settings has no limits
  // to lift.
  await connection.query(`SET statement_timeout = 0; ${LIFT_TIME_LIMITS_SQL}`).catch(() => undefined);
}

/** Returns a TargetError if the error means that the server is gone, else the same error. */
function explainLoss(endpoint: Endpoint, failure: unknown): unknown {
  const error = failure instanceof StatementError ? failure.cause : failure;
  if (classifyFailure(error).kind !== "reconnect") return error;
  const seen = codeOf(error) === READ_ONLY_SQLSTATE ? "no writes are taken by" : "lost the connection to";
  return new TargetError(
    `${seen} ${describeEndpoint(endpoint)}: ${messageOf(error)}`,
    remedyOf(error) ?? "Check that the server is still running, and read its log.",
    { cause: error },
  );
}

export async function connectAdmin(endpoint: Endpoint, options: AdminOptions = {}): Promise<AdminClient> {
  const connection = await openAdminConnection(endpoint, options, {
    open: (server) => openAt(server, options),
    isStandbyError,
    explain: explainLoss,
  });
  const { use, close } = connection;
  return {
    get endpoint() {
      return connection.endpoint;
    },
    close,
    query: (text, values) =>
      use(async (session) => {
        // The driver's types require a mutable array, but the driver only reads it.
        const result = await session.query<SqlRow>(text, values as unknown[] | undefined);
        return lastResultRows(result);
      }),
    execute: (statement, values) => use((session) => session.execute(statement, values)),
  };
}

/** Rows of the last result: several statements in one text give an array of results. */
function lastResultRows(result: { rows: SqlRow[] } | readonly { rows: SqlRow[] }[]): SqlRow[] {
  return "rows" in result ? result.rows : (result.at(-1)?.rows ?? []);
}
