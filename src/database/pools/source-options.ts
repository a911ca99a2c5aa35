// What every pool strategy is given, and how it picks an endpoint: the agreement between the registry and the
// strategies. Endpoints are spread by the client's number in the whole trial, so that the spread is even over
// worker threads too.
import type { Endpoint } from "../../scenario/endpoint.js";
import type { PoolSettings } from "../../scenario/settings.js";

export interface SourceOptions {
  readonly pool: PoolSettings;
  /** Where clients connect: the database's endpoints, or the poolers'. At least one. */
  readonly endpoints: readonly Endpoint[];
  /** Clients of this worker thread. */
  readonly clients: number;
  /** Number of this worker's first client among all clients of the trial. */
  readonly firstClient: number;
  /** Worker threads of the whole trial. */
  readonly workers: number;
  /** Number of this worker among them. */
  readonly workerIndex: number;
  /** Whether statements are prepared by name: asked for, and possible through the pooler. */
  readonly prepared: boolean;
  readonly applicationName: string;
}

/** The endpoint of the thing (client, connection) with that number in the whole trial. */
export function endpointOf(endpoints: readonly Endpoint[], number: number): Endpoint {
  const endpoint = endpoints[number % endpoints.length];
  if (!endpoint) throw new RangeError("a pool strategy needs at least one endpoint");
  return endpoint;
}
