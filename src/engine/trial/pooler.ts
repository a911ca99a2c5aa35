// The pooler of one trial: a fresh one, so that no treatment inherits another's warm connections, or a user's own.
import { totalClients, type Treatment, type TreatmentSettings } from "../../scenario/settings.js";
import type { RunningTarget } from "../../targets/running-target.js";
import { externalPooler } from "../../pools/managed.js";
import { arePoolersAtAgents, hasPooler, isManaged, poolerKindOf } from "../../pools/registry.js";
import type { RunningPooler } from "../../pools/running-pooler.js";
import type { WorkerPlace } from "../workers/worker-place.js";
import { LOCAL_WORKER_PLACE } from "../workers/worker-thread.js";

export interface PoolerVersion {
  readonly product: string;
  readonly version: string;
}

/** Refuses an experiment that needs a missing pooler program; resolves to the versions of the programs found. */
export async function requirePoolers(treatments: readonly Treatment[]): Promise<PoolerVersion[]> {
  const pools = treatments.flatMap(({ settings: { pool } }) =>
    isManaged(pool) && !arePoolersAtAgents(pool) ? [pool] : [],
  );
  const kinds = [...new Set(pools.map(poolerKindOf))];
  return Promise.all(kinds.map(async ({ product, find }) => ({ product, version: (await find()).version })));
}

/** Opens the treatment's pooler; undefined if no pooler stands in front of the server. The clients will run at `place`. */
export async function openPooler(
  { endpoints, auth }: Pick<RunningTarget, "endpoints" | "auth">,
  settings: TreatmentSettings,
  place: WorkerPlace,
): Promise<RunningPooler | undefined> {
  const { pool } = settings;
  if (!hasPooler(pool)) return undefined;
  if (!isManaged(pool)) return externalPooler(poolerKindOf(pool), pool);
  const poolerDemand = { maxClientConnections: totalClients(settings), auth };
  return (arePoolersAtAgents(pool) ? place : LOCAL_WORKER_PLACE).openPoolers(pool, poolerDemand, endpoints);
}
