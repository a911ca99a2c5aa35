import { UsageError } from "../foundation/errors.js";
import { APPLICATION, type NamespaceSettings } from "../database/contract.js";
import { databaseSpeaking, type DialectName } from "../database/registry.js";
import type { FaultTable, FaultTables } from "../faults/fault.js";
import { WORKLOADS, workloadOf, type WorkloadChoice } from "./registry.js";
import { storeIn } from "./stores.js";
import type { Workload, WorkloadTreatment } from "./workload.js";

/** Settings of a treatment that determine its tables, the role that gets rights to them, and the run that makes them. */
export type WorkloadNamespace = Omit<NamespaceSettings, "tables"> & WorkloadChoice;

export function namespaceOf(settings: WorkloadNamespace, dialect: DialectName): NamespaceSettings {
  const { tables, stores } = workloadOf(settings);
  // The keys of other workloads are missing, and a store reads none of them.
  const set = storeIn(stores, { dialect }).tables({ ...settings, dialect } as unknown as WorkloadTreatment);
  return { ...settings, tables: { ...set, names: tables.names } };
}

/** Names of the tables of a namespace, which another workload may have made; throws a UsageError if none did. */
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
  return databaseSpeaking(dialect).namespaces.qualified(namespace, tables.names, dialect);
}

export function faultTablesIn(workload: Workload, dialect: DialectName, namespace: string): FaultTables {
  const qualified = tablesIn(workload, dialect, namespace);
  const table = (name: string | undefined): FaultTable | undefined =>
    name === undefined ? undefined : { name, qualified: qualified[name] ?? name };
  const { snapshot, lock } = workload.tables;
  return { snapshot: table(snapshot), lock: table(lock) };
}

/** Names of the load's sessions: each session has the name of its role, or of the program behind a pooler. */
export function loadNamesOf({ roles }: Pick<Workload, "roles">): string[] {
  return [APPLICATION, ...Object.keys(roles).map((role) => `${APPLICATION}/${role}`)];
}

/** The workload in the form that readers of evidence need. */
export function sampledIn(workload: Workload, dialect: DialectName, namespace: string) {
  return {
    tables: tablesIn(workload, dialect, namespace),
    loadNames: loadNamesOf(workload),
    groups: storeIn(workload.stores, { dialect }).evidence ?? [],
  };
}
