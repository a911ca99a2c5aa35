// The pooler of one trial: PgBouncers of our own, started afresh so that no treatment inherits another's warm
// connections, or someone else's, which are only pointed at. Other strategies need none.
import { connectConsole } from "../../database/admin.js";
import { totalClients, type Treatment, type TreatmentSettings } from "../../scenario/settings.js";
import { findPgBouncer } from "../../pools/pgbouncer/find-pgbouncer.js";
import { externalPooler, startPgBouncers } from "../../pools/pgbouncer/managed.js";
import type { RunningTarget } from "../../targets/running-target.js";
import { poolersBefore } from "../../pools/settings.js";
import type { RunningPooler } from "../../pools/running-pooler.js";

/**
 * Refuses, before anything is started, an experiment that needs a PgBouncer of ours where there is none; resolves to the
 * version of the one that there is, undefined where none is needed.
 */
export async function requirePooler(treatments: readonly Treatment[]): Promise<string | undefined> {
  const isNeeded = treatments.some(
    ({ settings: { pool } }) => pool.strategy === "pgbouncer" && pool.urls.length === 0,
  );
  return isNeeded ? (await findPgBouncer()).version : undefined;
}

/** Resolves to undefined where the treatment has no pooler in front of the server. */
export async function openPooler(
  target: Pick<RunningTarget, "endpoints">,
  settings: TreatmentSettings,
): Promise<RunningPooler | undefined> {
  const { pool } = settings;
  if (pool.strategy !== "pgbouncer") return undefined;
  if (pool.urls.length > 0) {
    return externalPooler(pool.urls, pool.adminUrl, pool.maxPreparedStatements, pool.mode);
  }
  const upstreams = target.endpoints;
  const instancesBefore = poolersBefore(upstreams.length, pool.instances);
  const maxClientConnections = totalClients(settings);
  const started: RunningPooler[] = [];
  try {
    for (const [index, upstream] of upstreams.entries()) {
      const instances = instancesBefore[index] ?? 1;
      started.push(await startPgBouncers({ ...pool, instances, maxClientConnections }, upstream));
    }
  } catch (error) {
    await stopAll(started);
    throw error;
  }
  return together(started);
}

async function stopAll(poolers: readonly RunningPooler[]): Promise<void> {
  await Promise.all(poolers.map((pooler) => pooler.stop()));
}

/** Several poolers as one. */
function together(poolers: readonly RunningPooler[]): RunningPooler {
  const [first] = poolers;
  return {
    endpoints: poolers.flatMap(({ endpoints }) => endpoints),
    consoles: poolers.flatMap(({ consoles }) => consoles),
    get pids() {
      return poolers.flatMap(({ pids }) => pids);
    },
    instances: poolers.flatMap(({ instances }) => instances),
    ...(first?.version !== undefined && { version: first.version }),
    supportsPreparedStatements: poolers.every((pooler) => pooler.supportsPreparedStatements),
    lost: Promise.race(poolers.map(({ lost }) => lost)),
    stop: () => stopAll(poolers),
  };
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
