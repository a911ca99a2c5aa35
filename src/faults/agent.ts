// Choice of agents that the faults of agents share, and their refusal if a treatment has too few.
import * as z from "zod";
import { counted } from "../foundation/units.js";
import { arePoolersAtAgents, type PoolSettings } from "../pools/registry.js";
import type { FaultContext, NetworkPlace } from "./fault.js";

export const agents = z.int().min(1).max(1000).meta({
  description: "How many agents, drawn from the seed; at least one other must remain. Default 1.",
});

export interface AgentFault {
  readonly agents: number;
}

/**
 * Place of the network at which connections leave an agent: at its poolers if these run on its machine, else at its
 * clients.
 */
export function outgoingNetworkPlace(pool: PoolSettings): NetworkPlace {
  return arePoolersAtAgents(pool) ? "pooler" : "clients";
}

export function tooFewAgentsObstacle(
  verb: string,
  { agents: chosen }: AgentFault,
  { agents: all }: FaultContext,
): string | undefined {
  if (all === 0) return `${verb} agents, and there are none: see key agents`;
  return all <= chosen
    ? `${verb} ${counted(chosen, "agent")} of ${all}, and at least one must remain`
    : undefined;
}
