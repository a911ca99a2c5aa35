// `agent-kill`: SIGKILL to agents, with all the clients that they run: what happens when a machine of consumers dies. The
// trial goes on with the load of the others; another agent takes the place before the next trial begins.
import * as z from "zod";
import { counted } from "../foundation/units.js";
import { defineFault } from "./fault.js";

interface AgentKill {
  /** How many die, at once. */
  readonly agents: number;
}

export const agentKill = defineFault({
  name: "agent-kill",
  description: "agents are killed, with all their clients",
  keys: {
    agents: z.int().min(1).max(1000).optional().meta({
      description:
        "How many agents are killed at once, drawn from the seed; at least one must remain. Default 1.",
    }),
  },
  ground: "agent",
  resolve: ({ agents = 1 }): AgentKill => ({ agents }),
  obstacle({ agents }, { agents: all }) {
    if (all === 0) return "kills agents, and there are none: see key agents";
    return all <= agents
      ? `kills ${counted(agents, "agent")} of ${all}, and at least one must remain`
      : undefined;
  },
  async inject(host, { agents }) {
    const killed = await host.killAgents(agents, host.prng);
    return { words: `killed ${killed}`, clear: () => Promise.resolve() };
  },
});
