// A statement that changes a version passes it to LAST_INSERT_ID, so that the answer to the UPDATE has the new version.
import type { MySqlAdmin } from "../../../database/mysql/admin.js";
import { quoteIdentifier } from "../../../database/mysql/quoting.js";
import type { MySqlSession } from "../../../database/mysql/session.js";
import { openSnapshot } from "../../../database/mysql/snapshot.js";
import { asTransaction } from "../../../database/mysql/transaction.js";
import type { Statement } from "../../../database/sql.js";
import { ARRAY_NAME, longestValueOf, pathsOf, UPDATED_VALUE_INDEX } from "../document.js";
import { updateOf, type DocumentsSettings, type Treatment } from "../settings.js";
import type { Document, DocumentOperations, DocumentStore } from "../store.js";

/** Step between the values of a slice: it has every tenth value, 10 of 100. */
const SLICE_STEP = 10;
/** Number of leading values that an index of level `multicolumn` has besides the id. */
const INDEXED_VALUES = 2;
/** Type of ids. Its collation compares bytes, so that ids have the order of their characters. */
const ID_TYPE = "varchar(255) COLLATE utf8mb4_bin";
const TABLE_OPTIONS = "ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4";

const tableOf = ({ namespace }: Pick<Treatment, "namespace">): string =>
  `${quoteIdentifier(namespace)}.documents`;

const isRelational = ({ column }: DocumentsSettings): boolean => column === "relational";
const isGenerated = ({ index }: DocumentsSettings): boolean => index.startsWith("generated-");
const isInMariaDb = ({ dialect }: Treatment): boolean => dialect === "mariadb";
/** True if a statement writes the id to a separate column. */
const writesId = (settings: DocumentsSettings): boolean =>
  isRelational(settings) || settings.index === "btree-id";
const hasIdColumn = (settings: DocumentsSettings): boolean => writesId(settings) || isGenerated(settings);

const columnsOf = ({ shape }: DocumentsSettings): string[] => pathsOf(shape).map(([name = ""]) => name);
const storedColumnsOf = (settings: DocumentsSettings): string[] =>
  isRelational(settings) ? columnsOf(settings) : ["data"];

/** Path of a value in a document, such as `$.group0.part1.value2` or `$.values[3]`. */
const pathText = (path: readonly string[]): string =>
  path.reduce((text, name) => (/^\d+$/.test(name) ? `${text}[${name}]` : `${text}.${name}`), "$");

/** SQL expression for one value of a document, as text. */
const valueAt = (path: readonly string[]): string => `JSON_UNQUOTE(JSON_EXTRACT(data, '${pathText(path)}'))`;

/** Expressions of a functional index: the id, and for `multicolumn` the first values. */
function indexedExpressions(settings: DocumentsSettings): string[] {
  const { index, shape } = settings;
  if (index !== "expression" && index !== "multicolumn") return [];
  const id = `CAST(${valueAt(["id"])} AS char(255)) COLLATE utf8mb4_bin`;
  if (index === "expression") return [id];
  // A character of ASCII takes one byte of the longest key, and one of utf8mb4 takes four.
  const type = `char(${longestValueOf(settings)}) CHARACTER SET ascii`;
  const paths = pathsOf(shape).slice(0, INDEXED_VALUES);
  return [id, ...paths.map((path) => `CAST(${valueAt(path)} AS ${type})`)];
}

/** SQL definition of the generated key column. MariaDB allows neither NOT NULL nor a primary key there. */
function generatedId(settings: Treatment): string {
  const kind = settings.index === "generated-stored" ? "STORED" : "VIRTUAL";
  const isPrimary = kind === "STORED" && !isInMariaDb(settings);
  return `id ${ID_TYPE} GENERATED ALWAYS AS (${valueAt(["id"])}) ${kind}${isPrimary ? " NOT NULL PRIMARY KEY" : " UNIQUE"}`;
}

function createTable(settings: Treatment): string[] {
  const { index, column } = settings;
  const id = `id ${ID_TYPE} NOT NULL${index === "btree-id" ? " PRIMARY KEY" : ""}`;
  const type = column === "json" ? "json" : "mediumtext";
  const columns = [
    ...(writesId(settings) ? [id] : []),
    "version int NOT NULL DEFAULT 0",
    ...storedColumnsOf(settings).map((name) => `${name} ${isRelational(settings) ? "text" : type} NOT NULL`),
    ...(isGenerated(settings) ? [generatedId(settings)] : []),
  ];
  const isUnique = index === "expression";
  const keys = indexedExpressions(settings)
    .map((expression) => `(${expression})`)
    .join(", ");
  return [
    `CREATE TABLE {{namespace}}.documents (\n  ${columns.join(",\n  ")}\n) ${TABLE_OPTIONS}`,
    ...(keys === ""
      ? []
      : [`CREATE ${isUnique ? "UNIQUE " : ""}INDEX documents_index ON {{namespace}}.documents (${keys})`]),
  ];
}

/** SQL expression for the id of a document. MySQL finds a functional index by the expression inside its CAST. */
const idExpression = (settings: DocumentsSettings): string =>
  hasIdColumn(settings) ? "id" : valueAt(["id"]);

function sliceSql(settings: DocumentsSettings, table: string, where: string): string {
  const slicedPaths = pathsOf(settings.shape).filter((_, i) => i % SLICE_STEP === 0);
  if (settings.slice === "paths")
    return `SELECT ${slicedPaths.map(valueAt).join(", ")} FROM ${table} WHERE ${where}`;
  const columns = slicedPaths.map((path) => `${path.join()} text PATH '${pathText(path)}'`);
  return `SELECT r.* FROM ${table}, JSON_TABLE(data, '$' COLUMNS (${columns.join(", ")})) AS r WHERE ${where}`;
}

function unwrapSql({ shape }: DocumentsSettings, table: string, where: string): string {
  if (shape === "array")
    return `SELECT m.value FROM ${table}, JSON_TABLE(data, '$.${ARRAY_NAME}[*]' COLUMNS (value text PATH '$')) AS m WHERE ${where}`;
  const names = "JSON_TABLE(JSON_KEYS(data), '$[*]' COLUMNS (name varchar(64) PATH '$')) AS m";
  return `SELECT m.name, JSON_EXTRACT(data, CONCAT('$.', m.name)) AS value FROM ${table}, ${names} WHERE ${where}`;
}

/** SQL assignments of an update, with a parameter for each value. */
function assignments(settings: DocumentsSettings): string[] {
  const path = pathsOf(settings.shape)[UPDATED_VALUE_INDEX] ?? [];
  switch (updateOf(settings)) {
    case "jsonb_set":
    case "json_set":
      return [`data = JSON_SET(data, '${pathText(path)}', ?)`];
    case "column":
      return [`${path.join()} = ?`];
    case "whole":
      return storedColumnsOf(settings).map((name) => `${name} = ?`);
  }
}

export function statementsOf(settings: Treatment) {
  const table = tableOf(settings);
  const id = idExpression(settings);
  const where = `${id} = ?`;
  const document = storedColumnsOf(settings);
  const columns = [...(writesId(settings) ? ["id"] : []), ...document];
  const set = [...assignments(settings), "version = LAST_INSERT_ID(version + 1)"];
  return {
    read: { name: "read", text: `SELECT ${document.join(", ")} FROM ${table} WHERE ${where}` },
    insert: {
      name: "insert",
      text: `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    },
    update: { name: "update", text: `UPDATE ${table} SET ${set.join(", ")} WHERE ${where}` },
    slice: { name: "slice", text: isRelational(settings) ? "" : sliceSql(settings, table, where) },
    unwrap: { name: "unwrap", text: isRelational(settings) ? "" : unwrapSql(settings, table, where) },
    scan: {
      name: "scan",
      text: `SELECT ${document.join(", ")} FROM ${table} WHERE ${id} >= ? ORDER BY ${id} LIMIT ?`,
    },
    isThere: { name: "insert.settle", text: `SELECT 1 FROM ${table} WHERE ${where}` },
  } satisfies Record<string, Statement>;
}

function storedValues(settings: DocumentsSettings, { values, json }: Pick<Document, "values" | "json">) {
  return isRelational(settings) ? values : [json];
}

/** Parameters of an insert, in order. */
function insertValues(settings: DocumentsSettings, document: Document): readonly string[] {
  const values = storedValues(settings, document);
  return writesId(settings) ? [document.key, ...values] : values;
}

function operations(settings: Treatment): DocumentOperations {
  const { insert, read, slice, unwrap, scan, update, isThere } = statementsOf(settings);
  const byKey = (statement: Statement) => (key: string) => {
    const values = [key];
    return (session: MySqlSession) => session.execute(statement, values);
  };
  const readByKey = byKey(read);
  const updateByKey: DocumentOperations["update"] = (key, change) => {
    const changed = typeof change === "string" ? [change] : storedValues(settings, change);
    const values = [...changed, key];
    return (session: MySqlSession) =>
      asTransaction(session.execute(update, values), () =>
        new Array<number>(session.affectedRows).fill(session.insertId),
      );
  };
  return {
    insert(document) {
      const values = insertValues(settings, document);
      return (session: MySqlSession) => asTransaction(session.execute(insert, values), () => true);
    },
    read: readByKey,
    slice: byKey(slice),
    unwrap: byKey(unwrap),
    scan(key, length) {
      const values = [key, length];
      return (session: MySqlSession) => session.execute(scan, values);
    },
    update: updateByKey,
    modify(key, change) {
      const [runRead, runUpdate] = [readByKey(key), updateByKey(key, change)];
      return async (session: MySqlSession) => {
        await runRead(session);
        return runUpdate(session);
      };
    },
    isThere(key) {
      const values = [key];
      return async (session: MySqlSession) => (await session.execute(isThere, values)).length > 0;
    },
  };
}

/** The document of a JSON text, whose values are one level deep if the table is relational. */
function parseDocument(json: string): Document {
  const { id, ...values } = JSON.parse(json) as Readonly<Record<string, string>>;
  return { key: id ?? "", values: Object.values(values), json };
}

/** Query for all rows: id column if there is one, version, text of the document, and the bytes of its columns. */
function auditSql(settings: Treatment): string {
  const stored = storedColumnsOf(settings);
  const members = columnsOf(settings).map((name) => `'${name}', ${name}`);
  const document = isRelational(settings) ? `JSON_OBJECT('id', id, ${members.join(", ")})` : "data";
  const isBinary = settings.column === "json" && !isInMariaDb(settings);
  const bytes = stored
    .map((name) => `${isBinary ? "JSON_STORAGE_SIZE" : "OCTET_LENGTH"}(${name})`)
    .join(" + ");
  const idBytes = hasIdColumn(settings) ? "OCTET_LENGTH(id)" : "0";
  return `SELECT ${hasIdColumn(settings) ? "id" : "NULL"} AS id, version, ${document} AS document, ${bytes} AS document_bytes,
  ${bytes} + ${idBytes} + 4 AS row_bytes
FROM ${tableOf(settings)}`;
}

const NO_GIN = {
  reason: "it has no index on whole documents",
  nearest: "btree-id, generated-stored or generated-virtual",
};
const NO_TOAST = { reason: "InnoDB decides where a long value lies", nearest: "extended" };
const UNSUPPORTED_LEVELS = {
  column: { jsonb: { reason: "it has one type for JSON", nearest: "json" } },
  index: { gin: NO_GIN, "gin-path-ops": NO_GIN },
  toast: { external: NO_TOAST, main: NO_TOAST },
  update: { jsonb_set: { reason: "its function is JSON_SET", nearest: "json_set" } },
};
const NO_FUNCTIONAL_INDEX = {
  reason: "it has indexes on columns only",
  nearest: "generated-stored or generated-virtual",
};
const UNSUPPORTED_IN_MARIADB = {
  ...UNSUPPORTED_LEVELS,
  index: {
    ...UNSUPPORTED_LEVELS.index,
    expression: NO_FUNCTIONAL_INDEX,
    multicolumn: NO_FUNCTIONAL_INDEX,
  },
};

export const mysql: DocumentStore = {
  unsupportedLevels: (dialect) => (dialect === "mariadb" ? UNSUPPORTED_IN_MARIADB : UNSUPPORTED_LEVELS),
  preservesText: ({ column }) => column === "text",
  tables: (settings) => ({
    variant: "workload documents",
    statements: createTable(settings),
  }),
  statements: (settings) => Object.values(statementsOf(settings)).filter(({ text }) => text !== ""),
  operations,
  async fill(admin: MySqlAdmin, settings, portions) {
    const { text } = statementsOf(settings).insert;
    const [head = "", row = ""] = text.split(/(?<= VALUES )/);
    for (const portion of portions) {
      const values = portion.flatMap((json) => insertValues(settings, parseDocument(json)));
      if (portion.length > 0) await admin.query(head + portion.map(() => row).join(", "), values);
    }
    await admin.query(`ANALYZE TABLE ${tableOf(settings)}`);
  },
  async *scan(admin: MySqlAdmin, settings) {
    const snapshot = await openSnapshot(admin.endpoint);
    try {
      for await (const row of snapshot.rows(auditSql(settings))) {
        const { id, version, document, document_bytes: stored, row_bytes: bytes } = row;
        yield {
          id: hasIdColumn(settings) ? `${id as string | null}` : undefined,
          version: Number(version),
          text: String(document),
          documentBytes: Number(stored),
          rowBytes: Number(bytes),
        };
      }
    } finally {
      await snapshot.close();
    }
  },
};
