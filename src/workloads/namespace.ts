// Namespaces by a treatment's settings: the workload names its tables, the database makes and drops them. A namespace may have
// been made for another workload, so its tables are found by the mark.
import { UsageError } from "../foundation/errors.js";
import { APPLICATION, type AdminSession, type NamespaceSettings } from "../database/contract.js";
import type { EvidenceOptions } from "../database/evidence.js";
import { databaseSpeaking, DEFAULT_DIALECT, type DialectName } from "../database/registry.js";
import type { ViewGroup } from "../database/sql.js";
import type { FaultTable, FaultTables } from "../faults/fault.js";
import { WORKLOADS, workloadOf, type WorkloadChoice } from "./registry.js";
import type { Workload, WorkloadTreatment } from "./workload.js";

/** Settings of a treatment, whom to grant it to, and the run that makes it. */
export type WorkloadNamespace = Omit<NamespaceSettings, "tables"> & WorkloadChoice;

function withTables(settings: WorkloadNamespace): NamespaceSettings {
  const { tables } = workloadOf(settings);
  // Of the settings of another workload it has none that it reads.
  const set = tables.of(settings as WorkloadNamespace & WorkloadTreatment);
  return { ...settings, tables: { ...set, names: tables.names } };
}

/** Throws a UsageError where no workload made it. */
export function tablesMarked(variant: string): readonly string[] {
  const maker = WORKLOADS.find(({ tables }) => tables.isMarked(variant));
  if (maker) return maker.tables.names;
  throw new UsageError(
    `the schema was made for ${variant}, which this version of train-sim does not know`,
    "Drop it with the version that made it.",
  );
}

export function ddl(settings: WorkloadNamespace, dialect: DialectName = DEFAULT_DIALECT): string[] {
  return databaseSpeaking(dialect).namespaces.ddl(withTables(settings), dialect);
}

export function applyNamespace(
  session: AdminSession,
  settings: WorkloadNamespace,
  dialect: DialectName = DEFAULT_DIALECT,
): Promise<"created" | "unchanged"> {
  return databaseSpeaking(dialect).namespaces.apply(session, withTables(settings), dialect);
}

/** A fresh, empty namespace, whatever ours held before. */
export function resetNamespace(
  session: AdminSession,
  settings: WorkloadNamespace,
  dialect: DialectName = DEFAULT_DIALECT,
): Promise<void> {
  return databaseSpeaking(dialect).namespaces.reset(session, withTables(settings), dialect, tablesMarked);
}

/** Drops the namespace; false when there was none. */
export function dropNamespace(
  session: AdminSession,
  namespace: string,
  dialect: DialectName = DEFAULT_DIALECT,
): Promise<boolean> {
  return databaseSpeaking(dialect).namespaces.drop(session, namespace, dialect, tablesMarked);
}

/** Qualified and quoted, by name. */
export function tablesIn(
  { tables }: Pick<Workload, "tables">,
  dialect: DialectName,
  namespace: string,
): Readonly<Record<string, string>> {
  return databaseSpeaking(dialect).namespaces.qualified(namespace, tables.names, dialect);
}

/** Clients are named after their role; through a pooler all of them are called after the program. */
export function loadNamesOf({ roles }: Pick<Workload, "roles">): string[] {
  return [APPLICATION, ...Object.keys(roles).map((role) => `${APPLICATION}/${role}`)];
}

/** The workload as readers of evidence see it. */
export function sampledIn(
  workload: Workload,
  dialect: DialectName,
  namespace: string,
): EvidenceOptions<ViewGroup>["workload"] {
  const tables = tablesIn(workload, dialect, namespace);
  return { tables, loadNames: loadNamesOf(workload), groups: workload.reporting?.evidence ?? [] };
}

export function faultTablesIn(workload: Workload, dialect: DialectName, namespace: string): FaultTables {
  const qualified = tablesIn(workload, dialect, namespace);
  const table = (name: string | undefined): FaultTable | undefined =>
    name === undefined ? undefined : { name, qualified: qualified[name] ?? name };
  const { snapshot, lock } = workload.tables;
  return { snapshot: table(snapshot), lock: table(lock) };
}
