import { UsageError } from "../foundation/errors.js";
import { APPLICATION_NAME, type NamespaceSettings } from "../database/contract.js";
import { databaseOfDialect, type DialectName } from "../database/registry.js";
import type { FaultTable, FaultTables } from "../faults/fault.js";
import { WORKLOADS, workloadOf, type WorkloadChoice } from "./registry.js";
import { storeIn } from "./stores.js";
import type { Workload, WorkloadTreatment } from "./workload.js";

/**
 * Settings that determine a treatment's tables, together with the role that gets rights to them and the run that creates
 * them.
 */
export type WorkloadNamespace = Omit<NamespaceSettings, "tables"> & WorkloadChoice;

export function namespaceOf(settings: WorkloadNamespace, dialect: DialectName): NamespaceSettings {
  const { tables, stores } = workloadOf(settings);
  // Only the keys of this workload are present, and its store reads no others.
  const set = storeIn(stores, { dialect }).tables({ ...settings, dialect } as unknown as WorkloadTreatment);
  return { ...settings, tables: { ...set, names: tables.names } };
}

/**
 * Names of the tables in a namespace with that mark, of whichever workload. Throws a UsageError if no workload makes such
 * tables.
 */
export function tablesMarked(variant: string): readonly string[] {
  const maker = WORKLOADS.find(({ tables: { mark } }) => mark !== undefined && variant.startsWith(mark));
  if (maker) return maker.tables.names;
  throw new UsageError(
    `the schema was made for ${variant}, which this version of train-sim does not know`,
    "Drop it with the version that made it.",
  );
}

export function tablesIn(
  { tables }: Pick<Workload, "tables">,
  dialect: DialectName,
  namespace: string,
): Readonly<Record<string, string>> {
  return databaseOfDialect(dialect).namespaces.qualifiedNames(namespace, tables.names, dialect);
}

export function faultTablesIn(workload: Workload, dialect: DialectName, namespace: string): FaultTables {
  const qualified = tablesIn(workload, dialect, namespace);
  const table = (name: string | undefined): FaultTable | undefined =>
    name === undefined ? undefined : { name, qualified: qualified[name] ?? name };
  const { snapshot, lock } = workload.tables;
  return { snapshot: table(snapshot), lock: table(lock) };
}

/** Application names of the load's sessions: `train-sim` behind a pooler, otherwise `train-sim/` and the role. */
export function loadApplicationNames({ roles }: Pick<Workload, "roles">): string[] {
  return [APPLICATION_NAME, ...Object.keys(roles).map((role) => `${APPLICATION_NAME}/${role}`)];
}

/** Names of a workload's operations, tables and views that readers of evidence need. */
export function sampledIn(workload: Workload, dialect: DialectName, namespace: string) {
  return {
    tables: tablesIn(workload, dialect, namespace),
    loadNames: loadApplicationNames(workload),
    ...(workload.tables.hasForeignTables && { schema: namespace }),
    groups: storeIn(workload.stores, { dialect }).evidence ?? [],
  };
}
