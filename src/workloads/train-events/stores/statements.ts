// SQL that all shapes share. PostgreSQL may keep plans made on empty tables, so row limits are parameters and arrays are joined
// through one: the planner then expects a tenth of ten elements, one row, and looks it up by key (`statements.db.test.ts`).
import { ARCHIVED_STATUSES, EventStatus, WORKABLE_STATUSES } from "../model/lifecycle.js";
import { statusCondition, type Dialect } from "../../../database/postgres/dialects/dialect.js";
import { PAYLOAD_TRAITS, type EventSettings, type Payload } from "../settings.js";
import type { TableNames } from "./tables.js";
import type { Statement } from "../../../database/sql.js";
import { literals } from "./literals.js";

export interface StatementContext extends Pick<
  EventSettings,
  "payload" | "locking" | "claimIndex" | "archived" | "archiveDelete" | "reads" | "documentPlace"
> {
  readonly dialect: Dialect;
  readonly tables: TableNames;
  /** True if a pass may end a PENDING event; see `AdvanceProbabilities`. */
  readonly isOneStep: boolean;
}

export const RECENT_LIMIT = 20;

/** Columns of an insert of events, and the types of their arrays, in the same order. */
export function insertColumns(payload: Payload): readonly (readonly [column: string, type: string])[] {
  const { columnType, areColumnsGenerated } = PAYLOAD_TRAITS[payload];
  const storedColumns = [
    ["id", "uuid"],
    ["payload", columnType],
  ] as const;
  if (areColumnsGenerated) return storedColumns;
  return [...storedColumns, ["event_type", "text"], ["authority_id", "uuid"], ["train_id", "text"]];
}

export const ARCHIVE_COLUMNS =
  "id, created_at, payload, event_type, authority_id, train_id, status, attempts";
/** SQL of the archive's columns as selected from `e` (events) and `s` (rows with status and attempts). */
export const ARCHIVE_VALUES =
  "e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts";

/** SQL condition that a row has one of the statuses, in a form for which the planner uses the index for claims. */
export function statusIn(
  { dialect, claimIndex }: Pick<StatementContext, "dialect" | "claimIndex">,
  statuses: readonly EventStatus[],
): string {
  return (claimIndex === "partial" ? dialect.statusCondition : statusCondition)(literals(statuses));
}

/**
 * Locks the status rows of at most $1 events, the longest waiting first, and returns event_id, status, attempts. The order
 * comes from a partial index on updated_at, one for each set of statuses (`claim-indexes.sql`), if there are any.
 * `skip-locked` and `nowait` never wait, so the order in which they lock does not matter. Blocking `for-update` must lock
 * in one order that all clients share, or two clients that meet the same rows deadlock; updated_at is no such order, since
 * a row that was waited for comes back with a new value. So it selects its candidates without locks and then locks them by
 * key, after another check of the condition.
 */
export function lockingSelect(context: StatementContext, statuses: readonly EventStatus[]): string {
  const { tables, locking } = context;
  const statusCondition = statusIn(context, statuses);
  const oldestRowsSql = `FROM ${tables.status} WHERE ${statusCondition} ORDER BY updated_at LIMIT $1`;
  switch (locking) {
    case "skip-locked":
      return `SELECT event_id, status, attempts ${oldestRowsSql} FOR UPDATE SKIP LOCKED`;
    case "nowait":
      return `SELECT event_id, status, attempts ${oldestRowsSql} FOR UPDATE NOWAIT`;
    case "for-update": {
      // NOT IN, so that the planner looks rows up by key and not by the status index.
      const moved = EventStatus.options.filter((status) => !statuses.includes(status));
      return `SELECT event_id, status, attempts FROM ${tables.status}
  WHERE event_id = ANY (ARRAY(SELECT event_id ${oldestRowsSql})) AND status NOT IN (${literals(moved)})
  ORDER BY event_id LIMIT $1 FOR UPDATE`;
    }
  }
}

/**
 * Claims events and locks their documents too, which is necessary: under read committed a claim that met a row while
 * another client was committing it gets the new status but would get the old document, and then write it back, losing the
 * other client's change. The lock makes the database fetch the newest document. No client ever waits for this lock: a
 * client that changes or deletes a document holds the lock of the status row. A dialect that always reads from one snapshot
 * has no such lock, and a conflict there fails the commit.
 */
export function processClaim(context: StatementContext): Statement {
  const { documentLock } = context.dialect;
  const events = context.tables.events;
  const document = documentLock
    ? `CROSS JOIN LATERAL (
  SELECT payload FROM ${events} WHERE id = c.event_id ${documentLock}
) AS e`
    : `JOIN ${events} AS e ON e.id = c.event_id`;
  return {
    name: "process.claim",
    text: `WITH claimed AS (
  ${lockingSelect(context, WORKABLE_STATUSES)}
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
${document}
ORDER BY c.event_id`,
  };
}

/** Locks the rows that archive moves; see `lockingSelect`. */
export function archiveSelect(context: StatementContext): string {
  return lockingSelect(context, ARCHIVED_STATUSES[context.archived]);
}

export function archiveClaim(context: StatementContext): Statement {
  return { name: "archive.claim", text: archiveSelect(context) };
}

/** Columns of an event in a read: key, creation, document. */
export const EVENT_COLUMNS = "id, created_at, payload::text AS payload";

/** Looks up the newest events of a type: $1 event type, $2 limit. */
export function readRecentStatement({ tables }: StatementContext): Statement {
  return {
    name: "read.recent",
    text: `SELECT ${EVENT_COLUMNS}
FROM ${tables.events} WHERE event_type = $1::text ORDER BY created_at DESC LIMIT $2`,
  };
}

/**
 * Looks up the events of one train under one authority: by the document if an index covers it ($1 a part of a document),
 * otherwise by the flat columns ($1, $2).
 */
export function readByTrainStatement({ tables, payload }: StatementContext): Statement {
  const condition = PAYLOAD_TRAITS[payload].hasDocumentIndex
    ? "payload @> $1::jsonb"
    : "authority_id = $1::uuid AND train_id = $2::text";
  return {
    name: "read.find",
    text: `SELECT ${EVENT_COLUMNS} FROM ${tables.events} WHERE ${condition}`,
  };
}

/** Counts the keys in $1 that are live or archived; an event that is both counts once. */
export function countPresentStatement({ tables }: Pick<StatementContext, "tables">): Statement {
  return {
    name: "resolve.present",
    text: `SELECT count(*) AS present FROM (
  SELECT id FROM ${tables.events} WHERE id = ANY ($1::uuid[])
  UNION
  SELECT id FROM ${tables.archive} WHERE id = ANY ($1::uuid[])
) AS found`,
  };
}
