// Statement shape `single-statement`: each transaction is one data-modifying statement, and the business logic runs
// inside the database. Under read committed it needs no BEGIN and no COMMIT (the server's default isolation must be
// read committed, as PostgreSQL's is), so one round trip does everything, and PgBouncer's statement mode can carry
// it. With an app delay or another isolation it is wrapped in a transaction, and the delay comes after it.
import { TERMINAL_STATUSES, WORKABLE_STATUSES } from "../../model/lifecycle.js";
import { bindAhead } from "../bind-message.js";
import { float8Array } from "../binary-arrays.js";
import { advanceSql, rewriteSql } from "../business-rules-sql.js";
import { outcomeOf, type DecidedPass } from "../process-pass.js";
import { ARCHIVE_COLUMNS, ARCHIVE_VALUES, lockingSelect, readFind, readRecent } from "../statements.js";
import { RECENT_LIMIT, type StatementContext } from "../statements.js";
import { asTransaction, inReadTransaction, inTransaction } from "../transaction.js";
import type { Connection, SqlRow, Statement, StatementValues, Workload } from "../workload.js";
import { batchArrays, documentRoom, insertBatch } from "./batch-arrays.js";
import { beginOf, findValues, presenceCounter, type Shape } from "./shape.js";

/** A batch of events and their status rows: $1 .. one array for each column of the insert. */
function addStatement(context: StatementContext): Statement {
  return {
    name: "add",
    text: `WITH added AS (
  ${insertBatch(context)}
  RETURNING id
)
INSERT INTO ${context.tables.status} (event_id) SELECT id FROM added`,
  };
}

/**
 * $1 limit, $2 rolls (one for each row, by key order, as the other shapes roll), $3 $4 $5 chances. The update of a
 * document that another client changed since the snapshot is computed again from the newest one.
 */
function processStatement(context: StatementContext): Statement {
  const { tables, payload } = context;
  const chances = { claim: "$3::float8", complete: "$4::float8", fail: "$5::float8" };
  return {
    name: "process",
    text: `WITH claimed AS (
  ${lockingSelect(context, WORKABLE_STATUSES)}
), rolled AS (
  SELECT event_id, status, ($2::float8[])[(row_number() OVER (ORDER BY event_id))::integer] AS roll FROM claimed
), decided AS (
  SELECT event_id, status AS was, ${advanceSql("status", "roll", chances)} AS status
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

/** $1 limit. */
function archiveStatement(context: StatementContext): Statement {
  const { tables } = context;
  return {
    name: "archive",
    text: `WITH claimed AS (
  ${lockingSelect(context, TERMINAL_STATUSES)}
), copied AS (
  INSERT INTO ${tables.archive} (${ARCHIVE_COLUMNS})
  SELECT ${ARCHIVE_VALUES}
  FROM claimed AS s JOIN ${tables.events} AS e ON e.id = s.event_id
), deleted_status AS (
  DELETE FROM ${tables.status} AS s USING claimed AS c WHERE s.event_id = c.event_id
), deleted_events AS (
  DELETE FROM ${tables.events} AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id`,
  };
}

/** Both look-ups: $1 event type, $2 limit, then what `read.find` takes. */
function readStatement(context: StatementContext): Statement {
  const find = readFind(context).text.replace(/\$(\d)/g, (_, n: string) => `$${Number(n) + 2}`);
  return { name: "read", text: `(${readRecent(context).text})\nUNION ALL\n(${find})` };
}

export const singleStatement: Shape = (context) => {
  const begin = beginOf(context);
  const add = addStatement(context);
  const process = processStatement(context);
  const archive = archiveStatement(context);
  const read = readStatement(context);
  const presence = presenceCounter(context);
  const isAlone = context.isolation === "read committed";

  /** One statement as one transaction; `before` runs while its locks are held. */
  function run(
    connection: Connection,
    statement: Statement,
    values: StatementValues,
    before?: (rows: readonly SqlRow[]) => Promise<void>,
  ): Promise<SqlRow[]> {
    if (isAlone && !before) return asTransaction(() => connection.execute(statement, values));
    return inTransaction(connection, begin, async () => {
      const rows = await connection.execute(statement, values);
      await before?.(rows);
      return rows;
    });
  }

  const prepareAdd: Workload["prepareAdd"] = (batch) => {
    if (batch.size === 0) return () => Promise.resolve();
    const values = bindAhead(add, batchArrays(context, batch));
    return async (connection) => {
      await run(connection, add, values);
    };
  };

  return {
    statements: [add, process, archive, read, presence.statement],
    documentRoom: documentRoom(context),
    prepareAdd,
    add: (connection, batch) => prepareAdd(batch)(connection),
    async process(connection, { limit, roll, chances, appDelay }) {
      const rolls = float8Array(limit, roll);
      const values = [limit, rolls, chances.claim, chances.complete, chances.fail];
      const hold =
        appDelay && (async (rows: readonly SqlRow[]) => (rows.length > 0 ? appDelay() : undefined));
      const rows = await run(connection, process, values, hold);
      return outcomeOf(rows as unknown as readonly DecidedPass[]);
    },
    async archive(connection, limit) {
      const rows = await run(connection, archive, [limit]);
      return { archivedIds: rows.map((row) => row.event_id as string) };
    },
    async read(connection, probe) {
      const values = [probe.eventType, RECENT_LIMIT, ...findValues(context.payload, probe)];
      if (isAlone) return (await connection.execute(read, values)).length;
      return inReadTransaction(connection, beginOf(context, "READ ONLY"), async () => {
        return (await connection.execute(read, values)).length;
      });
    },
    countPresent: presence.countPresent,
  };
};
