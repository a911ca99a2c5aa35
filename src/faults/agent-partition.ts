// `agent-partition`: agents are cut off from the database, as a machine is whose switch fails. Their connections stay open and
// carry nothing, so what they hold locked stays locked; their transactions go on, or fail, once the network is back. The
// coordinator still hears the agents, and the others work on.
import { counted } from "../foundation/units.js";
import { agents, tooFewAgents, type OfAgents } from "./agent.js";
import { defineFault, lasting, type NetworkPlace } from "./fault.js";
import { sumOfEffects } from "./means/tcp-proxy.js";

interface AgentPartition extends OfAgents {
  /** It needs the proxies of the clients. */
  readonly between: NetworkPlace;
}

export const agentPartition = defineFault({
  name: "agent-partition",
  description: "agents are cut off from the database",
  keys: { for: lasting, agents: agents.optional() },
  ground: "network",
  resolve: ({ agents: count = 1 }): AgentPartition => ({ agents: count, between: "clients" }),
  obstacle: (fault, surroundings) => tooFewAgents("cuts off", fault, surroundings),
  async inject(host, fault) {
    const chosen = host.chooseAgents(fault.agents, host.prng);
    const effects = await Promise.all(chosen.map(({ network }) => network.suffer({ kind: "blackhole" })));
    const { connections } = sumOfEffects(effects);
    const from = host.pooler?.product ?? "the server";
    const names = chosen.map(({ words }) => words).join(", ");
    return {
      words: `cut ${names} off from ${from}: ${counted(connections, "connection")} carried nothing`,
      async clear() {
        await Promise.all(chosen.map(({ network }) => network.mend()));
      },
    };
  },
});
