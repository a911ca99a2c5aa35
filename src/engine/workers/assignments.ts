import type { Assignment } from "./protocol.js";
import type { Endpoint } from "../../database/endpoint.js";
import {
  totalClients,
  totalWorkers,
  type PlannedTrial,
  type TreatmentSettings,
} from "../../scenario/settings.js";
import { executorOf } from "../../load/executors/registry.js";
import { shareOf } from "../../foundation/share.js";
import type { ActorGroup } from "../../clients/settings.js";
import { workloadOf } from "../../workloads/registry.js";

export interface AssignmentInputs {
  readonly trial: PlannedTrial;
  readonly settings: TreatmentSettings;
  readonly endpoints: readonly Endpoint[];
  readonly prepared: boolean;
  readonly logFile: string;
  readonly directory: string;
}

/** The groups of a treatment in a fixed order. */
export function groupsOf(settings: TreatmentSettings): [string, ActorGroup][] {
  return Object.keys(workloadOf(settings).roles).flatMap((role) => {
    const group = settings.actors[role];
    return group ? [[role, group] as [string, ActorGroup]] : [];
  });
}

export function assignmentsOf(inputs: AssignmentInputs): Assignment[] {
  const { trial, settings } = inputs;
  const groups = groupsOf(settings);
  const clientsOfTrial = totalClients(settings);
  const workersOfTrial = totalWorkers(settings);
  const assignments: Assignment[] = [];
  let clientsBefore = 0;
  for (const [role, group] of groups) {
    let firstClient = 0;
    for (let index = 0; index < group.workers; index++) {
      const clients = shareOf(group.load.clients, group.workers, index);
      assignments.push({
        role,
        ordinal: assignments.length,
        index,
        workers: group.workers,
        clients,
        firstClient,
        groupClients: group.load.clients,
        firstClientOfTrial: clientsBefore + firstClient,
        clientsOfTrial,
        workersOfTrial,
        trial: { number: trial.number, treatmentId: trial.treatmentId, seed: trial.seed },
        settings,
        endpoints: [...inputs.endpoints],
        prepared: inputs.prepared,
        logFile: inputs.logFile,
        directory: inputs.directory,
      });
      firstClient += clients;
    }
    clientsBefore += group.load.clients;
  }
  return assignments;
}

/** The same workers with endpoints that no others have: their clients are spread over these as if they were all. */
export function amongThemselves(workers: readonly Assignment[]): Assignment[] {
  const clientsOfTrial = workers.reduce((sum, { clients }) => sum + clients, 0);
  let before = 0;
  return workers.map((worker) => {
    const firstClientOfTrial = before;
    before += worker.clients;
    return { ...worker, firstClientOfTrial, clientsOfTrial };
  });
}

/**
 * The workers (by ordinal) that stop between warm-up and window, for what they do in it is counted from its start: a
 * budget, a schedule of arrivals, a ramp.
 */
export function workersThatStartAnew(assignments: readonly Assignment[]): number[] {
  return assignments
    .filter(({ settings, role }) => {
      const load = settings.actors[role]?.load;
      return load === undefined || !executorOf(load).goesOn;
    })
    .map(({ ordinal }) => ordinal);
}
