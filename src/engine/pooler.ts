// The pooler of one trial: PgBouncers of our own, started afresh so that no treatment inherits another's warm
// connections, or someone else's, which are only pointed at. Other strategies need none.
import { connectConsole } from "../database/admin.js";
import { totalClients, type TreatmentSettings } from "../scenario/settings.js";
import { externalPooler, startPgBouncers } from "../target/pgbouncer.js";
import type { RunningPooler, RunningTarget } from "../target/running-target.js";

/** Resolves to undefined where the treatment has no pooler in front of the server. */
export async function openPooler(
  target: RunningTarget,
  settings: TreatmentSettings,
): Promise<RunningPooler | undefined> {
  const { pool } = settings;
  if (pool.strategy !== "pgbouncer") return undefined;
  if (pool.urls.length > 0) {
    return externalPooler(pool.urls, pool.adminUrl, pool.maxPreparedStatements, pool.mode);
  }
  const [upstream] = target.endpoints;
  if (!upstream) throw new Error("a target has at least one endpoint");
  return startPgBouncers({ ...pool, maxClientConnections: totalClients(settings) }, upstream);
}

/** Version of the pooler: what a managed one was found to be, or what an external one's console says. */
export async function poolerVersion(pooler: RunningPooler): Promise<string | undefined> {
  const [console] = pooler.consoles;
  if (pooler.version !== undefined || !console) return pooler.version;
  const client = await connectConsole(console);
  try {
    return await client.version();
  } finally {
    await client.close();
  }
}
