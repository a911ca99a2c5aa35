// The poolers and networks between the clients of one agent and the server, opened one before the other from the server on.
import type { Endpoint } from "../../database/endpoint.js";
import type { NetworkPlace } from "../../faults/fault.js";
import { TargetError } from "../../foundation/errors.js";
import { openNetwork, type Network } from "../../faults/means/network.js";
import { poolerKindOf } from "../../pools/registry.js";
import { LOCAL_WORKER_PLACE } from "../workers/worker-thread.js";
import { LocalPoolers } from "./own-poolers.js";
import type { NetworkRequest, PathRequest } from "./path-protocol.js";

export class AgentPath {
  private readonly networks = new Map<NetworkPlace, Network>();
  private poolers: LocalPoolers | undefined;

  constructor(private readonly fail: (error: TargetError) => void) {}

  nearestEndpoints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
    const { networks, poolers } = this;
    const nearest = networks.get("clients") ?? poolers ?? networks.get("pooler");
    return nearest?.endpoints ?? endpoints;
  }

  async answer(request: PathRequest): Promise<unknown> {
    switch (request.kind) {
      case "open-network":
        return this.openNetwork(request);
      case "suffer":
        return this.networks.get(request.place)?.apply(request.condition);
      case "mend":
        return this.networks.get(request.place)?.clear();
      case "redirect":
        return this.networks.get(request.place)?.redirect(request.upstreams);
      case "close-network": {
        const network = this.networks.get(request.place);
        this.networks.delete(request.place);
        return network?.close();
      }
      case "find-pooler":
        return (await poolerKindOf(request.pool).find()).version;
      case "open-poolers": {
        const { pool, upstreams, ...admitted } = request;
        const ownPoolers = new LocalPoolers(
          await LOCAL_WORKER_PLACE.openPoolers(pool, admitted, this.nearestEndpoints(upstreams)),
        );
        this.poolers = ownPoolers;
        return ownPoolers.openedPoolers;
      }
      case "ask-poolers":
        return this.poolers?.answer(request.request);
      case "close-poolers": {
        const { poolers } = this;
        this.poolers = undefined;
        return poolers?.close();
      }
    }
  }

  /** Closes everything that was opened on the path. Never rejects. */
  async close(): Promise<void> {
    await this.poolers?.close();
    await Promise.all(Array.from(this.networks.values(), (network) => network.close()));
  }

  private async openNetwork({
    place,
    upstreams,
    seed,
  }: Extract<NetworkRequest, { kind: "open-network" }>): Promise<void> {
    const network = await openNetwork(this.nearestEndpoints(upstreams), seed);
    void network.lost.then((words) =>
      this.fail(new TargetError(`the proxy of the network failed: ${words}`)),
    );
    this.networks.set(place, network);
  }
}
