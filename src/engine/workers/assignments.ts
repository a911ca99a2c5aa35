import type { Assignment } from "./protocol.js";
import type { Endpoint } from "../../database/endpoint.js";
import {
  totalClients,
  totalWorkers,
  type PlannedTrial,
  type TreatmentSettings,
} from "../../scenario/settings.js";
import { workerEndpointsOf } from "../../scenario/connections.js";
import { executorOf } from "../../load/executors/registry.js";
import { shareOf } from "../../foundation/share.js";
import type { RoleSettings } from "../../clients/settings.js";
import { workloadOf } from "../../workloads/registry.js";

export interface AssignmentInputs {
  readonly trial: PlannedTrial;
  readonly settings: TreatmentSettings;
  readonly endpoints: readonly Endpoint[];
  readonly prepared: boolean;
  readonly logFile: string;
  readonly directory: string;
}

/** The roles of a treatment in a fixed order. */
export function rolesOf(settings: TreatmentSettings): [string, RoleSettings][] {
  return Object.keys(workloadOf(settings).roles).flatMap((role) => {
    const roleSettings = settings.actors[role];
    return roleSettings ? [[role, roleSettings] as [string, RoleSettings]] : [];
  });
}

export function assignmentsOf(inputs: AssignmentInputs): Assignment[] {
  const { trial, settings } = inputs;
  const roles = rolesOf(settings);
  const clientsOfTrial = totalClients(settings);
  const workersOfTrial = totalWorkers(settings);
  const homes = workerEndpointsOf(settings);
  const assignments: Assignment[] = [];
  let clientsBefore = 0;
  for (const [role, { workers, load }] of roles) {
    let firstClient = 0;
    for (let index = 0; index < workers; index++) {
      const clients = shareOf(load.clients, workers, index);
      assignments.push({
        role,
        ordinal: assignments.length,
        index,
        workers,
        clients,
        firstClient,
        roleClients: load.clients,
        firstClientOfTrial: clientsBefore + firstClient,
        clientsOfTrial,
        workersOfTrial,
        trial: { number: trial.number, treatmentId: trial.treatmentId, seed: trial.seed },
        settings,
        endpoints: [...inputs.endpoints],
        ...(homes && { homeEndpoint: homes[assignments.length] ?? 0 }),
        prepared: inputs.prepared,
        logFile: inputs.logFile,
        directory: inputs.directory,
      });
      firstClient += clients;
    }
    clientsBefore += load.clients;
  }
  return assignments;
}

/** The same workers with endpoints that only they use: their clients are spread over these endpoints alone. */
export function renumberClients(workers: readonly Assignment[]): Assignment[] {
  const clientsOfTrial = workers.reduce((sum, { clients }) => sum + clients, 0);
  let before = 0;
  return workers.map((worker) => {
    const firstClientOfTrial = before;
    before += worker.clients;
    return { ...worker, firstClientOfTrial, clientsOfTrial };
  });
}

/**
 * Ordinals of the workers that stop between warm-up and window, because their budget, schedule or ramp counts from the
 * window's start.
 */
export function workersToRestart(assignments: readonly Assignment[]): number[] {
  return assignments
    .filter(({ settings, role }) => {
      const load = settings.actors[role]?.load;
      return load === undefined || !executorOf(load).continuesIntoWindow;
    })
    .map(({ ordinal }) => ordinal);
}
