// Each transaction is one statement, without BEGIN if read committed and without app delay.
import { WORKABLE_STATUSES, type EventStatus } from "../model/lifecycle.js";
import { bindAhead } from "../../../database/postgres/wire/bind-message.js";
import { float8Array } from "../../../database/postgres/wire/binary-arrays.js";
import { advanceSql, rewriteSql } from "./business-rules-sql.js";
import { createChanceFormatter, outcomeOf } from "./process-pass.js";
import {
  ARCHIVE_COLUMNS,
  ARCHIVE_VALUES,
  archiveSelect,
  lockingSelect,
  readByTrainStatement,
  readRecentStatement,
  RECENT_LIMIT,
  type StatementContext,
} from "./statements.js";
import { asTransaction, inReadTransaction, inTransaction } from "../../../database/postgres/transaction.js";
import type { ReadRunner } from "./questions.js";
import type { ArchiveOutcome, ProcessOutcome, ReadOutcome } from "../store.js";
import { batchArrays, documentRoom, insertBatchSql } from "./batch-arrays.js";
import { findValues, type Shape } from "./shape.js";
import type { Connection, Statement, StatementRow, StatementValues } from "../../../database/sql.js";

/** Inserts a batch of events and their status rows: $1 and following are one array for each column of the insert. */
function addStatement(context: StatementContext): Statement {
  return {
    name: "add",
    text: `WITH added AS (
  ${insertBatchSql(context)}
  RETURNING id
)
INSERT INTO ${context.tables.status} (event_id) SELECT id FROM added`,
  };
}

/**
 * One statement that claims and advances events: $1 limit, $2 rolls (one for each row, in key order), $3 $4 $5 chances. If
 * another client changed a document since the snapshot, its update is computed again from the newest version.
 */
function processStatement(context: StatementContext): Statement {
  const { tables, payload, isOneStep } = context;
  const chances = { claim: "$3::float8", complete: "$4::float8", fail: "$5::float8" };
  return {
    name: "process",
    text: `WITH claimed AS (
  ${lockingSelect(context, WORKABLE_STATUSES)}
), rolled AS (
  SELECT event_id, status, ($2::float8[])[(row_number() OVER (ORDER BY event_id))::integer] AS roll FROM claimed
), decided AS (
  SELECT event_id, status AS was, ${advanceSql("status", "roll", chances, isOneStep)} AS status
  FROM rolled
), advanced AS (
  UPDATE ${tables.status} AS s
  SET status = d.status, attempts = s.attempts + 1, updated_at = clock_timestamp()
  FROM decided AS d WHERE s.event_id = d.event_id
), rewritten AS (
  UPDATE ${tables.events} AS e SET payload = ${rewriteSql(payload, "d.status")}
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id`,
  };
}

/** One statement that archives events; $1 is the limit. */
function archiveStatement(context: StatementContext): Statement {
  const { tables, archiveDelete } = context;
  const deleteStatus = `deleted_status AS (
  DELETE FROM ${tables.status} AS s USING claimed AS c WHERE s.event_id = c.event_id
), `;
  return {
    name: "archive",
    text: `WITH claimed AS (
  ${archiveSelect(context)}
), copied AS (
  INSERT INTO ${tables.archive} (${ARCHIVE_COLUMNS})
  SELECT ${ARCHIVE_VALUES}
  FROM claimed AS s JOIN ${tables.events} AS e ON e.id = s.event_id
), ${archiveDelete === "explicit" ? deleteStatus : ""}deleted_events AS (
  DELETE FROM ${tables.events} AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id`,
  };
}

/** Both look-ups in one statement: $1 event type, $2 limit, then the parameters of `read.find`. */
function readStatement(context: StatementContext): Statement {
  const find = readByTrainStatement(context).text.replace(/\$(\d)/g, (_, n: string) => `$${Number(n) + 2}`);
  return { name: "read", text: `(${readRecentStatement(context).text})\nUNION ALL\n(${find})` };
}

const noOutcome = (): undefined => undefined;

function archiveOutcomeOf(rows: readonly StatementRow[]): ArchiveOutcome {
  return { archivedIds: rows.map((row) => row[0] as string) };
}

function processOutcomeOf(rows: readonly StatementRow[]): ProcessOutcome {
  const passes = rows as readonly [id: string, was: EventStatus, status: EventStatus][];
  return outcomeOf(passes.map(([id, was, status]) => ({ id, was, status })));
}

export const singleStatement: Shape = (context) => {
  const begin = context.dialect.begin(context.isolation, "READ WRITE");
  const beginRead = context.dialect.begin(context.isolation, "READ ONLY");
  const add = addStatement(context);
  const process = processStatement(context);
  const archive = archiveStatement(context);
  const read = readStatement(context);
  const readsWithoutTransaction = context.isolation === "read committed";
  const inRead: ReadRunner = (connection, ask) =>
    readsWithoutTransaction
      ? ask()
      : inReadTransaction(connection, beginRead, ask, context.pipeline === true);
  const formatChances = createChanceFormatter();

  /** Runs one statement as one transaction. If its outcome has events, the app delay follows while the locks are held. */
  function run<T>(
    connection: Connection,
    statement: Statement,
    values: StatementValues,
    outcomeOfRows: (rows: readonly StatementRow[]) => T,
    hasEvents: (outcome: T) => boolean,
    appDelay?: () => Promise<void>,
  ): Promise<T> {
    if (readsWithoutTransaction && !appDelay)
      return asTransaction(connection.execute(statement, values), outcomeOfRows);
    const body = async (): Promise<T> => {
      const outcome = outcomeOfRows(await connection.execute(statement, values));
      if (hasEvents(outcome)) await appDelay?.();
      return outcome;
    };
    return inTransaction(connection, begin, body, context.pipeline === true);
  }

  return {
    statements: [add, process, archive, ...(context.reads.dispatcher > 0 ? [read] : [])],
    documentRoom: documentRoom(context),
    inRead,
    add(batch) {
      if (batch.size === 0) return () => Promise.resolve();
      const values = bindAhead(add, batchArrays(context, batch));
      return (connection: Connection, appDelay) =>
        run(connection, add, values, noOutcome, () => true, appDelay);
    },
    process({ limit, roll, chances }) {
      const values = bindAhead(process, [limit, float8Array(limit, roll), ...formatChances(chances)]);
      return (connection: Connection, appDelay) =>
        run(connection, process, values, processOutcomeOf, ({ events }) => events > 0, appDelay);
    },
    archive(limit) {
      const values = bindAhead(archive, [limit]);
      return (connection: Connection, appDelay) =>
        run(
          connection,
          archive,
          values,
          archiveOutcomeOf,
          ({ archivedIds }) => archivedIds.length > 0,
          appDelay,
        );
    },
    read(probe) {
      const values = bindAhead(read, [probe.eventType, RECENT_LIMIT, ...findValues(context.payload, probe)]);
      const ask = (connection: Connection): Promise<ReadOutcome> =>
        connection.execute(read, values).then((rows) => ({ answers: [rows] }));
      return (connection: Connection) => inRead(connection, () => ask(connection));
    },
  };
};
