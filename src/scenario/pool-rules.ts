import { parsePath } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { counted } from "../foundation/units.js";
import { arePoolersAtAgents, hasPooler, strategyOf } from "../pools/registry.js";
import type { PoolDemand } from "../pools/strategy.js";
import { workloadOf } from "../workloads/registry.js";
import { clientWeightsOf, clientCountByPoolerGroup, workerEndpointsOf } from "./connections.js";
import { totalClients, type TreatmentSettings } from "./settings.js";

function demandOf(settings: TreatmentSettings): PoolDemand {
  const { actors, agents } = settings;
  return {
    clients: totalClients(settings),
    clientCountByPoolerGroup: clientCountByPoolerGroup(settings),
    agents,
    workers: Object.values(actors).reduce((sum, role) => sum + role.workers, 0),
    weights: clientWeightsOf(settings),
    isOverTls: "tls" in settings.target,
  };
}

/** Refuses pools that do not match the workload, which either leases its connections from a pool or holds them itself. */
function connectionOwnerRules(settings: TreatmentSettings): Finding[] {
  const { pool } = settings;
  const { name, ownsConnections = false } = workloadOf(settings);
  const { isHeldByWorkload = false } = strategyOf(pool);
  // Connections of the workload may lead to a pooler.
  if (isHeldByWorkload === ownsConnections || (ownsConnections && hasPooler(pool))) return [];
  const message = ownsConnections
    ? `workload ${name} opens its connections itself; use pool own and state their number as pool.size`
    : `workload ${name} leases its connections, and ${pool.strategy} lends none; use another strategy`;
  return [{ path: ["pool"], message }];
}

function workerEndpointRules(settings: TreatmentSettings): Finding[] {
  const homes = workerEndpointsOf(settings);
  if (!homes) return [];
  const refuse = (message: string): Finding[] => [{ path: ["endpointPer"], message }];
  if (arePoolersAtAgents(settings.pool))
    return refuse("worker is not possible with pool.placement: agent; remove one of the two");
  if (strategyOf(settings.pool).isHeldByWorkload)
    return refuse("worker has no effect on connections that the workload opens itself; remove it");
  const endpoints = clientWeightsOf(settings).length;
  if (endpoints === 1)
    return refuse(
      "worker has no effect on one endpoint; name more in target.urls, pool.urls or pool.instances",
    );
  const unused = endpoints - new Set(homes).size;
  if (unused === 0) return [];
  const workers = counted(homes.length, "worker thread");
  return refuse(
    `worker leaves ${counted(unused, "endpoint")} without clients: there are ${workers} for ${endpoints} endpoints; ` +
      `give a role more workers, such as actors.${Object.keys(settings.actors)[0]}.workers`,
  );
}

export function poolRules(settings: TreatmentSettings): Finding[] {
  const { pool } = settings;
  const problems = strategyOf(pool).settings.problems?.(pool, demandOf(settings)) ?? [];
  return [
    ...connectionOwnerRules(settings),
    ...workerEndpointRules(settings),
    ...problems.map(({ path, message }) => ({ path: parsePath(path) ?? [path], message })),
  ];
}
