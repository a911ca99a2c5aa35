import { counted } from "../foundation/units.js";
import { countsByWeight } from "../database/spread.js";
import type { PoolerSettings, PoolMode, Reconnect } from "./keys.js";
import type { PoolDemand, PoolProblem } from "./strategy.js";

/** The number of clients at the busiest pooler, and words that describe it. */
export function busiestPoolerClients(
  product: string,
  {
    clients,
    clientCountByPoolerGroup,
    weights,
  }: Pick<PoolDemand, "clients" | "clientCountByPoolerGroup" | "weights">,
): { readonly most: number; readonly words: string } {
  const most = Math.max(...clientCountByPoolerGroup.flatMap((lot) => countsByWeight(weights, lot)));
  const all = counted(clients, "client");
  return { most, words: most === clients ? all : `${most} of the ${all} at one ${product}` };
}

/** Refuses poolers on the agents' machines if there are no agents. */
export function placementProblems(
  product: string,
  { placement }: Pick<PoolerSettings, "placement">,
  { agents }: Pick<PoolDemand, "agents">,
): PoolProblem[] {
  if (placement !== "agent" || agents > 0) return [];
  const message = `agent starts a ${product} with each agent, and there are no agents; set agents, or use placement: central`;
  return [{ path: "pool.placement", message }];
}

/**
 * Refuses more clients than server connections in session mode. A client keeps its server connection until it disconnects,
 * which our clients do only with `reconnect`; others would wait for the whole trial.
 */
export function sessionModeProblems(
  product: string,
  {
    mode,
    reconnect,
    size,
  }: { readonly mode: PoolMode; readonly reconnect: Reconnect; readonly size: number },
  demand: PoolDemand,
): PoolProblem[] {
  const { most, words } = busiestPoolerClients(product, demand);
  if (mode !== "session" || reconnect === "per-transaction" || size >= most) return [];
  const message =
    `session mode gives every connected client its own server connection: ${words} need a size of ` +
    `at least ${most}, not ${size}; raise pool.size, lower the clients, or use mode: transaction or reconnect: per-transaction`;
  return [{ path: "pool.size", message }];
}
