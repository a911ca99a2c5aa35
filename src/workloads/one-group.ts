// What workloads with one group of clients have in common.
import type { RoleTraits } from "./workload.js";

/** @param arrival the operation that one arrival of an open loop starts */
export function clientsRole(operations: readonly string[], arrival: string): RoleTraits {
  return {
    purpose: "The clients of workloads with one group of them. Each runs one transaction at a time.",
    clients: 20,
    thinkTimeMs: 0,
    isByDefault: true,
    hasBatches: false,
    operations,
    arrival,
    isSearched: operations.length === 1,
    drains: false,
  };
}
