// PostgreSQL takes a table that was never analysed for ten pages at least, and looks rows up by key. Analysed while small, it
// gets sequential scans, which prepared statements keep (18.4: wrong plans up to 300 events, right ones from 1000 on). So small
// tables are left alone here.
import type { SqlClient } from "./admin.js";
import type { Dialect } from "./dialects/dialect.js";
import { postgres } from "./dialects/postgres/dialect.js";
import { withinLockTimeout } from "./lock-timeout.js";

/** Smallest table that is analysed (pages): above ten, so that no estimate gets worse by it. */
const PAGES_MIN = 16;

export interface RefreshOptions {
  /** Set after a bulk load. */
  readonly vacuum?: boolean;
  /** Longest wait for a lock that somebody else holds, with its unit. */
  readonly lockTimeout?: string | undefined;
}

/**
 * Brings statistics up to date and so makes every session plan its statements anew. Worth calling once when the
 * tables hold what they usually will, at the end of a warm-up: it mends the one statement whose plan on empty
 * tables is wrong whatever its form, a look-up by containment (`read.find` of payload level `jsonb`). Not
 * inside a transaction. Resolves to the tables that were large enough;
 * rejects with a TargetError where somebody else's lock keeps it from one of them.
 */
export async function refreshStatistics(
  client: SqlClient,
  { namespace, tables }: { readonly namespace: string; readonly tables: readonly string[] },
  dialect: Dialect = postgres,
  { vacuum = false, lockTimeout }: RefreshOptions = {},
): Promise<string[]> {
  const failure = `statistics of schema "${namespace}" not refreshed`;
  return withinLockTimeout({ client, dialect, failure, lockTimeout }, async () => {
    const refreshed: string[] = [];
    for (const table of tables) {
      // Where nothing tells a table's size, nothing is planned by it before its statistics are there.
      const [row] = dialect.tablePagesQuery ? await client.query(dialect.tablePagesQuery, [table]) : [];
      if (row && Number(row.pages) < PAGES_MIN) continue;
      await client.query(dialect.refreshStatistics(table, vacuum));
      refreshed.push(table);
    }
    return refreshed;
  });
}
