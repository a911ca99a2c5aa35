// Names of the tables, qualified and quoted: `search_path` is never set, because a transaction pooler would hand it to others.
import type { Dialect } from "../../../database/postgres/dialects/dialect.js";
import type { TableSet } from "../../../database/postgres/namespace/schema-files.js";
import { ARCHIVED_STATUSES } from "../model/lifecycle.js";
import { DEFAULT_LEVELS, type EventSettings, type OptionalLevels } from "../settings.js";
import { literals } from "./literals.js";

export type TableNames = Readonly<Record<"events" | "status" | "archive", string>>;

export function tablesOf(dialect: Dialect, namespace: string): TableNames {
  const schema = dialect.quoteIdentifier(namespace);
  return {
    events: `${schema}.events`,
    status: `${schema}.event_status`,
    archive: `${schema}.events_archive`,
  };
}

type TableLevels = Pick<EventSettings, "payload"> & OptionalLevels;

export function tableSetOf({ payload, ...others }: TableLevels): TableSet {
  const { claimIndex, archived, archiveDelete } = { ...DEFAULT_LEVELS, ...others };
  const isPartial = claimIndex === "partial";
  const isCascading = archiveDelete === "cascade";
  const named = [
    ...(isPartial ? [] : [claimIndex]),
    ...(isPartial && archived === "complete" ? [archived] : []),
    ...(isCascading ? [archiveDelete] : []),
  ];
  return {
    variant: `payload ${[payload, ...named].join("-")}`,
    files: [payload, "event-status", ...(isPartial ? ["claim-indexes"] : [])],
    values: {
      archivedStatuses: literals(ARCHIVED_STATUSES[archived]),
      onDelete: isCascading ? " ON DELETE CASCADE" : "",
    },
  };
}
