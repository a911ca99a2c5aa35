// Namespaces by what a treatment says of them: the workload names its tables, `database/postgres/namespace` makes and drops them. What
// is dropped was perhaps made for another workload, so its tables are found by the mark.
import { UsageError } from "../foundation/errors.js";
import type { SqlClient } from "../database/postgres/admin.js";
import type { Dialect } from "../database/postgres/dialects/dialect.js";
import type { SampledWorkload } from "../database/postgres/evidence/view.js";
import { APPLICATION } from "../database/postgres/pg-config.js";
import { postgres } from "../database/postgres/dialects/postgres/dialect.js";
import * as namespaces from "../database/postgres/namespace/namespace.js";
import type { FaultTable, FaultTables } from "../faults/fault.js";
import { WORKLOADS, workloadOf, type WorkloadChoice } from "./registry.js";
import type { Workload, WorkloadTreatment } from "./workload.js";

/** What a namespace is made for: settings of a treatment, whom to grant it to, and the run that makes it. */
export type WorkloadNamespace = Omit<namespaces.NamespaceSettings, "tables"> & WorkloadChoice;

function withTables(settings: WorkloadNamespace): namespaces.NamespaceSettings {
  const { tables } = workloadOf(settings);
  // Of the settings of another workload it has none that it reads.
  const set = tables.of(settings as WorkloadNamespace & WorkloadTreatment);
  return { ...settings, tables: { ...set, names: tables.names } };
}

/** Throws a UsageError where no workload made it. */
function tablesMarked(variant: string): readonly string[] {
  const maker = WORKLOADS.find(({ tables }) => tables.isMarked(variant));
  if (maker) return maker.tables.names;
  throw new UsageError(
    `the schema was made for ${variant}, which this version of train-sim does not know`,
    "Drop it with the version that made it.",
  );
}

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

/** Throws a UsageError where the reset before a trial would be refused. */
export function requireDroppable(client: SqlClient, namespace: string, dialect: Dialect): Promise<void> {
  return namespaces.requireDroppable(client, namespace, dialect, tablesMarked);
}

/** Qualified and quoted, by name. */
export function tablesIn(
  { tables }: Pick<Workload, "tables">,
  dialect: Dialect,
  namespace: string,
): Readonly<Record<string, string>> {
  const schema = dialect.quoteIdentifier(namespace);
  return Object.fromEntries(tables.names.map((name) => [name, `${schema}.${name}`]));
}

/** Clients are named after their role; through a pooler all of them are called after the program. */
export function loadNamesOf({ roles }: Pick<Workload, "roles">): string[] {
  return [APPLICATION, ...Object.keys(roles).map((role) => `${APPLICATION}/${role}`)];
}

/** What the sampler is told of the workload. */
export function sampledIn(workload: Workload, dialect: Dialect, namespace: string): SampledWorkload {
  const tables = tablesIn(workload, dialect, namespace);
  return { tables, loadNames: loadNamesOf(workload), groups: workload.reporting?.evidence ?? [] };
}

export function faultTablesIn(workload: Workload, dialect: Dialect, namespace: string): FaultTables {
  const qualified = tablesIn(workload, dialect, namespace);
  const table = (name: string | undefined): FaultTable | undefined =>
    name === undefined ? undefined : { name, qualified: qualified[name] ?? name };
  const { snapshot, lock } = workload.tables;
  return { snapshot: table(snapshot), lock: table(lock) };
}
