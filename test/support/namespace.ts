// Namespaces of tests in the suite's shared server.
import type { AdminSession } from "../../src/database/contract.js";
import { databaseOfDialect, type DialectName } from "../../src/database/registry.js";
import { generateSecret } from "../../src/foundation/prng.js";
import { namespaceOf, tablesMarked, type WorkloadNamespace } from "../../src/workloads/tables.js";

/** A unique schema name. Example: `test_6b1f09c2`. */
export function testNamespace(prefix = "test"): string {
  return `${prefix}_${generateSecret(4)}`;
}

export function ddl(settings: WorkloadNamespace, dialect: DialectName = "postgres"): string[] {
  return databaseOfDialect(dialect).namespaces.ddl(namespaceOf(settings, dialect), dialect);
}

export function ensureNamespace(
  admin: AdminSession,
  settings: WorkloadNamespace,
  dialect: DialectName = "postgres",
): Promise<"created" | "unchanged"> {
  return databaseOfDialect(dialect).namespaces.apply(admin, namespaceOf(settings, dialect), dialect);
}

/** Drops and creates the tables of a treatment. */
export function resetNamespace(
  admin: AdminSession,
  settings: WorkloadNamespace,
  dialect: DialectName = "postgres",
): Promise<void> {
  const { namespaces } = databaseOfDialect(dialect);
  return namespaces.reset(admin, namespaceOf(settings, dialect), dialect, tablesMarked);
}

/** Drops a namespace. Resolves to false if there was none. */
export function dropNamespace(
  admin: AdminSession,
  namespace: string,
  dialect: DialectName = "postgres",
): Promise<boolean> {
  return databaseOfDialect(dialect).namespaces.drop(admin, namespace, dialect, tablesMarked);
}
