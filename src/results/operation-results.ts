// From what was measured and what was run to what the result document says of each operation.
import type { Operation } from "../metrics/operations.js";
import { OPERATIONS, roleTraitsOf } from "../workloads/registry.js";
import type { WindowSummary } from "../metrics/totals.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import { isOpenLoop, type LoadSettings } from "../load/load-settings.js";
import type { OperationResults } from "./result-schema.js";
import type { ActorGroup } from "../actors/settings.js";

/** The operations that a treatment starts by a schedule, and so those that have offered and dropped arrivals. */
export function arrivalOperations(settings: Pick<TreatmentSettings, "actors">): Operation[] {
  const scheduled = groupsOf(settings).filter(([, { load }]) => isOpenLoop(load));
  return scheduled.map(([role]) => roleTraitsOf(role).arrival);
}

/** Of those, the ones that a Poisson process starts: how many come in a window is a matter of chance. */
export function randomArrivals(settings: Pick<TreatmentSettings, "actors">): Operation[] {
  const random = groupsOf(settings).filter(
    ([, { load }]) => "distribution" in load && load.distribution === "poisson",
  );
  return random.map(([role]) => roleTraitsOf(role).arrival);
}

function groupsOf(settings: Pick<TreatmentSettings, "actors">): [string, ActorGroup][] {
  return Object.entries<ActorGroup>(settings.actors);
}

/** The load of the group that performs an operation; undefined where none does. */
export function loadOf(
  operation: Operation,
  settings: Pick<TreatmentSettings, "actors">,
): LoadSettings | undefined {
  return groupsOf(settings).find(([role]) => roleTraitsOf(role).operations.includes(operation))?.[1].load;
}

/** The operations that a treatment performs, in the order in which they are shown. */
export function operationsOf(settings: Pick<TreatmentSettings, "actors">): Operation[] {
  const performed = new Set(groupsOf(settings).flatMap(([role]) => roleTraitsOf(role).operations));
  return OPERATIONS.filter((operation) => performed.has(operation));
}

/** The `operations` of a trial or of a treatment's merged trials: what was measured, and by how many clients. */
export function operationResults(
  summary: WindowSummary,
  settings: Pick<TreatmentSettings, "actors">,
): OperationResults {
  const results: OperationResults = {};
  const scheduled = arrivalOperations(settings);
  for (const operation of OPERATIONS) {
    const measured = summary.operations[operation];
    if (!measured) continue;
    const groups = groupsOf(settings).filter(([role]) => roleTraitsOf(role).operations.includes(operation));
    const { offered, dropped, unfinished, parts, ...rest } = measured;
    results[operation] = {
      ...rest,
      ...(parts && { parts: parts.map((part) => ({ ...part })) }),
      ...(scheduled.includes(operation) && { offered, dropped, unfinished }),
      retriesBySqlstate: { ...measured.retriesBySqlstate },
      failures: { ...measured.failures },
      clients: groups.reduce((sum, [, group]) => sum + group.load.clients, 0),
      threads: groups.reduce((sum, [, group]) => sum + group.workers, 0),
    };
  }
  return results;
}
