// Every update increments and returns a row's version, so that clients know its place in the order.
import type { AdminClient } from "../../../database/postgres/admin.js";
import { postgres as dialect } from "../../../database/postgres/dialects/postgres/dialect.js";
import { fillTables } from "../../../database/postgres/fill-tables.js";
import { asTransaction } from "../../../database/postgres/transaction.js";
import type { Connection, Statement } from "../../../database/sql.js";
import { ARRAY_NAME, pathsOf, UPDATED_VALUE_INDEX, type Shape } from "../document.js";
import { updateOf, type DocumentsSettings, type Treatment } from "../settings.js";
import type { Document, DocumentOperations, DocumentStore, StoredDocument } from "../store.js";

/** Approximate number of bytes of the rows that the audit reads at a time. */
const PORTION_BYTES = 4 * 1024 ** 2;

/** Step between the values of a slice: it has every tenth value, 10 of 100. */
const SLICE_STEP = 10;

/** Name of the table with its schema, quoted. */
function tableOf({ namespace }: Pick<Treatment, "namespace">): string {
  return `${dialect.quoteIdentifier(namespace)}.documents`;
}

const isRelational = ({ column }: DocumentsSettings): boolean => column === "relational";
const isGenerated = ({ index }: DocumentsSettings): boolean => index === "generated-stored";
/** True if a statement writes the id to a separate column. */
const writesId = (settings: DocumentsSettings): boolean =>
  isRelational(settings) || settings.index === "btree-id";
const hasIdColumn = (settings: DocumentsSettings): boolean => writesId(settings) || isGenerated(settings);

const columnsOf = ({ shape }: DocumentsSettings): string[] => pathsOf(shape).map(([name = ""]) => name);

const jsonExpression = ({ column }: DocumentsSettings): string => (column === "text" ? "data::json" : "data");

/** SQL expression for one value of a document. */
const valueAt = (document: string, path: readonly string[]): string =>
  path.length === 1 ? `${document} ->> '${path.join()}'` : `${document} #>> '{${path.join()}}'`;

/** Number of leading values that an index of level `multicolumn` has besides the id. */
const INDEXED_VALUES = 2;

function indexSql({ index, shape }: DocumentsSettings): string | undefined {
  switch (index) {
    case "none":
    case "btree-id":
    case "generated-stored":
    case "generated-virtual":
      return undefined;
    case "expression":
      return "UNIQUE INDEX documents_index ON {{namespace}}.documents ((data ->> 'id'))";
    case "multicolumn": {
      const paths = [["id"], ...pathsOf(shape).slice(0, INDEXED_VALUES)];
      const expressions = paths.map((path) => `(${valueAt("data", path)})`).join(", ");
      return `INDEX documents_index ON {{namespace}}.documents (${expressions})`;
    }
    case "gin":
      return "INDEX documents_index ON {{namespace}}.documents USING gin (data)";
    case "gin-path-ops":
      return "INDEX documents_index ON {{namespace}}.documents USING gin (data jsonb_path_ops)";
  }
}

function createTable(settings: DocumentsSettings): string[] {
  const generation = isGenerated(settings) ? " GENERATED ALWAYS AS (data ->> 'id') STORED" : "";
  const isKey = settings.index === "btree-id" || isGenerated(settings);
  const id = `id text NOT NULL${generation}${isKey ? " PRIMARY KEY" : ""}`;
  const columns = [
    ...(hasIdColumn(settings) ? [id] : []),
    "version int NOT NULL DEFAULT 0",
    ...(isRelational(settings)
      ? columnsOf(settings).map((name) => `${name} text NOT NULL`)
      : [`data ${settings.column} NOT NULL`]),
  ];
  const index = indexSql(settings);
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

/** SQL expression for the id of a document. */
const idExpression = (settings: DocumentsSettings): string =>
  hasIdColumn(settings) ? "id" : `${jsonExpression(settings)} ->> 'id'`;

/** SQL condition for the document with the key $1, in the form that `keyValue` expects. */
function condition(settings: DocumentsSettings): string {
  if (!usesContainment(settings)) return `${idExpression(settings)} = $1`;
  return `data @> ${buildsObjects(settings) ? "jsonb_build_object('id', $1::text)" : "$1::jsonb"}`;
}

const usesContainment = ({ index }: DocumentsSettings): boolean => index.startsWith("gin");
const buildsObjects = ({ parse }: DocumentsSettings): boolean => parse === "build-object";

export function keyValue(settings: DocumentsSettings, key: string): string {
  return usesContainment(settings) && !buildsObjects(settings) ? JSON.stringify({ id: key }) : key;
}

/** Largest number of arguments that PostgreSQL passes to a function one by one. */
const ARGUMENTS_MAX = 100;

type Members = Map<string, Members | string>;

function buildSql(members: Members, kind: "object" | "array" = "object"): string {
  const parts = [...members].flatMap(([name, member]) => {
    const value =
      typeof member === "string" ? member : buildSql(member, name === ARRAY_NAME ? "array" : "object");
    return kind === "array" ? [value] : [`'${name}'`, value];
  });
  const list = parts.join(", ");
  return `jsonb_build_${kind}(${parts.length > ARGUMENTS_MAX ? `VARIADIC ARRAY[${list}]` : list})`;
}

/** SQL expression that builds a document of the key $1 and the values from $2 on. */
function documentSql(shape: Shape): string {
  const root: Members = new Map([["id", "$1::text"]]);
  for (const [i, path] of pathsOf(shape).entries()) {
    let at = root;
    for (const name of path.slice(0, -1)) {
      const below = at.get(name);
      const members: Members = below instanceof Map ? below : new Map();
      at.set(name, members);
      at = members;
    }
    at.set(path.at(-1) ?? "", `$${i + 2}::text`);
  }
  return buildSql(root);
}

function sliceSql(settings: DocumentsSettings, table: string): string {
  const slicedPaths = pathsOf(settings.shape).filter((_, i) => i % SLICE_STEP === 0);
  const document = jsonExpression(settings);
  if (settings.slice === "paths") {
    const values = slicedPaths.map((path) => valueAt(document, path));
    return `SELECT ${values.join(", ")} FROM ${table} WHERE ${condition(settings)}`;
  }
  const record = settings.column === "jsonb" ? "jsonb_to_record" : "json_to_record";
  const columns = slicedPaths.map((path) => `${path.join()} text`);
  return `SELECT r.* FROM ${table}, ${record}(${document}) AS r (${columns.join(", ")}) WHERE ${condition(settings)}`;
}

function unwrapSql(settings: DocumentsSettings, table: string): string {
  const type = settings.column === "jsonb" ? "jsonb" : "json";
  const document = jsonExpression(settings);
  const members =
    settings.shape === "array"
      ? `${type}_array_elements(${document} -> '${ARRAY_NAME}')`
      : `${type}_each(${document})`;
  return `SELECT m.* FROM ${table}, ${members} AS m WHERE ${condition(settings)}`;
}

function scanSql(settings: DocumentsSettings, table: string): string {
  const id = idExpression(settings);
  const document = isRelational(settings) ? columnsOf(settings).join(", ") : "data";
  return `SELECT ${document} FROM ${table} WHERE ${id} >= $1 ORDER BY ${id} LIMIT $2`;
}

/** SQL assignments of an update: the parameter is $2; for all values of a relational row $2 and the following ones. */
function assignments(settings: DocumentsSettings): string[] {
  const path = pathsOf(settings.shape)[UPDATED_VALUE_INDEX] ?? [];
  switch (updateOf(settings)) {
    case "json_set":
    case "jsonb_set":
      return [`data = jsonb_set(data, '{${path.join()}}', to_jsonb($2::text))`];
    case "column":
      return [`${path.join()} = $2`];
    case "whole":
      return isRelational(settings)
        ? columnsOf(settings).map((name, i) => `${name} = $${i + 2}`)
        : [`data = ${buildsObjects(settings) ? documentSql(settings.shape) : "$2"}`];
  }
}

export function statementsOf(settings: Treatment) {
  const table = tableOf(settings);
  const where = condition(settings);
  const document = isRelational(settings) ? columnsOf(settings) : ["data"];
  const columns = [...(writesId(settings) ? ["id"] : []), ...document];
  const values = buildsObjects(settings)
    ? [...(writesId(settings) ? ["$1"] : []), documentSql(settings.shape)]
    : columns.map((_, i) => `$${i + 1}`);
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
    unwrap: { name: "unwrap", text: isRelational(settings) ? "" : unwrapSql(settings, table) },
    scan: { name: "scan", text: usesContainment(settings) ? "" : scanSql(settings, table) },
    isThere: { name: "insert.settle", text: `SELECT 1 FROM ${table} WHERE ${where}` },
  } satisfies Record<string, Statement>;
}

/** Parameters of an insert, in order. */
function insertValues(settings: DocumentsSettings, document: Document): string[] {
  if (buildsObjects(settings)) return [document.key, ...document.values];
  return [...(writesId(settings) ? [document.key] : []), ...storedValues(settings, document)];
}

function storedValues(settings: DocumentsSettings, { values, json }: Document): readonly string[] {
  return isRelational(settings) || buildsObjects(settings) ? values : [json];
}

/** SQL that inserts rows for the JSON documents in the array $1. */
function preloadSql(settings: Treatment): string {
  const table = tableOf(settings);
  if (isRelational(settings)) {
    const columns = ["id", ...columnsOf(settings)].join(", ");
    return `INSERT INTO ${table} (${columns})
SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`;
  }
  const columns = writesId(settings) ? ["id", "data"] : ["data"];
  const values = writesId(settings) ? "document ->> 'id', " : "";
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

const UNSUPPORTED_LEVELS = {
  index: {
    "generated-virtual": {
      reason: "versions 12 to 17 have stored generated columns only, and 18 has no index on virtual ones",
      nearest: "generated-stored",
    },
  },
  update: { json_set: { reason: "it has no JSON_SET", nearest: "jsonb_set, or whole with column: json" } },
};

export const postgres: DocumentStore = {
  dialects: ["postgres"],
  unsupportedLevels: () => UNSUPPORTED_LEVELS,
  preservesText: ({ column }) => column === "text" || column === "json",
  tables: (settings) => ({
    variant: "workload documents",
    files: [],
    statements: createTable(settings),
  }),
  statements: (settings) => Object.values(statementsOf(settings)).filter(({ text }) => text !== ""),
  operations(settings) {
    const { insert, read, slice, unwrap, scan, update, isThere } = statementsOf(settings);
    const byKey = (statement: Statement) => (key: string) => {
      const values = [keyValue(settings, key)];
      return (session: Connection) => session.execute(statement, values);
    };
    const readByKey = byKey(read);
    const updateByKey: DocumentOperations["update"] = (key, change) => {
      const changed = typeof change === "string" ? [change] : storedValues(settings, change);
      const values = [keyValue(settings, key), ...changed];
      return (session: Connection) =>
        asTransaction(session.execute(update, values), (rows) => rows.map(([version]) => Number(version)));
    };
    return {
      insert(document) {
        const values = insertValues(settings, document);
        return (session: Connection) => asTransaction(session.execute(insert, values), () => true);
      },
      read: readByKey,
      slice: byKey(slice),
      unwrap: byKey(unwrap),
      scan(key, length) {
        const values = [key, length];
        return (session: Connection) => session.execute(scan, values);
      },
      update: updateByKey,
      modify(key, change) {
        const [runRead, runUpdate] = [readByKey(key), updateByKey(key, change)];
        return async (session: Connection) => {
          await runRead(session);
          return runUpdate(session);
        };
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
