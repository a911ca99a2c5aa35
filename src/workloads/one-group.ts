import type { RoleTraits } from "./workload.js";

export function clientsRole(operations: readonly string[]): RoleTraits {
  return {
    purpose: "The clients of workloads with one group of them. Each runs one transaction at a time.",
    clients: 20,
    thinkTimeMs: 0,
    isByDefault: true,
    hasBatches: false,
    operations,
    arrivals: operations,
    isSearched: true,
    drains: false,
  };
}
