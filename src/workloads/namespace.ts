// Namespaces by what a treatment says of them: the workload names its tables, `database/namespace` makes and drops them. What
// is dropped was perhaps made for another workload, so its tables are found by the mark.
import type { SqlClient } from "../database/admin.js";
import type { Dialect } from "../database/dialects/dialect.js";
import { postgres } from "../database/dialects/postgres/dialect.js";
import * as namespaces from "../database/namespace/namespace.js";
import { tablesMarked, tableSetOf, type TableSettings } from "./registry.js";

/** What a namespace is made for: settings of a treatment, whom to grant it to, and the run that makes it. */
export type WorkloadNamespace = Omit<namespaces.NamespaceSettings, "tables"> & TableSettings;

const withTables = (settings: WorkloadNamespace): namespaces.NamespaceSettings => ({
  ...settings,
  tables: tableSetOf(settings),
});

export function ddl(settings: WorkloadNamespace, dialect: Dialect = postgres): string[] {
  return namespaces.ddl(withTables(settings), dialect);
}

export function applyNamespace(
  client: SqlClient,
  settings: WorkloadNamespace,
  dialect: Dialect = postgres,
): Promise<"created" | "unchanged"> {
  return namespaces.applyNamespace(client, withTables(settings), dialect);
}

/** A fresh, empty namespace, whatever ours held before. */
export function resetNamespace(
  client: SqlClient,
  settings: WorkloadNamespace,
  dialect: Dialect = postgres,
): Promise<void> {
  return namespaces.resetNamespace(client, withTables(settings), dialect, tablesMarked);
}

/** Drops the namespace; false when there was none. */
export function dropNamespace(
  client: SqlClient,
  namespace: string,
  dialect: Dialect = postgres,
): Promise<boolean> {
  return namespaces.dropNamespace(client, namespace, dialect, tablesMarked);
}
