// Answers of PgBouncer's console as numbers with units, for versions 1.18 to 1.26, whose columns differ. Only the pool
// under test counts.
import type { Endpoint } from "../../database/endpoint.js";
import type { SqlRow } from "../../database/sql.js";
import { askConsole, numberOf, rowsOfPool, sumOf, type ConsoleReader } from "../console.js";
import type { PoolerReading } from "../running-pooler.js";

/** A pool: the database and user that clients name to PgBouncer. */
type PoolName = Pick<Endpoint, "database" | "user">;

type Counts = "transactions" | "waitMs" | "queryMs";

type PoolReading = Required<Omit<PoolerReading, Counts>>;

/**
 * Counters of a pool. A transaction is counted at its first message, while it still waits; `queryMs` is the time of ended
 * queries from their arrival, including the wait of a transaction's first query.
 */
type PoolCounts = Required<Pick<PoolerReading, Counts>>;

/** Sums rows of SHOW POOLS. */
export function readPools(rows: readonly SqlRow[], pool: PoolName): PoolReading {
  const counted = rowsOfPool(rows, pool);
  // `maxwait` is in whole seconds and `maxwait_us` holds the rest.
  const waitsMs = counted.map((row) => numberOf(row, "maxwait") * 1000 + numberOf(row, "maxwait_us") / 1000);
  return {
    clientsActive: sumOf(counted, "cl_active"),
    clientsWaiting: sumOf(counted, "cl_waiting"),
    maxWaitMs: Math.max(0, ...waitsMs),
    serversActive: sumOf(counted, "sv_active"),
    // `sv_used` counts connections that were idle for long, which PgBouncer checks before their next use.
    serversIdle: sumOf(counted, "sv_idle") + sumOf(counted, "sv_used"),
  };
}

/** Reads the database's row of SHOW STATS, whose times are microseconds as text. Undefined before the first client. */
export function readStats(rows: readonly SqlRow[], database: string): PoolCounts | undefined {
  const row = rows.find((each) => each["database"] === database);
  if (!row) return undefined;
  return {
    transactions: numberOf(row, "total_xact_count"),
    waitMs: numberOf(row, "total_wait_time") / 1000,
    queryMs: numberOf(row, "total_query_time") / 1000,
  };
}

/**
 * Maximum number of server connections of a pool including its reserve, from SHOW DATABASES; undefined if the database is
 * not listed.
 */
export function readPoolSize(rows: readonly SqlRow[], database: string): number | undefined {
  const row = rows.find(({ name }) => name === database);
  if (!row) return undefined;
  // The column is called `reserve_pool` in 1.18 and `reserve_pool_size` in later versions.
  const reserveColumn = "reserve_pool_size" in row ? "reserve_pool_size" : "reserve_pool";
  const size = numberOf(row, "pool_size") + numberOf(row, reserveColumn);
  const limit = numberOf(row, "max_connections");
  return limit > 0 ? Math.min(size, limit) : size;
}

export const POOL_READER: ConsoleReader = {
  /** Counts are left out until the PgBouncer has had its first client. */
  read: async (console, pool) => ({
    ...readPools(await askConsole(console, "SHOW POOLS"), pool),
    ...readStats(await askConsole(console, "SHOW STATS"), pool.database),
  }),
  serversMax: async (console, { database }) =>
    readPoolSize(await askConsole(console, "SHOW DATABASES"), database),
};
