// The transactions of callers: an insert of the caller's and its jobs, all or nothing.
import type { Pool, PoolClient } from "pg";
import { wallClockMs } from "../../../foundation/clock.js";
import { Unusable, type Job, type Start } from "./kit.js";

/** Runs `enqueue` in one transaction with an insert into the callers' table. */
export async function withCaller(
  pool: Pool,
  { schema }: Start,
  [first]: readonly Job[],
  enqueue: (client: PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  let isLost = false;
  try {
    await client.query("BEGIN");
    await client.query(`INSERT INTO ${schema}.callers (id) VALUES ($1)`, [first?.payload.id]);
    await enqueue(client);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => (isLost = true));
    throw error;
  } finally {
    client.release(isLost);
  }
}

/** Throws `Unusable` if the schema holds tables that are not train-sim's, perhaps another version's. */
export async function requireEmptySchema(pool: Pool, { schema }: Start): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1)
       AND relkind IN ('r', 'p') AND relname NOT IN ('bystanders', 'callers') ORDER BY 1 LIMIT 3`,
    [schema],
  );
  if (rows.length > 0)
    throw new Unusable(
      `the schema ${schema} holds tables already: ${rows.map(({ name }) => name).join(", ")}`,
      `Name another namespace, or drop this one: DROP SCHEMA ${schema} CASCADE.`,
    );
}

/** The time of day after a delay. */
export const dateIn = (delayMs: number): Date => new Date(wallClockMs() + delayMs);
