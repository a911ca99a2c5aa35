// From the levels of a treatment to its transactions. Refuses, before anything runs, a level that the dialect does
// not have, rather than run something else in its place.
import { UsageError } from "../../../foundation/errors.js";
import { levelProblems } from "../../../scenario/dialects/registry.js";
import type { TreatmentSettings } from "../../../scenario/settings.js";
import { dialectOf } from "../../../database/dialects/registry.js";
import { SHAPES } from "./registry.js";
import { tablesOf } from "./tables.js";
import type { Workload } from "./workload.js";

/** The levels that decide about SQL. */
export type WorkloadSettings = Pick<
  TreatmentSettings,
  "dialect" | "namespace" | "payload" | "locking" | "isolation" | "statementShape"
>;

/** Throws a UsageError that names every level that the dialect does not have, and the nearest that it has. */
export function createWorkload(settings: WorkloadSettings): Workload {
  // How tables are stored is the schema's matter.
  const problems = levelProblems(settings.dialect, { ...settings, storage: "default" });
  if (problems.length > 0) {
    const words = problems.map(({ message }) => message).join("; ");
    throw new UsageError(words, "Choose the level that is named last.");
  }
  const { payload, locking, isolation } = settings;
  const dialect = dialectOf(settings.dialect);
  const tables = tablesOf(dialect, settings.namespace);
  return SHAPES[settings.statementShape]({ dialect, tables, payload, locking, isolation });
}
