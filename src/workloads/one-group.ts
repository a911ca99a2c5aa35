import type { RoleTraits } from "./workload.js";

/** The only role of a workload. */
export function clientsRole(operations: readonly string[]): RoleTraits {
  return {
    purpose: "The clients of workloads with one group of them. Each runs one transaction at a time.",
    clients: 20,
    operations,
    arrivals: operations,
    isSearched: true,
  };
}

/** The plan of a transaction that does one thing. */
export function doing<Operation extends string>(operation: Operation, client: number, intendedMs: number) {
  return { operation, client, intendedMs, isPoll: false, events: () => 1 };
}
