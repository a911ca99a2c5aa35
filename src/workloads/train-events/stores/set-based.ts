import type { EventBatch } from "../model/event-batch.js";
import { bindAhead } from "../../../database/postgres/wire/bind-message.js";
import { stringArray, uuidArray, uuidBytesArray } from "../../../database/postgres/wire/binary-arrays.js";
import { decidePasses, rewritePayload } from "./process-pass.js";
import { ARCHIVE_COLUMNS, ARCHIVE_VALUES, processClaim, type StatementContext } from "./statements.js";
import {
  batchArrays,
  documentElementType,
  documentRoom,
  insertBatchSql,
  payloadArray,
  type BatchContext,
} from "./batch-arrays.js";
import { multiStatement, type WriteSteps } from "./multi-statement.js";
import type { Shape, ShapeContext } from "./shape.js";
import type { Statement } from "../../../database/sql.js";

/** Largest number of events that one statement inserts: about 10 MB of default documents, far below the protocol's 1 GB. */
const EVENTS_PER_STATEMENT_MAX = 10_000;

/**
 * SQL of the array parameters $1, $2, ... as rows with `columns`. The last parameter is the number of rows, as a limit for
 * the planner.
 */
export function arrayRows(columns: readonly (readonly [column: string, type: string])[]): string {
  const arrays = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ");
  const names = columns.map(([column]) => column).join(", ");
  return `(SELECT * FROM unnest(${arrays}) AS u (${names}) LIMIT $${columns.length + 1})`;
}

/** Statements that insert events ($1 and following: an array for each column) and their status rows ($1: keys). */
export function addStatements(context: BatchContext) {
  return {
    addEvents: { name: "add.events", text: insertBatchSql(context) },
    addStatus: {
      name: "add.status",
      text: `INSERT INTO ${context.tables.status} (event_id)
SELECT * FROM unnest($1::uuid[])`,
    },
  } satisfies Record<string, Statement>;
}

function statementsOf(context: StatementContext) {
  const { tables } = context;
  const document = documentElementType(context);
  const keys = arrayRows([["event_id", "uuid"]]);
  return {
    ...addStatements(context),
    advance: {
      name: "process.advance",
      text: `UPDATE ${tables.status} AS s
SET status = a.status, attempts = s.attempts + 1, updated_at = clock_timestamp()
FROM ${arrayRows([
        ["event_id", "uuid"],
        ["status", "text"],
      ])} AS a
WHERE s.event_id = a.event_id`,
    },
    rewrite: {
      name: "process.payload",
      text: `UPDATE ${tables.events} AS e SET payload = a.payload${document.cast}
FROM ${arrayRows([
        ["event_id", "uuid"],
        ["payload", document.type],
      ])} AS a
WHERE e.id = a.event_id`,
    },
    copy: {
      name: "archive.copy",
      text: `INSERT INTO ${tables.archive} (${ARCHIVE_COLUMNS})
SELECT ${ARCHIVE_VALUES}
FROM ${keys} AS a
JOIN ${tables.status} AS s ON s.event_id = a.event_id
JOIN ${tables.events} AS e ON e.id = a.event_id`,
    },
    deleteStatus: {
      name: "archive.delete-status",
      text: `DELETE FROM ${tables.status} AS s USING ${keys} AS a WHERE s.event_id = a.event_id`,
    },
    deleteEvents: {
      name: "archive.delete-events",
      text: `DELETE FROM ${tables.events} AS e USING ${keys} AS a WHERE e.id = a.event_id`,
    },
  } satisfies Record<string, Statement>;
}

/**
 * Splits a batch into parts that each fit into one statement; all of them go in one transaction. Most batches are one part.
 */
function parts(batch: EventBatch): EventBatch[] {
  if (batch.size <= EVENTS_PER_STATEMENT_MAX) return [batch];
  return Array.from({ length: Math.ceil(batch.size / EVENTS_PER_STATEMENT_MAX) }, (_, index) =>
    batch.slice(
      index * EVENTS_PER_STATEMENT_MAX,
      Math.min((index + 1) * EVENTS_PER_STATEMENT_MAX, batch.size),
    ),
  );
}

/** Steps that write all events of a batch by one statement. A shape may replace the decision about claimed events. */
export function setBasedSteps(context: ShapeContext): WriteSteps {
  const sql = statementsOf(context);
  const isDeleteExplicit = context.archiveDelete === "explicit";
  return {
    statements: {
      add: [sql.addEvents, sql.addStatus],
      process: [sql.advance, sql.rewrite],
      archive: [sql.copy, ...(isDeleteExplicit ? [sql.deleteStatus] : []), sql.deleteEvents],
    },
    documentRoom: documentRoom(context),
    valuesToAdd(batch) {
      const pieces = parts(batch);
      return [
        pieces.map((piece) => bindAhead(sql.addEvents, batchArrays(context, piece))),
        pieces.map(({ keys }) => bindAhead(sql.addStatus, [uuidBytesArray(keys)])),
      ];
    },
    claim: processClaim(context),
    decide(claimed, request) {
      const passes = decidePasses(claimed, request);
      const ids = uuidArray(passes.map(({ id }) => id));
      const statuses = stringArray(
        "text",
        passes.map(({ status }) => status),
      );
      const advanceValues = bindAhead(sql.advance, [ids, statuses, passes.length]);
      const payloads = payloadArray(context, passes.map(rewritePayload));
      const rewriteValues = bindAhead(sql.rewrite, [ids, payloads, passes.length]);
      return { passes, values: [[advanceValues], [rewriteValues]] };
    },
    archiveValues: (ids) => [[uuidArray(ids), ids.length]],
  };
}

export const setBased: Shape = (context) => multiStatement(context, setBasedSteps(context));
