// One snapshot for many statements, with rows in portions: a table of millions takes the memory of a portion.
import type { SqlClient } from "../admin.js";
import type { SqlRow } from "../../sql.js";

/** Rows that one FETCH reads; they have a few hundred kilobytes. */
const PORTION_ROWS = 5_000;

/** Runs `work` in one read-only snapshot. No other code may use the client until it ends. */
export async function inSnapshot<T>(client: SqlClient, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  try {
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    // The first error says what happened; a lost connection cannot roll back, and need not.
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/**
 * The rows of a query, in portions; the server makes the next portion ahead. Only inside `inSnapshot`, one query at a time.
 */
export async function* rowPortions<T>(
  client: SqlClient,
  text: string,
  values: readonly unknown[] = [],
): AsyncGenerator<readonly T[]> {
  await client.query(`DECLARE portions NO SCROLL CURSOR FOR ${text}`, values);
  const fetchPortion = async (): Promise<SqlRow[] | { readonly failure: unknown }> =>
    client
      .query(`FETCH ${PORTION_ROWS} FROM portions`)
      .catch((failure: unknown): { failure: unknown } => ({ failure }));
  let next = fetchPortion();
  try {
    for (;;) {
      const rows = await next;
      if ("failure" in rows) throw rows.failure;
      if (rows.length === 0) break;
      next = fetchPortion();
      yield rows as unknown as readonly T[];
    }
  } finally {
    await next;
    // A broken transaction has closed the cursor already.
    await client.query("CLOSE portions").catch(() => undefined);
  }
}
