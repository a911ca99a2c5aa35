// Drops and creates the tables of a treatment.
import { databaseOf } from "#program/database/registry.js";
import { namespaceOf, tablesMarked } from "#program/workloads/tables.js";

export function resetNamespace(admin, settings) {
  const namespace = namespaceOf(settings, "postgres");
  return databaseOf(admin.endpoint).namespaces.reset(admin, namespace, "postgres", tablesMarked);
}
