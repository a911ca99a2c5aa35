import type { RoleTraits } from "./workload.js";

export function clientsRole(operations: readonly string[]): RoleTraits {
  return {
    purpose: "The clients of workloads with one role. Each runs one transaction at a time.",
    clients: 20,
    operations,
    arrivals: operations,
    isSearched: true,
  };
}

/** Plan of a transaction that consists of one operation and does one unit of work. */
export function singleOperationPlan<Operation extends string>(
  operation: Operation,
  client: number,
  intendedMs: number,
) {
  return { operation, client, intendedMs, isPoll: false, events: () => 1 };
}
