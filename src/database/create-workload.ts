// From the levels of a treatment to its transactions. Refuses, before anything runs, a level that the dialect does
// not have, rather than run something else in its place.
import { UsageError } from "../foundation/errors.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import type { Dialect } from "./dialects/dialect.js";
import { dialectOf } from "./dialects/registry.js";
import { SHAPES } from "./shapes/registry.js";
import { tablesOf } from "./tables.js";
import type { Workload } from "./workload.js";

/** The levels that decide about SQL. */
export type WorkloadSettings = Pick<
  TreatmentSettings,
  "dialect" | "namespace" | "payload" | "locking" | "isolation" | "statementShape"
>;

/** Throws a UsageError that names the first level that the dialect does not have. */
export function requireSupport(
  dialect: Dialect,
  settings: Omit<WorkloadSettings, "dialect" | "namespace">,
): void {
  const checks: readonly (readonly [level: string, value: string, offered: readonly string[]])[] = [
    ["payload", settings.payload, dialect.payloads],
    ["locking", settings.locking, dialect.lockings],
    ["isolation", settings.isolation, dialect.isolations],
    ["statementShape", settings.statementShape, dialect.statementShapes],
  ];
  for (const [level, value, offered] of checks) {
    if (offered.includes(value)) continue;
    throw new UsageError(
      `${dialect.label} does not have ${level}: ${value}`,
      `Choose one of: ${offered.join(", ")}.`,
    );
  }
}

export function createWorkload(
  settings: WorkloadSettings,
  dialect: Dialect = dialectOf(settings.dialect),
): Workload {
  requireSupport(dialect, settings);
  const { payload, locking, isolation } = settings;
  const tables = tablesOf(dialect, settings.namespace);
  return SHAPES[settings.statementShape]({ tables, payload, locking, isolation });
}
