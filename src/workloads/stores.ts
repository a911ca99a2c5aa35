// The stores of a workload, by the name of their database: its deeds there, as domain operations.
import { UsageError } from "../foundation/errors.js";
import { databaseSpeaking } from "../database/registry.js";
import type { Workload, WorkloadTreatment } from "./workload.js";

export type Stores<Store> = Readonly<Record<string, Store>>;

/** The reason why a workload cannot run on that database; undefined if it can. */
export function storeProblem(
  { name, databases }: Pick<Workload, "name" | "databases">,
  database: string,
): string | undefined {
  if (databases.includes(database)) return undefined;
  return `workload ${name} has no store for ${database}; it has one for ${databases.join(" and ")}`;
}

/** The store for the treatment's database. */
export function storeIn<Store>(
  stores: Stores<Store>,
  { dialect }: Pick<WorkloadTreatment, "dialect">,
): Store {
  const { name } = databaseSpeaking(dialect);
  const store = stores[name];
  if (store === undefined) throw new UsageError(`there is no store for ${name}`);
  return store;
}
