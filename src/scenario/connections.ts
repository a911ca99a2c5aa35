// Connections of a treatment at each server, used by the rules when a scenario is loaded and by the engine. Pure.
import { totalClients, totalWorkers, type TreatmentSettings } from "./settings.js";
import { assignEndpointsByWeight, countsByWeight, weightsOf } from "../database/spread.js";
import { poolerCountsByServer } from "../pools/keys.js";
import { arePoolersAtAgents, hasPooler, isManaged, strategyOf } from "../pools/registry.js";
import { distributeWorkers, rolesOfWorkers } from "../clients/deal.js";
import { shareOf } from "../foundation/share.js";

/** Number of connections of train-sim besides the load: control work, sampling, and closing connections that linger. */
export const NON_LOAD_CONNECTIONS = 8;

type ConnectionContext = Pick<TreatmentSettings, "target" | "pool">;
type LoadContext = ConnectionContext & Pick<TreatmentSettings, "actors" | "endpointPer">;

function weightsOfServers({ target }: Pick<TreatmentSettings, "target">): number[] {
  return target.kind === "url" ? weightsOf(target.urls) : [1];
}

/** Weights by which connections reach the servers, directly or through the poolers that train-sim starts. */
function serverWeightsOf(settings: LoadContext): number[] {
  const weights = weightsOfServers(settings);
  if (!settings.endpointPer || (hasPooler(settings.pool) && !isManaged(settings.pool))) return weights;
  const endpointWeights = clientWeightsOf(settings);
  const counts = isManaged(settings.pool) ? managedPoolersOf(settings) : weights.map(() => 1);
  return counts.map((count) => endpointWeights.splice(0, count).reduce((sum, weight) => sum + weight, 0));
}

function clientCountByWorker({ actors }: Pick<TreatmentSettings, "actors">): number[] {
  return Object.values(actors).flatMap(({ workers, load }) =>
    Array.from({ length: workers }, (_, worker) => shareOf(load.clients, workers, worker)),
  );
}

export function clientCountByAgent({
  actors,
  agents,
  agentPlace,
}: Pick<TreatmentSettings, "actors" | "agents" | "agentPlace">): number[] {
  const clients = clientCountByWorker({ actors });
  return distributeWorkers(rolesOfWorkers(actors), agents, agentPlace).map((own) =>
    own.reduce((sum, worker) => sum + (clients[worker] ?? 0), 0),
  );
}

export interface LoadProcess {
  readonly clients: number;
  readonly workers: number;
  /** Number of clients of the poolers that train-sim starts on the same machine; 0 if it starts none there. */
  readonly pooled: number;
}

export function loadOfThisProcess(settings: TreatmentSettings): LoadProcess {
  const clients = totalClients(settings);
  const workers = rolesOfWorkers(settings.actors).length;
  const isPoolerHere = isManaged(settings.pool) && !arePoolersAtAgents(settings.pool);
  const pooled = isPoolerHere ? clients : 0;
  return settings.agents === 0 ? { clients, workers, pooled } : { clients: 0, workers: 0, pooled };
}

export function loadOfAgents(settings: TreatmentSettings): LoadProcess[] {
  const { actors, agents, agentPlace, pool } = settings;
  const dealt = distributeWorkers(rolesOfWorkers(actors), agents, agentPlace);
  return clientCountByAgent(settings).map((clients, i) => {
    const pooled = arePoolersAtAgents(pool) ? clients : 0;
    return { clients, workers: dealt[i]?.length ?? 0, pooled };
  });
}

/**
 * The number of clients of each group that shares poolers: the clients of an agent, if agents have separate poolers, else
 * all clients.
 */
export function clientCountByPoolerGroup(settings: TreatmentSettings): number[] {
  return arePoolersAtAgents(settings.pool) && settings.agents > 0
    ? clientCountByAgent(settings)
    : [totalClients(settings)];
}

/**
 * Numbers of poolers that train-sim starts for each server, and which a process's clients share; empty if it starts none.
 */
export function managedPoolersOf({ target, pool }: ConnectionContext): number[] {
  if (!isManaged(pool)) return [];
  return poolerCountsByServer(weightsOfServers({ target }).length, pool.instances);
}

/** Number of each worker's endpoint; undefined if clients are spread over the endpoints one by one. */
export function workerEndpointsOf(settings: LoadContext): number[] | undefined {
  if (!settings.endpointPer) return undefined;
  return assignEndpointsByWeight(statedWeightsOf(settings), totalWorkers(settings));
}

/** Weights by which connections reach the endpoints of the clients. If workers have endpoints, workers' connections count. */
export function clientWeightsOf(settings: LoadContext): number[] {
  const weights = statedWeightsOf(settings);
  const homes = workerEndpointsOf(settings);
  if (!homes) return weights;
  const shared = strategyOf(settings.pool).shared?.(settings.pool);
  const connections = clientCountByWorker(settings).map((clients, worker) =>
    shared === undefined ? clients : shareOf(shared, homes.length, worker),
  );
  return weights.map((_, endpoint) =>
    connections.reduce((sum, count, worker) => (homes[worker] === endpoint ? sum + count : sum), 0),
  );
}

/** Weights that the scenario states for servers, the user's poolers, or train-sim's, which share their server's. */
function statedWeightsOf({ target, pool }: ConnectionContext): number[] {
  const servers = weightsOfServers({ target });
  if (!hasPooler(pool)) return servers;
  if (pool.urls.length > 0) return weightsOf(pool.urls);
  return managedPoolersOf({ target, pool }).flatMap((count, index) =>
    Array.from({ length: count }, () => (servers[index] ?? 1) / count),
  );
}

/** Number of connections that one process opens for its clients. */
export function clientConnectionsOf({ pool }: Pick<TreatmentSettings, "pool">, clients: number): number {
  const strategy = strategyOf(pool);
  const size = strategy.shared?.(pool) ?? clients;
  return strategy.isHeldByWorkload ? size : Math.min(size, clients);
}

/**
 * Server connections, by server, of the poolers that train-sim starts for a lot of clients. Each pooler is before one
 * server, and opens its whole pool if enough clients ask.
 */
export function poolerConnectionsOf(settings: TreatmentSettings, lot: number): number[] {
  const poolers = managedPoolersOf(settings);
  return countsByWeight(serverWeightsOf(settings), lot).map((own, index) =>
    hasPooler(settings.pool) ? Math.min(settings.pool.size * (poolers[index] ?? 1), own) : 0,
  );
}

/** Maximum number of connections that the load has open at the same time, by server. */
export function connectionsByServer(settings: TreatmentSettings): number[] {
  const { pool } = settings;
  const clients = totalClients(settings);
  const weights = serverWeightsOf(settings);
  if (!hasPooler(pool)) return countsByWeight(weights, clientConnectionsOf(settings, clients));
  if (pool.urls.length > 0) return countsByWeight(weights, Math.min(pool.size * pool.urls.length, clients));
  const connectionsByAgent = clientCountByPoolerGroup(settings).map((lot) =>
    poolerConnectionsOf(settings, lot),
  );
  return weights.map((_, index) => connectionsByAgent.reduce((sum, each) => sum + (each[index] ?? 0), 0));
}

/** Maximum number of connections that the load has open at the same time to the server with the most connections. */
export function busiestServerConnections(settings: TreatmentSettings): number {
  return Math.max(...connectionsByServer(settings));
}
