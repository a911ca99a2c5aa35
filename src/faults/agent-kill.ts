// `agent-kill`: SIGKILL to agents with all their clients, as if a machine of consumers died. The trial goes on without them.
import { agents, tooFewAgents, type AgentFault } from "./agent.js";
import { defineFault } from "./fault.js";

export const agentKill = defineFault({
  name: "agent-kill",
  description: "agents are killed, with all their clients",
  keys: { agents: agents.optional() },
  affectedPart: "agent",
  resolve: ({ agents: count = 1 }): AgentFault => ({ agents: count }),
  obstacle: (fault, surroundings) => tooFewAgents("kills", fault, surroundings),
  async inject(host, fault) {
    const chosen = host.chooseAgents(fault.agents, host.prng);
    await Promise.all(chosen.map((agent) => agent.kill()));
    return {
      words: `killed ${chosen.map(({ words }) => words).join(", ")}`,
      clear: () => Promise.resolve(),
    };
  },
});
