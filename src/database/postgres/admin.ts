// A lost connection rejects with a TargetError; the error of a statement is the server's own.
import { codeOf, messageOf, TargetError } from "../../foundation/errors.js";
import { APPLICATION, type AdminOptions, type AdminSession } from "../contract.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { isStandby, TAKES_NO_WRITES } from "./connect-failure.js";
import { PgConnection } from "./connection.js";
import { StatementError } from "../errors.js";
import { remedyOf } from "./remedies.js";
import { LIFT_TIME_LIMITS } from "./time-limits.js";
import { classifyFailure } from "./sqlstates.js";
import type { SqlRow, Statement, StatementRow, StatementValues } from "../sql.js";

export interface SqlClient {
  /**
   * Runs one statement with `$n` values, or several without. Rows hold booleans and numbers (int8 too) as such and
   * everything else as the server's text: see `pg-config.ts`.
   */
  query(text: string, values?: readonly unknown[]): Promise<SqlRow[]>;
}

export interface AdminClient extends SqlClient, AdminSession {
  /** Runs a repeated statement, prepared if the options say so. */
  execute(statement: Statement, values: StatementValues): Promise<StatementRow[]>;
}

let ended = 0;

export function controlTransactions(): number {
  return ended;
}

/** Connects to the first server that admits the session; else rejects with the error of the first that is no standby. */
async function open(endpoint: Endpoint, options: AdminOptions): Promise<PgConnection> {
  let failure: unknown;
  for (const each of [endpoint, ...(endpoint.alternatives ?? [])]) {
    try {
      return await openAt(each, options);
    } catch (error) {
      if (failure === undefined || isStandby(failure)) failure = error;
    }
  }
  throw failure;
}

async function openAt(endpoint: Endpoint, options: AdminOptions): Promise<PgConnection> {
  const connection = new PgConnection({
    endpoint,
    applicationName: `${APPLICATION}/${options.purpose ?? "admin"}`,
    prepared: options.prepared ?? false,
    ...(options.connectTimeoutMs !== undefined && { connectTimeoutMs: options.connectTimeoutMs }),
    report: (event, failure) => {
      if (event === "lost") options.onLost?.(failure);
    },
    onTransaction: () => ended++,
  });
  await connection.connect();
  if (options.keepsTimeLimits !== true) await liftTimeLimits(connection);
  return connection;
}

/** Lifts the role's time limits, which are for its load: they must not end the preparation or the audit of a trial. */
async function liftTimeLimits(connection: PgConnection): Promise<void> {
  // The first statement frees the second from time limits. A server without these settings has no limits to lift.
  await connection.query(`SET statement_timeout = 0; ${LIFT_TIME_LIMITS}`).catch(() => undefined);
}

/** The same error, or a TargetError if it means that the server is gone. */
function explainLoss(endpoint: Endpoint, error: unknown): unknown {
  if (classifyFailure(error).kind !== "reconnect") return error;
  const seen = codeOf(error) === TAKES_NO_WRITES ? "no writes are taken by" : "lost the connection to";
  return new TargetError(
    `${seen} ${describeEndpoint(endpoint)}: ${messageOf(error)}`,
    remedyOf(error) ?? "Check that the server is still running, and read its log.",
    { cause: error },
  );
}

export async function connectAdmin(endpoint: Endpoint, options: AdminOptions = {}): Promise<AdminClient> {
  let connection = await open(endpoint, options);
  let opening: Promise<PgConnection> | undefined;
  let isClosed = false;
  const current = async (): Promise<PgConnection> => {
    // Work that a failed trial has left behind must not open a session that would stay open.
    if (isClosed) throw new TargetError(`the connection to ${describeEndpoint(endpoint)} has been closed`);
    if (!connection.isBroken || !options.reopens) return connection;
    opening ??= open(endpoint, options)
      .then((opened) => (connection = opened))
      .finally(() => (opening = undefined));
    return opening;
  };
  return {
    endpoint,
    async query(text, values) {
      const session = await current();
      try {
        // The driver's types require a mutable array, but the driver only reads it.
        const result = await session.query<SqlRow>(text, values as unknown[] | undefined);
        return lastRows(result);
      } catch (error) {
        throw explainLoss(endpoint, error);
      }
    },
    async execute(statement, values) {
      const session = await current();
      try {
        return await session.execute(statement, values);
      } catch (error) {
        throw explainLoss(endpoint, error instanceof StatementError ? error.cause : error);
      }
    },
    async close() {
      isClosed = true;
      await opening?.catch(() => undefined);
      await connection.end();
    },
  };
}

/** Several statements in one text give an array of results; the last one counts. */
function lastRows(result: { rows: SqlRow[] } | readonly { rows: SqlRow[] }[]): SqlRow[] {
  return "rows" in result ? result.rows : (result.at(-1)?.rows ?? []);
}
