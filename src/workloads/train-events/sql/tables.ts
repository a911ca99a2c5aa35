// Names of the tables and what a payload level means for the program: which type the document column has, who
// writes the flat columns, and whether an index answers questions about the document. All names are qualified
// and quoted: `search_path` is never set, because a transaction pooler would hand it to someone else.
import type { Dialect } from "../../../database/postgres/dialects/dialect.js";
import type { TableSet } from "../../../database/postgres/namespace/schema-files.js";
import { ARCHIVED_STATUSES } from "../model/lifecycle.js";
import { DEFAULT_LEVELS, type EventSettings, type OtherLevels, type Payload } from "../settings.js";
import { literals } from "./literals.js";

export type Tables = Readonly<Record<"events" | "status" | "archive", string>>;

export function tablesOf(dialect: Dialect, namespace: string): Tables {
  const schema = dialect.quoteIdentifier(namespace);
  return {
    events: `${schema}.events`,
    status: `${schema}.event_status`,
    archive: `${schema}.events_archive`,
  };
}

/** In the order in which they are made. */
export const TABLE_NAMES = ["events", "event_status", "events_archive"] as const;

/** The levels that decide about the tables. */
export type TableLevels = Pick<EventSettings, "payload"> & OtherLevels;

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

export interface PayloadTraits {
  readonly columnType: "jsonb" | "text";
  /** The database derives event_type, authority_id and train_id; otherwise the program writes them. */
  readonly areColumnsGenerated: boolean;
  readonly hasDocumentIndex: boolean;
}

export const PAYLOAD_TRAITS: Readonly<Record<Payload, PayloadTraits>> = {
  jsonb: { columnType: "jsonb", areColumnsGenerated: true, hasDocumentIndex: true },
  "jsonb-manual": { columnType: "jsonb", areColumnsGenerated: false, hasDocumentIndex: false },
  text: { columnType: "text", areColumnsGenerated: false, hasDocumentIndex: false },
  "text-generated": { columnType: "text", areColumnsGenerated: true, hasDocumentIndex: false },
};
