// Each agent has its own network, before its clients or poolers, so that bytes take no way over the coordinator.
import type { Endpoint } from "../../database/endpoint.js";
import type { NetworkPlace } from "../../faults/fault.js";
import type { Network } from "../../faults/means/network.js";
import { sumOfEffects, type NetworkEffect } from "../../faults/means/tcp-proxy.js";
import { deriveSeed } from "../../foundation/prng.js";
import type { JoinedAgent } from "./joined-agent.js";
import { Effect, type NetworkRequest } from "./path-protocol.js";

type Controls = Pick<Network, "apply" | "clear" | "redirect">;

/** Applies a network condition on one agent, clears it again, and leads its connections to other servers. */
export function networkOf(agent: JoinedAgent, place: NetworkPlace): Controls {
  const ask = async (request: NetworkRequest): Promise<NetworkEffect> => {
    const answer = await agent.askUnlessKilled(request);
    return answer ? Effect.parse(answer.value) : sumOfEffects([]);
  };
  return {
    apply: (condition) => ask({ kind: "suffer", place, condition }),
    clear: () => ask({ kind: "mend", place }),
    redirect: (upstreams) => ask({ kind: "redirect", place, upstreams: [...upstreams] }),
  };
}

/**
 * Opens the network on all agents; clients or poolers launched next go through it. If an agent cannot open it, closes the
 * others and rejects.
 */
export async function openAgentNetwork(
  agents: readonly JoinedAgent[],
  place: NetworkPlace,
  upstreams: readonly Endpoint[],
  seed: number,
): Promise<Network> {
  const livingAgents = (): readonly JoinedAgent[] => agents.filter(({ lost }) => !lost);
  const close = async (): Promise<void> => {
    await Promise.allSettled(livingAgents().map((agent) => agent.ask({ kind: "close-network", place })));
  };
  const all = async (changeNetwork: (network: Controls) => Promise<NetworkEffect>): Promise<NetworkEffect> =>
    sumOfEffects(await Promise.all(livingAgents().map((agent) => changeNetwork(networkOf(agent, place)))));
  try {
    await Promise.all(
      agents.map((agent, index) =>
        agent.ask({
          kind: "open-network",
          place,
          upstreams: [...upstreams],
          seed: deriveSeed(seed, "agent", index),
        }),
      ),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return {
    endpoints: upstreams,
    apply: (condition) => all((network) => network.apply(condition)),
    clear: () => all((network) => network.clear()),
    redirect: (others) => all((network) => network.redirect(others)),
    lost: new Promise(() => undefined), // the agent ends with it
    close,
  };
}
