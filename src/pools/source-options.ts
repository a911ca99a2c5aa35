// Inputs of every pool strategy. Endpoints are spread over the numbers that clients (or a pool's connections) have in the whole
// trial, so that every worker thread finds its part by itself.
import type { Endpoint } from "../database/endpoint.js";
import { homesByWeight, weightsOf } from "../database/spread.js";

export interface SourceOptions {
  /** Addresses for clients, at least one: the database's endpoints, or the poolers'. */
  readonly endpoints: readonly Endpoint[];
  /** Clients of this worker thread. */
  readonly clients: number;
  /** Number of this worker's first client among all clients of the trial. */
  readonly firstClient: number;
  readonly clientsOfTrial: number;
  /** Worker threads of the whole trial. */
  readonly workers: number;
  /** Number of this worker among them. */
  readonly workerIndex: number;
  /** Whether statements are prepared by name: asked for, and possible through the pooler. */
  readonly prepared: boolean;
  readonly applicationName: string;
  /** See `SessionOptions`. */
  readonly onTransaction?: (() => void) | undefined;
}

/** The endpoints, by number, of `count` things of this worker, whose first has number `first` of `total` in the trial. */
export function homesOf(
  endpoints: readonly Endpoint[],
  total: number,
  first: number,
  count: number,
): number[] {
  if (endpoints.length === 0) throw new RangeError("a pool strategy needs at least one endpoint");
  return homesByWeight(weightsOf(endpoints), total).slice(first, first + count);
}
