// The workloads: a new one is one folder and one line here. The rest of the program finds what it needs of them by this list.
import { UsageError } from "../foundation/errors.js";
import type { WorkloadTables } from "../database/namespace/schema-files.js";
import { TABLE_NAMES, tableSetOf as eventTables } from "./train-events/sql/tables.js";
import type { Payload } from "./train-events/settings.js";

/** What of a treatment decides about its tables. */
export interface TableSettings {
  readonly payload: Payload;
}

export function tableSetOf({ payload }: TableSettings): WorkloadTables {
  return eventTables(payload);
}

/** Names of the tables of a namespace with that variant in its mark. Throws a UsageError where no workload made it. */
export function tablesMarked(variant: string): readonly string[] {
  if (variant.startsWith("payload ")) return TABLE_NAMES;
  throw new UsageError(
    `the schema was made for ${variant}, which this version of train-sim does not know`,
    "Drop it with the version that made it.",
  );
}
