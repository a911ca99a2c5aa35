// `agent-kill`: SIGKILL to agents with all their clients, as if a machine of consumers died. The trial goes on without them.
import { agents, tooFewAgentsObstacle, type AgentFault } from "./agent.js";
import { defineFault } from "./fault.js";

export const agentKill = defineFault({
  name: "agent-kill",
  description: "agents are killed, with all their clients",
  keys: { agents: agents.optional() },
  affectedPart: "agent",
  resolve: ({ agents: count = 1 }): AgentFault => ({ agents: count }),
  obstacle: (fault, surroundings) => tooFewAgentsObstacle("kills", fault, surroundings),
  async inject(host, fault) {
    const chosenAgents = host.chooseAgents(fault.agents, host.prng);
    await Promise.all(chosenAgents.map((agent) => agent.kill()));
    return {
      words: `killed ${chosenAgents.map(({ words }) => words).join(", ")}`,
      clear: () => Promise.resolve(),
    };
  },
});
