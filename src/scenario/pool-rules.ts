import { parsePath } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { strategyOf } from "../pools/registry.js";
import type { PoolDemand } from "../pools/strategy.js";
import { workloadOf } from "../workloads/registry.js";
import { clientWeightsOf, clientCountByPoolerGroup } from "./connections.js";
import { totalClients, type TreatmentSettings } from "./settings.js";

function demandOf(settings: TreatmentSettings): PoolDemand {
  const { actors, agents } = settings;
  return {
    clients: totalClients(settings),
    clientCountByPoolerGroup: clientCountByPoolerGroup(settings),
    agents,
    workers: Object.values(actors).reduce((sum, role) => sum + role.workers, 0),
    weights: clientWeightsOf(settings),
  };
}

/** Refuses pools that do not match the workload, which either leases its connections from a pool or holds them itself. */
function connectionOwnerRules(settings: TreatmentSettings): Finding[] {
  const { pool } = settings;
  const { name, ownsConnections = false } = workloadOf(settings);
  const { isHeldByWorkload = false } = strategyOf(pool);
  if (isHeldByWorkload === ownsConnections) return [];
  const message = ownsConnections
    ? `workload ${name} opens its connections itself; use pool own and state their number as pool.size`
    : `workload ${name} leases its connections, and ${pool.strategy} lends none; use another strategy`;
  return [{ path: ["pool"], message }];
}

export function poolRules(settings: TreatmentSettings): Finding[] {
  const { pool } = settings;
  const problems = strategyOf(pool).settings.problems?.(pool, demandOf(settings)) ?? [];
  return [
    ...connectionOwnerRules(settings),
    ...problems.map(({ path, message }) => ({ path: parsePath(path) ?? [path], message })),
  ];
}
