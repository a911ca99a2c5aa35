// Cumulative counters of the server, read at both ends of a measurement window: what the load wrote and how its
// transactions ended, as the server counts them. Evidence beside the client's own numbers, from the control
// connection, two short queries a trial.
import type { SqlClient } from "./admin.js";

/** Readings since the server started; differences between two of them mean something. */
export interface DatabaseCounters {
  /** Write-ahead log position in bytes. */
  readonly walBytes: number;
  readonly commits: number;
  readonly rollbacks: number;
  readonly deadlocks: number;
  readonly blocksRead: number;
  readonly blocksHit: number;
  readonly temporaryBytes: number;
}

const TEXT = `
  SELECT pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
                         '0/0')::float8 AS "walBytes",
         xact_commit::float8 AS "commits", xact_rollback::float8 AS "rollbacks", deadlocks::float8 AS "deadlocks",
         blks_read::float8 AS "blocksRead", blks_hit::float8 AS "blocksHit", temp_bytes::float8 AS "temporaryBytes"
    FROM pg_stat_database WHERE datname = current_database()`;

const NAMES = [
  "walBytes",
  "commits",
  "rollbacks",
  "deadlocks",
  "blocksRead",
  "blocksHit",
  "temporaryBytes",
] as const;

/** Sessions report their share of these with a delay of up to a second, so differences are good to that. */
export async function readCounters(client: SqlClient): Promise<DatabaseCounters> {
  const [row] = await client.query(TEXT);
  const entries = NAMES.map((name) => [name, Number(row?.[name] ?? 0)] as const);
  return Object.fromEntries(entries) as unknown as DatabaseCounters;
}

/** What was counted between two readings of one server. */
export function countersBetween(before: DatabaseCounters, after: DatabaseCounters): Record<string, number> {
  return Object.fromEntries(NAMES.map((name) => [name, Math.max(0, after[name] - before[name])]));
}
