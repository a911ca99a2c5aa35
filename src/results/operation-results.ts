import type { Operation } from "../metrics/operations.js";
import { roleTraitsOf, workloadOf } from "../workloads/registry.js";
import type { WindowSummary } from "../metrics/totals.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import { isOpenLoop, type LoadSettings } from "../load/load-settings.js";
import { lossesOf } from "./losses.js";
import type { Integrity, OperationResults } from "./result-schema.js";
import type { RoleSettings } from "../clients/settings.js";

/** The operations that a schedule starts in a treatment: only these have offered and dropped arrivals. */
export function arrivalOperations(settings: TreatmentSettings): Operation[] {
  const scheduled = rolesOf(settings).filter(([, { load }]) => isOpenLoop(load));
  return scheduled.flatMap(([role]) => roleTraitsOf(settings, role).arrivals);
}

/** Operations that a Poisson process starts, so that the number of arrivals in a window is random. */
export function randomArrivals(settings: TreatmentSettings): Operation[] {
  const poissonRoles = rolesOf(settings).filter(
    ([, { load }]) => "distribution" in load && load.distribution === "poisson",
  );
  return poissonRoles.flatMap(([role]) => roleTraitsOf(settings, role).arrivals);
}

function rolesOf(settings: TreatmentSettings): [string, RoleSettings][] {
  return Object.entries<RoleSettings>(settings.actors);
}

/** The load of the role that performs an operation; undefined if no role does. */
export function loadOf(operation: Operation, settings: TreatmentSettings): LoadSettings | undefined {
  return rolesOf(settings).find(([role]) => roleTraitsOf(settings, role).operations.includes(operation))?.[1]
    .load;
}

export function operationsOf(settings: TreatmentSettings): Operation[] {
  const performedOperations = new Set(
    rolesOf(settings).flatMap(([role]) => roleTraitsOf(settings, role).operations),
  );
  return Object.keys(workloadOf(settings).operations).filter((operation) =>
    performedOperations.has(operation),
  );
}

/** The `operations` of a trial or of a treatment's merged trials: what was measured, and the number of clients. */
export function operationResults(summary: WindowSummary, settings: TreatmentSettings): OperationResults {
  const results: OperationResults = {};
  const scheduled = arrivalOperations(settings);
  const { operations, roles } = workloadOf(settings);
  for (const operation of Object.keys(operations)) {
    const operationSummary = summary.operations[operation];
    if (!operationSummary) continue;
    const performingRoles = rolesOf(settings).filter(([role]) => roles[role]?.operations.includes(operation));
    const { offered, dropped, unfinished, parts, ...rest } = operationSummary;
    results[operation] = {
      ...rest,
      ...(parts && { parts: parts.map((part) => ({ ...part })) }),
      ...(scheduled.includes(operation) && { offered, dropped, unfinished }),
      retriesBySqlstate: { ...operationSummary.retriesBySqlstate },
      failures: { ...operationSummary.failures },
      clients: performingRoles.reduce((sum, [, role]) => sum + role.load.clients, 0),
      threads: performingRoles.reduce((sum, [, role]) => sum + role.workers, 0),
    };
  }
  return results;
}

/** Adds the number of lost transactions to the operations, if the scenario allows losses and so counts them. */
export function addLossCounts(
  results: OperationResults,
  audits: readonly (Integrity | null)[],
  settings: TreatmentSettings,
): OperationResults {
  if (!settings.integrity.allow.includes("lost") || audits.includes(null)) return results;
  const losses = lossesOf(audits);
  const { operations } = workloadOf(settings);
  const operationEntries = Object.entries(results).map(([operation, result]) => {
    const { lost = 0 } = losses.find((each) => each.operation === operation) ?? {};
    return [operation, operations[operation]?.flow ? { ...result, lost } : result];
  });
  return Object.fromEntries(operationEntries) as OperationResults;
}
