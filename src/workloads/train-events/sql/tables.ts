// Names of the tables and what a payload level means for the program: which type the document column has, who
// writes the flat columns, and whether an index answers questions about the document. All names are qualified
// and quoted: `search_path` is never set, because a transaction pooler would hand it to someone else.
import type { Dialect } from "../../../database/dialects/dialect.js";
import type { TableSet } from "../../../database/namespace/schema-files.js";
import type { Payload } from "../settings.js";

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

export function tableSetOf(payload: Payload): TableSet {
  return { variant: `payload ${payload}`, files: [payload, "event-status"] };
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
