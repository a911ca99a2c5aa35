// Inputs of every pool strategy. Clients (or a pool's connections) are numbered over the whole trial and assigned to
// endpoints by number, so that every worker thread finds its part without asking the others.
import type { Endpoint } from "../database/endpoint.js";
import { assignEndpointsByWeight, weightsOf } from "../database/spread.js";

export interface SourceOptions {
  /** Addresses that clients connect to, at least one: the database's endpoints or the poolers'. */
  readonly endpoints: readonly Endpoint[];
  /** Number of the endpoint of all clients of this worker; undefined if they are spread over the endpoints. */
  readonly homeEndpoint?: number | undefined;
  readonly clients: number;
  /** Number of this worker's first client among all clients of the trial. */
  readonly firstClient: number;
  readonly clientsOfTrial: number;
  readonly workers: number;
  readonly workerIndex: number;
  /** True if statements are prepared by name: the treatment asks for it, and the pooler supports it. */
  readonly prepared: boolean;
  readonly applicationName: string;
  /** The same as in `SessionOptions`. */
  readonly onTransaction?: (() => void) | undefined;
}

/** The endpoint number of each of this worker's `count` clients, the first of which has number `first` of `total`. */
export function homeEndpointsOf(
  { endpoints, homeEndpoint }: Pick<SourceOptions, "endpoints" | "homeEndpoint">,
  total: number,
  first: number,
  count: number,
): number[] {
  if (endpoints.length === 0) throw new RangeError("a pool strategy needs at least one endpoint");
  if (homeEndpoint !== undefined) return Array.from({ length: count }, () => homeEndpoint);
  return assignEndpointsByWeight(weightsOf(endpoints), total).slice(first, first + count);
}
