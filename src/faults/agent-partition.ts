// `agent-partition`: agents are cut off from the database, as by a failed switch. Their connections and locks stay.
import { counted } from "../foundation/units.js";
import { agents, edgeOfAgents, tooFewAgents, type AgentFault } from "./agent.js";
import { defineFault, faultDuration } from "./fault.js";
import { sumOfEffects } from "./means/tcp-proxy.js";
import { uncheckedServer } from "./network.js";

export const agentPartition = defineFault({
  name: "agent-partition",
  description: "agents are cut off from the database",
  keys: { for: faultDuration, agents: agents.optional() },
  affectedPart: "network",
  resolve: ({ agents: count = 1 }): AgentFault => ({ agents: count }),
  networkPlace: (_, pool) => edgeOfAgents(pool),
  obstacle: (fault, surroundings) =>
    tooFewAgents("cuts off", fault, surroundings) ??
    (edgeOfAgents(surroundings.pool) === "pooler" ? uncheckedServer(surroundings) : undefined),
  async inject(host, fault) {
    const chosen = host.chooseAgents(fault.agents, host.prng);
    const effects = await Promise.all(chosen.map(({ network }) => network.apply({ kind: "blackhole" })));
    const { connections } = sumOfEffects(effects);
    const names = chosen.map(({ words }) => words).join(", ");
    return {
      words: `cut ${names} off from ${chosen[0]?.beyond}: ${counted(connections, "connection")} carried nothing`,
      async clear() {
        await Promise.all(chosen.map(({ network }) => network.clear()));
      },
    };
  },
});
