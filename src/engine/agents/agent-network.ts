// The network of a trial whose clients run on agents: each agent has its own, between its clients and what they connect to,
// so that it costs no way over the coordinator and works on every machine. All are made bad and mended together, or one.
import * as z from "zod";
import type { Endpoint } from "../../database/endpoint/endpoint.js";
import type { Network } from "../../faults/means/network.js";
import { sumOfEffects, type NetworkEffect } from "../../faults/means/tcp-proxy.js";
import { deriveSeed } from "../../foundation/prng.js";
import type { Request } from "./agent-protocol.js";
import type { JoinedAgent } from "./joined-agent.js";

const Count = z.int().nonnegative();
const Effect = z.object({
  ...{ connections: Count, resets: Count, commitsLost: Count, answersLost: Count },
}) satisfies z.ZodType<NetworkEffect>;

/** That of one agent's clients. An agent that a fault has killed meanwhile takes its network with it. */
export function networkOf(agent: JoinedAgent): Pick<Network, "suffer" | "mend"> {
  const ask = async (request: Request): Promise<NetworkEffect> => {
    try {
      return Effect.parse(await agent.ask(request));
    } catch (error) {
      if (agent.isToBeKilled) return sumOfEffects([]);
      throw error;
    }
  };
  return { suffer: (condition) => ask({ kind: "suffer", condition }), mend: () => ask({ kind: "mend" }) };
}

/** Clients go through it from the next launch on. Rejects when an agent cannot have it, having closed the others. */
export async function openAgentNetwork(
  agents: readonly JoinedAgent[],
  upstreams: readonly Endpoint[],
  seed: number,
): Promise<Network> {
  const living = (): readonly JoinedAgent[] => agents.filter(({ lost }) => !lost);
  const close = async (): Promise<void> => {
    await Promise.allSettled(living().map((agent) => agent.ask({ kind: "close-network" })));
  };
  const all = async (
    act: (network: Pick<Network, "suffer" | "mend">) => Promise<NetworkEffect>,
  ): Promise<NetworkEffect> =>
    sumOfEffects(await Promise.all(living().map((agent) => act(networkOf(agent)))));
  try {
    await Promise.all(
      agents.map((agent, index) =>
        agent.ask({
          kind: "open-network",
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
    suffer: (condition) => all((network) => network.suffer(condition)),
    mend: () => all((network) => network.mend()),
    lost: new Promise(() => undefined), // the agent ends with it
    close,
  };
}
