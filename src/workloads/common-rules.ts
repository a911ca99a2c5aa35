import { isolationSchema, type Storage } from "../database/levels.js";
import type { PoolSettings } from "../pools/registry.js";
import type { Finding } from "../syntax/problems.js";

export const isolationKey = isolationSchema(
  "Isolation level of every transaction. Default read committed.",
).prefault("read committed");

/** Refuses every level of storage except the database's default. */
export const defaultStorageRule =
  (workload: string) =>
  ({ storage }: { readonly storage: Storage }): Finding[] =>
    storage === "default"
      ? []
      : [{ path: ["storage"], message: `${workload} has tables of storage default only` }];

/** True if the pool is a pooler in statement mode, which may give each statement another server connection. */
export const hasStatementMode = (pool: PoolSettings): boolean => "mode" in pool && pool.mode === "statement";

/** Refuses a pooler in statement mode, which may give each statement another server connection. */
export function refuseStatementMode(_: unknown, { pool }: { readonly pool: PoolSettings }): Finding[] {
  if (!hasStatementMode(pool)) return [];
  const message = "statement mode allows no transaction of several statements; use mode: transaction";
  return [{ path: ["pool", "mode"], message }];
}
