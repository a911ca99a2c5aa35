// PostgreSQL plans for at least ten pages in a table that was never analysed, and looks rows up by key. A table analysed
// while small gets sequential scans, which prepared statements keep (18.4: wrong plans up to 300 events, right ones from
// 1000 on). So small tables are left alone here.
import type { SqlClient } from "./admin.js";
import type { Dialect } from "./dialects/dialect.js";
import { postgres } from "./dialects/postgres/dialect.js";
import { withinLockTimeout } from "./lock-timeout.js";

/** Pages of the smallest table that is analysed: with more than ten pages, no estimate gets worse. */
const ANALYZED_PAGES_MIN = 16;

export interface RefreshOptions {
  readonly vacuum?: boolean;
  /** Longest wait for another session's lock, with its unit, such as `15s`. */
  readonly lockTimeout?: string | undefined;
}

/**
 * Brings statistics up to date, so that every session plans its statements again. Call it once when the tables hold their
 * usual contents, at the end of a warm-up: it corrects the one statement whose plan on empty tables is wrong in any form, a
 * look-up by containment (`read.find` of payload level `jsonb`). Not inside a transaction. Resolves to the tables that were
 * large enough; rejects with a TargetError if another session's lock keeps it from one of them.
 */
export async function refreshStatistics(
  client: SqlClient,
  { namespace, tables }: { readonly namespace: string; readonly tables: readonly string[] },
  dialect: Dialect = postgres,
  { vacuum = false, lockTimeout }: RefreshOptions = {},
): Promise<string[]> {
  const failure = `statistics of schema "${namespace}" not refreshed`;
  return withinLockTimeout({ client, dialect, failure, lockTimeout }, async () => {
    const refreshedTables: string[] = [];
    for (const table of tables) {
      // A dialect without a query for a table's size does not plan by size before there are statistics.
      const [row] = dialect.tablePagesQuery ? await client.query(dialect.tablePagesQuery, [table]) : [];
      if (row && Number(row.pages) < ANALYZED_PAGES_MIN) continue;
      await client.query(dialect.refreshStatistics(table, vacuum));
      refreshedTables.push(table);
    }
    return refreshedTables;
  });
}
