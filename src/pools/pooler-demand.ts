import { counted } from "../foundation/units.js";
import { countsByWeight } from "../database/spread.js";
import type { PoolerSettings } from "./keys.js";
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
