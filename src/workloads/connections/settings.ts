// The settings of workload connections, and its tables.
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import type { WorkloadTreatment } from "../workload.js";

export const SCRIPTS = ["select-1", "insert"] as const;

export interface ConnectionsSettings {
  readonly script: (typeof SCRIPTS)[number];
  readonly weights: { readonly account: number; readonly script: number };
  readonly scale: number;
}
export type Treatment = ConnectionsSettings & WorkloadTreatment;

/** Qualified and quoted. */
export function tablesOf({ dialect, namespace }: Pick<Treatment, "dialect" | "namespace">) {
  const schema = dialectOf(dialect).quoteIdentifier(namespace);
  return { accounts: `${schema}.pgbench_accounts`, rows: `${schema}.test_tbl` };
}
