// `agent-partition`: agents are cut off from the database, as by a failed switch. Their connections and locks stay.
import { counted } from "../foundation/units.js";
import { agents, outgoingNetworkPlace, tooFewAgentsObstacle, type AgentFault } from "./agent.js";
import { defineFault, faultDuration } from "./fault.js";
import { sumOfEffects } from "./means/tcp-proxy.js";
import { serverCheckObstacle } from "./network.js";

export const agentPartition = defineFault({
  name: "agent-partition",
  description: "agents are cut off from the database",
  keys: { for: faultDuration, agents: agents.optional() },
  affectedPart: "network",
  resolve: ({ agents: count = 1 }): AgentFault => ({ agents: count }),
  networkPlace: (_, { pool }) => outgoingNetworkPlace(pool),
  obstacle: (fault, surroundings) =>
    tooFewAgentsObstacle("cuts off", fault, surroundings) ??
    (outgoingNetworkPlace(surroundings.pool) === "pooler" ? serverCheckObstacle(surroundings) : undefined),
  async inject(host, fault) {
    const chosenAgents = host.chooseAgents(fault.agents, host.prng);
    const effects = await Promise.all(
      chosenAgents.map(({ network }) => network.apply({ kind: "blackhole" })),
    );
    const { connections } = sumOfEffects(effects);
    const names = chosenAgents.map(({ words }) => words).join(", ");
    return {
      words: `cut ${names} off from ${chosenAgents[0]?.beyond}: ${counted(connections, "connection")} carried nothing`,
      async clear() {
        await Promise.all(chosenAgents.map(({ network }) => network.clear()));
      },
    };
  },
});
