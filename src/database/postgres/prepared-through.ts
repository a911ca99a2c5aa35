// Whether named prepared statements work through a pooler that lends server connections for a transaction: one client
// prepares a statement, another takes that server connection, and the first one executes its statement on the next. The
// statement answers with the process that ran it, so that it is known whether there were two. It asks the pooler itself
// and not its version, which only a console tells, and which says nothing of poolers other than PgBouncer.
import { withinMs } from "../../foundation/deadline.js";
import { codeOf } from "../../foundation/errors.js";
import type { Endpoint } from "../endpoint.js";
import { PgConnection } from "./connection.js";
import { StatementError } from "../errors.js";
import { APPLICATION } from "../contract.js";

const STATEMENT = { name: "train_sim_preflight", text: "SELECT pg_backend_pid()" };
/** A pool of one connection lends it to nobody else meanwhile. */
const PATIENCE_MS = 2_000;
/** invalid_sql_statement_name, duplicate_prepared_statement: it is not there, or still there from another client. */
const UNPREPARED = new Set(["26000", "42P05"]);

/** Undefined where it cannot be told: only one server connection was lent. Rejects as `connectAdmin` does. */
export async function preparesThrough(endpoint: Endpoint): Promise<boolean | undefined> {
  const [client, other] = await Promise.all([open(endpoint), open(endpoint)]);
  try {
    const [first] = await client.execute(STATEMENT, []);
    await other.query("BEGIN");
    const taken = await withinMs(other.query<{ pid: number }>(`SELECT pg_backend_pid() AS pid`), PATIENCE_MS);
    if (taken.rows[0]?.pid !== first?.[0]) return undefined;
    const [second] = await withinMs(client.execute(STATEMENT, []), PATIENCE_MS);
    return second?.[0] === first?.[0] ? undefined : true;
  } catch (error) {
    const code = error instanceof StatementError ? error.sqlstate : codeOf(error);
    return code !== undefined && UNPREPARED.has(code) ? false : undefined;
  } finally {
    await Promise.all([other.end(), client.end()]);
  }
}

function open(endpoint: Endpoint): Promise<PgConnection> {
  return new PgConnection({ endpoint, applicationName: APPLICATION, prepared: true }).connect();
}
