// Sessions of the load by their names, as far as the asking role may see them.
import type { WorkingSessions } from "../contract.js";
import type { SqlClient } from "./admin.js";
import type { Dialect } from "./dialects/dialect.js";

/** Process ids of the load's sessions on the server, as pg_stat_activity shows them. */
export async function loadSessions(client: SqlClient, loadNames: readonly string[]): Promise<number[]> {
  const rows = await client.query(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY($1) ORDER BY pid",
    [loadNames],
  );
  return rows.map(({ pid }) => Number(pid));
}

/** Undefined where the dialect does not tell. To a role that may not see the load's sessions none is at work. */
export async function workingSessions(
  client: SqlClient,
  { sampler }: Dialect,
  loadNames: readonly string[],
): Promise<WorkingSessions | undefined> {
  if (sampler.workingSessions === undefined) return undefined;
  const [row] = await client.query(sampler.workingSessions, [loadNames]);
  return {
    count: Number(row?.sessions),
    oldestSeconds: Number(row?.seconds),
    waits: typeof row?.waits === "string" ? row.waits : "",
  };
}
