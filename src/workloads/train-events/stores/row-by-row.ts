// One statement for each row written, in key order, as an object-relational mapper sends them.
import type { PreparedEvent } from "../model/event.js";
import { decidePasses, rewritePayload } from "./process-pass.js";
import {
  ARCHIVE_COLUMNS,
  ARCHIVE_VALUES,
  insertColumns,
  processClaim,
  type StatementContext,
} from "./statements.js";
import { makesDocuments } from "./batch-arrays.js";
import { documentSql, valuesArraySql } from "./document-sql.js";
import { PAYLOAD_TRAITS } from "../settings.js";
import { multiStatement } from "./multi-statement.js";
import type { Shape } from "./shape.js";
import type { SqlValue, Statement } from "../../../database/sql.js";

/**
 * Statements of the shape. Documents have an explicit type: a pooler's connections keep a statement by its text from one
 * treatment to the next, and a type that the server had inferred would be that of another payload level.
 */
function statementsOf(context: StatementContext) {
  const { tables, payload } = context;
  const columns = insertColumns(payload);
  const names = columns.map(([column]) => column).join(", ");
  const parameters = columns.map(([, type], i) => `$${i + 1}::${type}`);
  const source = makesDocuments(context)
    ? `SELECT ${parameters.with(1, documentSql(payload)).join(", ")}
FROM (SELECT ${valuesArraySql("$2::text")} AS v) AS d`
    : `VALUES (${parameters.join(", ")})`;
  return {
    addEvent: { name: "add.events", text: `INSERT INTO ${tables.events} (${names})\n${source}` },
    addStatus: { name: "add.status", text: `INSERT INTO ${tables.status} (event_id) VALUES ($1)` },
    advance: {
      name: "process.advance",
      text: `UPDATE ${tables.status}
SET status = $2, attempts = attempts + 1, updated_at = clock_timestamp()
WHERE event_id = $1`,
    },
    rewrite: {
      name: "process.payload",
      text: `UPDATE ${tables.events} SET payload = $2::${PAYLOAD_TRAITS[payload].columnType} WHERE id = $1`,
    },
    copy: {
      name: "archive.copy",
      text: `INSERT INTO ${tables.archive} (${ARCHIVE_COLUMNS})
SELECT ${ARCHIVE_VALUES}
FROM ${tables.status} AS s JOIN ${tables.events} AS e ON e.id = s.event_id
WHERE s.event_id = $1`,
    },
    deleteStatus: {
      name: "archive.delete-status",
      text: `DELETE FROM ${tables.status} WHERE event_id = $1`,
    },
    deleteEvent: { name: "archive.delete-events", text: `DELETE FROM ${tables.events} WHERE id = $1` },
  } satisfies Record<string, Statement>;
}

export const rowByRow: Shape = (context) => {
  const sql = statementsOf(context);
  const isDeleteExplicit = context.archiveDelete === "explicit";
  const { areColumnsGenerated } = PAYLOAD_TRAITS[context.payload];
  const valuesOf = (event: PreparedEvent, document: string): SqlValue[] =>
    areColumnsGenerated
      ? [event.id, document]
      : [event.id, document, event.eventType, event.authorityId, event.trainId];
  return multiStatement(context, {
    statements: {
      add: [sql.addEvent, sql.addStatus],
      process: [sql.advance, sql.rewrite],
      archive: [sql.copy, ...(isDeleteExplicit ? [sql.deleteStatus] : []), sql.deleteEvent],
    },
    documentRoom: 0,
    valuesToAdd(batch) {
      const events = batch.events();
      const texts = makesDocuments(context) ? batch.values() : undefined;
      const rows = events.map((event, i) => valuesOf(event, texts?.[i] ?? event.payload));
      return [rows, events.map(({ id }) => [id])];
    },
    claim: processClaim(context),
    decide(rows, request) {
      const passes = decidePasses(rows, request);
      const statuses = passes.map(({ id, status }) => [id, status]);
      return { passes, values: [statuses, passes.map((pass) => [pass.id, rewritePayload(pass)])] };
    },
    archiveValues: (ids) => ids.map((id) => [id]),
  });
};
