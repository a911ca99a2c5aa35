// Answers of PgBouncer's console as numbers with units, for versions 1.18 to 1.24, whose columns differ. Only the pool
// under test counts.
import { elidedText } from "../../foundation/shown.js";
import type { SqlRow } from "../../database/sql.js";
import type { PoolerReading } from "../running-pooler.js";

/** A pool: the database and user that clients name to PgBouncer. */
export interface PoolName {
  readonly database: string;
  readonly user: string;
}

type Counts = "transactions" | "waitMs" | "queryMs";

type PoolReading = Required<Omit<PoolerReading, Counts>>;

/**
 * Counters of a pool. A transaction is counted at its first message, while it still waits; `queryMs` is the time of ended
 * queries from their arrival, including the wait of a transaction's first query.
 */
type PoolCounts = Required<Pick<PoolerReading, Counts>>;

function numberOf(row: SqlRow, column: string): number {
  const cell = row[column];
  const value = typeof cell === "string" && /^\d+$/.test(cell) ? Number(cell) : cell;
  if (typeof value === "number" && value >= 0 && Number.isFinite(value)) return value;
  const seen = typeof cell === "string" ? JSON.stringify(elidedText(cell, 60)) : typeof cell;
  throw new Error(`PgBouncer's console has no number in ${column}, but ${seen}`);
}

const sum = (rows: readonly SqlRow[], column: string): number =>
  rows.reduce((total, row) => total + numberOf(row, column), 0);

/**
 * Sums rows of SHOW POOLS. If PgBouncer logs in as a fixed user (`user=` in its configuration), its pool has that user's
 * name and not the client's; then every pool of the database counts.
 */
export function readPools(rows: readonly SqlRow[], pool: PoolName): PoolReading {
  const databaseRows = rows.filter(({ database }) => database === pool.database);
  const userRows = databaseRows.filter(({ user }) => user === pool.user);
  const counted = userRows.length > 0 ? userRows : databaseRows;
  // `maxwait` is in whole seconds and `maxwait_us` holds the rest.
  const waitsMs = counted.map((row) => numberOf(row, "maxwait") * 1000 + numberOf(row, "maxwait_us") / 1000);
  return {
    clientsActive: sum(counted, "cl_active"),
    clientsWaiting: sum(counted, "cl_waiting"),
    maxWaitMs: Math.max(0, ...waitsMs),
    serversActive: sum(counted, "sv_active"),
    // `sv_used` counts connections that were idle for long, which PgBouncer checks before their next use.
    serversIdle: sum(counted, "sv_idle") + sum(counted, "sv_used"),
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
  // The column is called `reserve_pool` in 1.18 and `reserve_pool_size` in 1.24.
  const reserveColumn = "reserve_pool_size" in row ? "reserve_pool_size" : "reserve_pool";
  const size = numberOf(row, "pool_size") + numberOf(row, reserveColumn);
  const limit = numberOf(row, "max_connections");
  return limit > 0 ? Math.min(size, limit) : size;
}
