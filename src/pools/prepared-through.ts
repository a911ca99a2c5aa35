// Named prepared statements through a pooler that lends server connections for a transaction: one client prepares a statement,
// another takes that server connection, and the first one executes its statement on the next.
import { withinMs } from "../foundation/deadline.js";
import { codeOf } from "../foundation/errors.js";
import type { Endpoint } from "../database/endpoint.js";
import { PgConnection } from "../database/postgres/connection.js";
import { StatementError } from "../database/errors.js";
import { APPLICATION_NAME } from "../database/contract.js";

const TEST_STATEMENT = { name: "train_sim_preflight", text: "SELECT pg_backend_pid()" };
/** Time limit in ms, needed for a pool of one connection, which it lends to no other client meanwhile. */
const PATIENCE_MS = 2_000;
/** invalid_sql_statement_name and duplicate_prepared_statement: the statement is missing, or another client left it. */
const UNPREPARED_SQLSTATES = new Set(["26000", "42P05"]);

/**
 * Tests whether named prepared statements work; undefined if only one server connection was lent. Rejects like
 * `connectAdmin`.
 */
export async function canPrepareThrough(endpoint: Endpoint): Promise<boolean | undefined> {
  const [client, other] = await Promise.all([open(endpoint), open(endpoint)]);
  try {
    const [first] = await client.execute(TEST_STATEMENT, []);
    await other.query("BEGIN");
    const otherProcess = await withinMs(
      other.query<{ pid: number }>(`SELECT pg_backend_pid() AS pid`),
      PATIENCE_MS,
    );
    if (otherProcess.rows[0]?.pid !== first?.[0]) return undefined;
    const [second] = await withinMs(client.execute(TEST_STATEMENT, []), PATIENCE_MS);
    return second?.[0] === first?.[0] ? undefined : true;
  } catch (error) {
    const code = error instanceof StatementError ? error.sqlstate : codeOf(error);
    return code !== undefined && UNPREPARED_SQLSTATES.has(code) ? false : undefined;
  } finally {
    await Promise.all([other.end(), client.end()]);
  }
}

function open(endpoint: Endpoint): Promise<PgConnection> {
  return new PgConnection({ endpoint, applicationName: APPLICATION_NAME, prepared: true }).connect();
}
