// From the levels of a treatment to its transactions. Whether the dialect has them was asked before.
import type { EventSettings } from "../settings.js";
import { dialectOf } from "../../../database/dialects/registry.js";
import { SHAPES } from "./registry.js";
import { tablesOf } from "./tables.js";
import type { Workload } from "./workload.js";

/** The levels that decide about SQL. */
export type WorkloadSettings = Pick<
  EventSettings,
  "dialect" | "namespace" | "payload" | "locking" | "isolation" | "statementShape"
>;

export function createWorkload(settings: WorkloadSettings): Workload {
  const { payload, locking, isolation } = settings;
  const dialect = dialectOf(settings.dialect);
  const tables = tablesOf(dialect, settings.namespace);
  return SHAPES[settings.statementShape]({ dialect, tables, payload, locking, isolation });
}
