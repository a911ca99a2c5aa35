// Zeros are stored, too: a worker that stands still is a row of zeros.
import type { WorkerTallies } from "../metrics/worker-tallies.js";
import { roleTraitsOf } from "../workloads/registry.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import type { WorkerResult } from "./worker-schema.js";

interface Worker {
  readonly role: string;
  readonly index: number;
  readonly clients: number;
}

export function workerResults(
  workers: readonly Worker[],
  tallies: WorkerTallies,
  settings: TreatmentSettings,
): WorkerResult[] {
  return workers.map(({ role, index, clients }, number) => ({
    worker: `${role}/${index}`,
    clients,
    operations: Object.fromEntries(
      roleTraitsOf(settings, role).operations.map((operation) => [
        operation,
        tallies.totalsOf(number).share(operation),
      ]),
    ),
  }));
}
