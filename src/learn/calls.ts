// Counts of pg_stat_statements, as the difference of two readings.
import type { SqlClient } from "../database/postgres/admin.js";

export interface StatementCalls {
  readonly text: string;
  readonly calls: number;
  readonly totalMs: number;
  /** Time at which the server saw the statement first; empty before version 17. */
  readonly since: string;
}

/** Counts by the statement's id. */
export type Counts = ReadonlyMap<string, StatementCalls>;

/** Schema of pg_stat_statements; undefined if the extension is not in the database. */
export async function statisticsSchema(client: SqlClient): Promise<string | undefined> {
  const [row] = await client.query(
    "SELECT extnamespace::regnamespace::text AS schema FROM pg_extension WHERE extname = 'pg_stat_statements'",
  );
  return row && String(row["schema"]);
}

/** Reads the counts of this database's statements. Statements inside functions are part of the function's call. */
export async function readCounts(client: SqlClient, schema: string): Promise<Counts> {
  // Versions differ in their columns, which are read by name where they exist.
  const rows = await client.query(
    `SELECT coalesce(queryid, 0)::text AS id, min(query) AS text, sum(calls)::float8 AS calls,
       sum(total_exec_time)::float8 AS "totalMs", coalesce(min(to_jsonb(s) ->> 'stats_since'), '') AS since
     FROM ${schema}.pg_stat_statements(true) s
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND coalesce((to_jsonb(s) ->> 'toplevel')::boolean, true)
     GROUP BY queryid`,
  );
  return new Map(
    rows.map(({ id, text, calls, totalMs, since }) => [
      String(id),
      { text: String(text), calls: Number(calls), totalMs: Number(totalMs), since: String(since) },
    ]),
  );
}

/** Calls between two readings. A count below the earlier one began again at 0. */
export function callsBetween(before: Counts, after: Counts): StatementCalls[] {
  return [...after].flatMap(([id, now]) => {
    const then = before.get(id);
    const isContinued = then !== undefined && then.calls <= now.calls;
    const calls = now.calls - (isContinued ? then.calls : 0);
    return calls > 0 ? [{ ...now, calls, totalMs: now.totalMs - (isContinued ? then.totalMs : 0) }] : [];
  });
}
