// Calls in PostgreSQL: batches go in by COPY, which only PostgreSQL has, or by one INSERT of arrays.
import type { AdminClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { fillTables, insertNumberedRows } from "../../../database/postgres/fill-tables.js";
import { inSnapshot } from "../../../database/postgres/namespace/snapshot.js";
import { inTransaction } from "../../../database/postgres/transaction.js";
import { bindAhead } from "../../../database/postgres/wire/bind-message.js";
import { CopyRows } from "../../../database/postgres/wire/copy-call.js";
import type { Connection } from "../../../database/sql.js";
import { callId, COLUMNS, drawRows, placeOf, type BatchPlace, type CallRow } from "../batch.js";
import { asksProbe, type Treatment } from "../settings.js";
import type { CallsStore, Difference } from "../store.js";
import {
  batchSumsQuery,
  clusterStatement,
  differencesQuery,
  referenceTablesOf,
  SIZE_QUERY,
  statementsOf,
  tablesOf,
} from "./statements.js";
import { createTables } from "./tables.js";

/** Number of rows that are turned into text at a time, so that few values are in memory. */
const ROWS_PER_FLUSH = 1_000;

/** Text of a batch in the format of COPY. */
export function copyBatch(
  settings: Treatment,
  seed: number,
  place: BatchPlace,
): { rows: number; copy: CopyRows } {
  const copy = new CopyRows();
  const rows = drawRows(settings, seed, place, (row) =>
    copy.add(row.map((value) => value ?? "\\N").join("\t")),
  );
  return { rows, copy: copy.end() };
}

/**
 * Parameters of an INSERT of a batch: an array for each column, in the server's text format. No value contains a comma, a
 * quote or a brace.
 */
export function arrayBatch(
  settings: Treatment,
  seed: number,
  place: BatchPlace,
): { rows: number; arrays: string[] } {
  const texts = COLUMNS.map(() => "");
  let pendingRows: CallRow[] = [];
  const flush = (): void => {
    for (const [column, text] of texts.entries())
      texts[column] = text + pendingRows.map((row) => `,${row[column] ?? "NULL"}`).join("");
    pendingRows = [];
  };
  const rows = drawRows(settings, seed, place, (row) => {
    if (pendingRows.push(row) === ROWS_PER_FLUSH) flush();
  });
  flush();
  return { rows, arrays: texts.map((text) => `{${text.slice(1)}}`) };
}

/** A batch in the form in which it is sent. */
interface PreparedBatch {
  readonly rows: number;
  send(connection: Connection): Promise<unknown>;
}

export const postgres: CallsStore = {
  dialects: ["postgres", "cloudberry"],
  tables: (settings) => ({
    variant: `calls ${settings.indexes}`,
    files: [],
    statements: createTables(settings),
  }),
  statements: (settings) =>
    Object.entries(statementsOf(settings)).flatMap(([operation, statement]) =>
      asksProbe(operation, settings) ? [statement] : [],
    ),

  operations(settings, seed) {
    const statements = statementsOf(settings);
    const begin = dialectOf(settings.dialect).begin("read committed", "READ WRITE");

    function prepareBatch(place: BatchPlace): PreparedBatch {
      if (settings.ingest === "copy") {
        const { rows, copy } = copyBatch(settings, seed, place);
        return { rows, send: (connection) => connection.copyIn(statements.copy, copy) };
      }
      const { rows, arrays } = arrayBatch(settings, seed, place);
      const values = bindAhead(statements.insert, arrays);
      return { rows, send: (connection) => connection.execute(statements.insert, values) };
    }

    return {
      load([first, ...others]) {
        const made = prepareBatch(first);
        return (connection: Connection) =>
          inTransaction(connection, begin, async () => {
            await made.send(connection);
            let { rows } = made;
            for (const place of others) {
              const batch = prepareBatch(place);
              await batch.send(connection);
              rows += batch.rows;
            }
            return rows;
          });
      },
      isThere({ number }) {
        const values = [callId(number, 0)];
        return async (connection: Connection) =>
          (await connection.execute(statements.isThere, values)).length > 0;
      },
      probe(probe, values) {
        return (connection: Connection) => connection.execute(statements[probe], values);
      },
    };
  },

  fill(admin: AdminClient, settings, seed, isWanted) {
    const { namespace, batchesBefore, analyze } = settings;
    const referenceTables = referenceTablesOf(settings);
    const rows = referenceTables.map(({ table, columns, row, rows: count }) => ({
      into: `${table} (${columns.join(", ")})`,
      row,
      rows: count,
    }));
    const { insert } = statementsOf(settings);
    const calls = batchesBefore > 0 && analyze ? [tablesOf(settings).calls] : [];
    const cluster = batchesBefore > 0 ? clusterStatement(settings) : undefined;
    const tables = [...referenceTables.map(({ table }) => table), ...calls];
    return fillTables(admin, { namespace, tables, dialect: dialectOf(settings.dialect) }, async (session) => {
      await insertNumberedRows(session, rows, isWanted);
      const isReferenced = isWanted();
      let batches = 0;
      for (; batches < batchesBefore && isWanted(); batches++)
        await session.execute(insert, arrayBatch(settings, seed, placeOf(batches, settings)).arrays);
      if (cluster !== undefined && isWanted()) await session.query(cluster);
      return { isReferenced, batches };
    });
  },

  async scan(admin: AdminClient, settings, isReferenced) {
    const cluster = clusterStatement(settings);
    if (cluster !== undefined) await admin.query(cluster);
    return inSnapshot(admin, async () => {
      const sums = await admin.query(batchSumsQuery(settings));
      const differences: Difference[] = [];
      for (const reference of isReferenced ? referenceTablesOf(settings) : [])
        for (const { key, made, found } of await admin.query(differencesQuery(reference)))
          differences.push({
            table: reference.name,
            column: reference.columns[0],
            key,
            missing: Number(made),
            added: Number(found),
          });
      const batches = sums.map(({ batch, rows, sum }) => ({
        batch: batch === null ? null : Number(batch),
        rows: Number(rows),
        sum: Number(sum),
      }));
      const [size] = await admin.query(SIZE_QUERY, [settings.namespace]);
      return { batches, differences, bytes: Number(size?.bytes ?? 0) };
    });
  },
};
