// The memory that the workers of one process share: what some of them write and the others read, of workers elsewhere as a
// copy, and the counter of a budget that a role shares. Where a role's workers are in several processes, each of these has its exact part of the
// budget: what the others have is counted as taken from the beginning.
import type { Assignment, ThreadAssignment } from "./protocol.js";
import { budgetOf } from "../../load/load-settings.js";
import { roleTraitsOf } from "../../workloads/registry.js";

/** A worker's part of the role's iterations; the parts of all workers make the whole budget. */
function partOf(assignment: Assignment): number {
  const { firstClient, clients, roleClients } = assignment;
  const iterations = budgetOfRole(assignment);
  const iterationsUpTo = (client: number): number => Math.floor((iterations * client) / roleClients);
  return iterationsUpTo(firstClient + clients) - iterationsUpTo(firstClient);
}

function budgetOfRole({ settings, role }: Assignment): number {
  const load = settings.actors[role]?.load;
  return load === undefined ? 0 : (budgetOf(load)?.iterations ?? 0);
}

/** Memory that one worker writes and others read: the worker's ordinal and the size in bytes. */
export type SharedMemory = readonly [ordinal: number, bytes: number];

export function sharedMemoryOf(assignments: readonly Assignment[]): SharedMemory[] {
  return assignments.flatMap(({ ordinal, role, settings, isCeiling }) => {
    const { sharedBytes } = roleTraitsOf(settings, role);
    return sharedBytes === undefined || isCeiling === true ? [] : [[ordinal, sharedBytes] as const];
  });
}

/** Assignments of all workers of one process with their shared memory; `elsewhere` is memory copied from other processes. */
export function threadAssignmentsOf(
  assignments: readonly Assignment[],
  elsewhere: readonly SharedMemory[] = [],
): ThreadAssignment[] {
  const all = [...sharedMemoryOf(assignments), ...elsewhere];
  const shared = new Map(all.map(([ordinal, bytes]) => [ordinal, new SharedArrayBuffer(bytes)]));
  const mirroredOrdinals = elsewhere.map(([ordinal]) => ordinal);
  const counters = new Map<string, Int32Array<SharedArrayBuffer>>();
  for (const assignment of assignments) {
    const { role } = assignment;
    const counter =
      counters.get(role) ?? new Int32Array(new SharedArrayBuffer(4)).fill(budgetOfRole(assignment));
    counter[0] = (counter[0] as number) - partOf(assignment);
    counters.set(role, counter);
  }
  return assignments.map((assignment) => ({
    ...assignment,
    shared,
    mirroredOrdinals,
    sharedCounter: counters.get(assignment.role) as Int32Array<SharedArrayBuffer>,
  }));
}
