// Every update increments and returns a row's version, so that clients know its place in the order.
import type { AdminClient } from "../../../database/postgres/admin.js";
import { postgres as dialect } from "../../../database/postgres/dialects/postgres/dialect.js";
import { fillTables } from "../../../database/postgres/fill-tables.js";
import { asTransaction } from "../../../database/postgres/transaction.js";
import type { Connection, Statement } from "../../../database/sql.js";
import { pathsOf, UPDATED_VALUE_INDEX } from "../document.js";
import { updateOf, type DocumentsSettings, type Treatment } from "../settings.js";
import type { Document, DocumentStore, StoredDocument } from "../store.js";

/** Approximate number of bytes of the rows that the audit reads at a time. */
const PORTION_BYTES = 4 * 1024 ** 2;

/** Step between the values of a slice: it has every tenth value, 10 of 100. */
const SLICE_STEP = 10;

/** Name of the table with its schema, quoted. */
function tableOf({ namespace }: Pick<Treatment, "namespace">): string {
  return `${dialect.quoteIdentifier(namespace)}.documents`;
}

const isRelational = ({ column }: DocumentsSettings): boolean => column === "relational";
const hasIdColumn = (settings: DocumentsSettings): boolean =>
  isRelational(settings) || settings.index === "btree-id";

const columnsOf = ({ shape }: DocumentsSettings): string[] => pathsOf(shape).map(([name = ""]) => name);

const jsonExpression = ({ column }: DocumentsSettings): string => (column === "text" ? "data::json" : "data");

const INDEXES: Partial<Record<DocumentsSettings["index"], string>> = {
  expression: "UNIQUE INDEX documents_index ON {{namespace}}.documents ((data ->> 'id'))",
  gin: "INDEX documents_index ON {{namespace}}.documents USING gin (data)",
  "gin-path-ops": "INDEX documents_index ON {{namespace}}.documents USING gin (data jsonb_path_ops)",
};

function createTable(settings: DocumentsSettings): string[] {
  const id = `id text NOT NULL${settings.index === "btree-id" ? " PRIMARY KEY" : ""}`;
  const columns = [
    ...(hasIdColumn(settings) ? [id] : []),
    "version int NOT NULL DEFAULT 0",
    ...(isRelational(settings)
      ? columnsOf(settings).map((name) => `${name} text NOT NULL`)
      : [`data ${settings.column} NOT NULL`]),
  ];
  const index = INDEXES[settings.index];
  return [
    `CREATE TABLE {{namespace}}.documents (\n  ${columns.join(",\n  ")}\n)`,
    ...(isRelational(settings)
      ? []
      : [
          `ALTER TABLE {{namespace}}.documents ALTER COLUMN data SET STORAGE ${settings.toast.toUpperCase()}`,
        ]),
    ...(index === undefined ? [] : [`CREATE ${index}`]),
  ];
}

/** SQL condition for the document with the key $1, in the form that `keyValue` expects. */
function condition(settings: DocumentsSettings): string {
  if (hasIdColumn(settings)) return "id = $1";
  return usesContainment(settings) ? "data @> $1::jsonb" : `${jsonExpression(settings)} ->> 'id' = $1`;
}

const usesContainment = ({ index }: DocumentsSettings): boolean => index.startsWith("gin");

export function keyValue(settings: DocumentsSettings, key: string): string {
  return usesContainment(settings) ? JSON.stringify({ id: key }) : key;
}

function sliceSql(settings: DocumentsSettings, table: string): string {
  const slicedPaths = pathsOf(settings.shape).filter((_, i) => i % SLICE_STEP === 0);
  const document = jsonExpression(settings);
  if (settings.slice === "paths") {
    const values = slicedPaths.map((path) =>
      path.length === 1 ? `${document} ->> '${path.join()}'` : `${document} #>> '{${path.join()}}'`,
    );
    return `SELECT ${values.join(", ")} FROM ${table} WHERE ${condition(settings)}`;
  }
  const record = settings.column === "jsonb" ? "jsonb_to_record" : "json_to_record";
  const columns = slicedPaths.map((path) => `${path.join()} text`);
  return `SELECT r.* FROM ${table}, ${record}(${document}) AS r (${columns.join(", ")}) WHERE ${condition(settings)}`;
}

/** SQL assignments of an update: the parameter is $2; for all values of a relational row $2 and the following ones. */
function assignments(settings: DocumentsSettings): string[] {
  const path = pathsOf(settings.shape)[UPDATED_VALUE_INDEX] ?? [];
  switch (updateOf(settings)) {
    case "jsonb_set":
      return [`data = jsonb_set(data, '{${path.join()}}', to_jsonb($2::text))`];
    case "column":
      return [`${path.join()} = $2`];
    case "whole":
      return isRelational(settings)
        ? columnsOf(settings).map((name, i) => `${name} = $${i + 2}`)
        : ["data = $2"];
  }
}

export function statementsOf(settings: Treatment) {
  const table = tableOf(settings);
  const where = condition(settings);
  const document = isRelational(settings) ? columnsOf(settings) : ["data"];
  const columns = [...(hasIdColumn(settings) ? ["id"] : []), ...document];
  const values = columns.map((_, i) => `$${i + 1}`);
  const set = [...assignments(settings), "version = version + 1"];
  return {
    read: { name: "read", text: `SELECT ${document.join(", ")} FROM ${table} WHERE ${where}` },
    insert: {
      name: "insert",
      text: `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values.join(", ")})`,
    },
    update: {
      name: "update",
      text: `UPDATE ${table} SET ${set.join(", ")} WHERE ${where} RETURNING version`,
    },
    slice: { name: "slice", text: isRelational(settings) ? "" : sliceSql(settings, table) },
    isThere: { name: "insert.settle", text: `SELECT 1 FROM ${table} WHERE ${where}` },
  } satisfies Record<string, Statement>;
}

/** Parameters of an insert, in order. */
function insertValues(settings: DocumentsSettings, document: Document): string[] {
  return [...(hasIdColumn(settings) ? [document.key] : []), ...storedValues(settings, document)];
}

function storedValues(settings: DocumentsSettings, { values, json }: Document): readonly string[] {
  return isRelational(settings) ? values : [json];
}

/** SQL that inserts rows for the JSON documents in the array $1. */
function preloadSql(settings: Treatment): string {
  const table = tableOf(settings);
  if (isRelational(settings)) {
    const columns = ["id", ...columnsOf(settings)].join(", ");
    return `INSERT INTO ${table} (${columns})
SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`;
  }
  const columns = hasIdColumn(settings) ? ["id", "data"] : ["data"];
  const values = hasIdColumn(settings) ? "document ->> 'id', " : "";
  return `INSERT INTO ${table} (${columns.join(", ")})
SELECT ${values}document::text::${settings.column} FROM json_array_elements($1::json) AS document`;
}

/**
 * Query for all rows: id column if there is one, version, text of the document, and the sizes of document and row in bytes.
 */
function auditSql(settings: Treatment): string {
  const document = isRelational(settings) ? "to_jsonb(d) - 'version'" : "data";
  const stored = isRelational(settings) ? columnsOf(settings) : ["data"];
  const bytes = stored.map((name) => `pg_column_size(${name})`).join(" + ");
  return `SELECT ${hasIdColumn(settings) ? "id, " : ""}version, (${document})::text AS document, ${bytes} AS document_bytes, pg_column_size(d.*) AS row_bytes
FROM ${tableOf(settings)} AS d`;
}

async function* scan(admin: AdminClient, settings: Treatment): AsyncGenerator<StoredDocument> {
  let [rows, bytes, portion] = [0, 0, 100];
  await admin.query(`BEGIN; DECLARE audited NO SCROLL CURSOR FOR ${auditSql(settings)}`);
  try {
    for (;;) {
      const fetchedRows = await admin.query(`FETCH ${portion} FROM audited`);
      if (fetchedRows.length === 0) return;
      for (const { id, version, document, document_bytes: stored, row_bytes: row } of fetchedRows) {
        yield {
          id: id === undefined ? undefined : `${id as string | null}`,
          version: Number(version),
          text: String(document),
          documentBytes: Number(stored),
          rowBytes: Number(row),
        };
        rows++;
        bytes += Number(row);
      }
      portion = Math.max(1, Math.ceil((PORTION_BYTES * rows) / bytes));
    }
  } finally {
    await admin.query("ROLLBACK");
  }
}

export const postgres: DocumentStore = {
  dialects: ["postgres"],
  tables: (settings) => ({
    variant: "workload documents",
    files: [],
    statements: createTable(settings),
  }),
  statements: (settings) => Object.values(statementsOf(settings)).filter(({ text }) => text !== ""),
  operations(settings) {
    const { insert, read, slice, update, isThere } = statementsOf(settings);
    return {
      insert(document) {
        const values = insertValues(settings, document);
        return (session: Connection) => asTransaction(session.execute(insert, values), () => true);
      },
      read(key) {
        const values = [keyValue(settings, key)];
        return (session: Connection) => session.execute(read, values);
      },
      slice(key) {
        const values = [keyValue(settings, key)];
        return (session: Connection) => session.execute(slice, values);
      },
      update(key, change) {
        const changed = typeof change === "string" ? [change] : storedValues(settings, change);
        const values = [keyValue(settings, key), ...changed];
        return (session: Connection) =>
          asTransaction(session.execute(update, values), (rows) => rows.map(([version]) => Number(version)));
      },
      isThere(key) {
        const values = [keyValue(settings, key)];
        return async (session: Connection) => (await session.execute(isThere, values)).length > 0;
      },
    };
  },
  fill: (admin: AdminClient, settings, portions) =>
    fillTables(
      admin,
      { namespace: settings.namespace, tables: [tableOf(settings)], dialect },
      async (session) => {
        for (const portion of portions) await session.query(preloadSql(settings), [`[${portion.join()}]`]);
      },
    ),
  scan,
};
