// Zeros are stored, too: a worker that stands still is a row of zeros.
import { addressOf, type Endpoint } from "../database/endpoint.js";
import type { WorkerTallies } from "../metrics/worker-tallies.js";
import { roleTraitsOf } from "../workloads/registry.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import type { WorkerResult } from "./worker-schema.js";

interface Worker {
  readonly role: string;
  readonly index: number;
  readonly clients: number;
  readonly homeEndpoint?: number;
}

/** Results by worker. `endpoints` are the clients' endpoints as results name them. */
export function workerResults(
  workers: readonly Worker[],
  tallies: WorkerTallies,
  endpoints: readonly Endpoint[],
  settings: TreatmentSettings,
): WorkerResult[] {
  const endpointOf = (home: number | undefined): { endpoint?: string } => {
    const endpoint = home === undefined ? undefined : endpoints[home];
    return endpoint ? { endpoint: addressOf(endpoint) } : {};
  };
  return workers.map(({ role, index, clients, homeEndpoint }, number) => ({
    worker: `${role}/${index}`,
    clients,
    ...endpointOf(homeEndpoint),
    operations: Object.fromEntries(
      roleTraitsOf(settings, role).operations.map((operation) => [
        operation,
        tallies.totalsOf(number).share(operation),
      ]),
    ),
  }));
}
