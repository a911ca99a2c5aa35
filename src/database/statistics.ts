// When the planner's statistics are brought up to date, and when they must not be. PostgreSQL takes a table that
// was never analysed for ten pages at least, and plans look-ups by key. Analyse it while it is smaller and it
// believes the size: plans become sequential scans, and a prepared statement keeps such a plan while the table
// grows (measured on 18.4: wrong plans for every claim and update up to 300 events, right ones from 1000 on).
// So small tables are left alone here. Autovacuum knows no such care, but comes once a minute and comes again.
import type { SqlClient } from "./admin.js";
import type { Dialect } from "./dialects/dialect.js";
import { postgres } from "./dialects/postgres.js";
import { tablesOf } from "./tables.js";

/** Smallest table that is analysed (pages): above ten, so that no estimate gets worse by it. */
const PAGES_MIN = 16;

/**
 * Brings statistics up to date and so makes every session plan its statements anew. Worth calling once when the
 * tables hold what they usually will, at the end of a warm-up: it mends the one statement whose plan on empty
 * tables is wrong whatever its form, a look-up by containment (`read.find` of payload level `jsonb`). `vacuum` is
 * for after a bulk load. Not inside a transaction. Resolves to the tables that were large enough.
 */
export async function refreshStatistics(
  client: SqlClient,
  namespace: string,
  dialect: Dialect = postgres,
  { vacuum = false }: { readonly vacuum?: boolean } = {},
): Promise<string[]> {
  const refreshed: string[] = [];
  for (const table of Object.values(tablesOf(dialect, namespace))) {
    // Where nothing tells a table's size, nothing is planned by it before its statistics are there.
    const [row] = dialect.tablePagesQuery ? await client.query(dialect.tablePagesQuery, [table]) : [];
    if (row && Number(row.pages) < PAGES_MIN) continue;
    await client.query(dialect.refreshStatistics(table, vacuum));
    refreshed.push(table);
  }
  return refreshed;
}
