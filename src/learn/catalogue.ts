// Reads the schema and the planner's statistics. Values of rows are read for permitted columns alone.
import type { SqlClient } from "../database/postgres/admin.js";

export interface Column {
  readonly number: number;
  readonly name: string;
  /** The name as SQL writes it, in quotes if it needs them. */
  readonly sql: string;
  /** Type with its modifier; a domain's base type. */
  readonly type: string;
  /** Name of the type without modifier, such as `int4`; of an array, `_int4`. */
  readonly typeName: string;
  /** Longest text of a `varchar(n)` or `char(n)`; digits before the point of a `numeric(p, s)`. */
  readonly limit: number | undefined;
  readonly labels: readonly string[] | undefined;
  readonly isNotNull: boolean;
  readonly default: string | undefined;
  readonly identity: "ALWAYS" | "BY DEFAULT" | undefined;
  readonly generated: boolean;
  readonly statistics: ColumnStatistics | undefined;
}

export interface ColumnStatistics {
  readonly nullShare: number;
  readonly width: number;
  /** Number of distinct values; below 0 it is a share of the rows, as pg_stats has it. */
  readonly distinct: number;
  /** Share of rows that have the most common value; 0 if no value is common. */
  readonly topShare: number;
  /** Common values with their shares, of a column whose values are permitted. */
  readonly common: readonly (readonly [value: string, share: number])[];
}

export interface Constraint {
  readonly name: string;
  readonly kind: "p" | "u" | "c" | "f" | "x";
  readonly columns: readonly number[];
  readonly parent: number | undefined;
  readonly parentColumns: readonly number[];
  readonly definition: string;
}

export interface Table {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly sql: string;
  readonly kind: "table" | "view" | "materialized view";
  readonly isUnlogged: boolean;
  readonly rows: number;
  readonly isAnalysed: boolean;
  readonly partitionKey: string | undefined;
  readonly bound: string | undefined;
  readonly parent: number | undefined;
  readonly options: readonly string[];
  readonly view: string | undefined;
  readonly columns: readonly Column[];
  readonly constraints: readonly Constraint[];
  readonly indexes: readonly Index[];
  readonly triggers: readonly string[];
}

export interface Index {
  readonly name: string;
  readonly isUnique: boolean;
  readonly isPartial: boolean;
  /** Numbers of the columns; 0 is an expression. */
  readonly columns: readonly number[];
  readonly definition: string;
}

/** An object that is neither a table nor a view, with the statement that makes it. */
export interface OtherObject {
  readonly kind: "type" | "sequence" | "function";
  readonly schema: string;
  readonly name: string;
  readonly definition: string;
  /** Present if the statement cannot be in the file, with the reason. */
  readonly refusal?: string;
}

export interface Catalogue {
  readonly tables: readonly Table[];
  readonly others: readonly OtherObject[];
}

type Row = Readonly<Record<string, unknown>>;

/** Condition that leaves out schemas of the server and objects of extensions. */
const isOfUser = (catalog: string, alias: string): string =>
  String.raw`n.nspname !~ '^(pg_|information_schema$|train_sim)' AND NOT EXISTS (SELECT FROM pg_depend e
     WHERE e.classid = '${catalog}'::regclass AND e.objid = ${alias}.oid AND e.deptype = 'e')`;

const TABLES_SQL = `
  SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, quote_ident(c.relname) AS sql,
    c.relkind::text AS kind, c.relpersistence::text AS persistence,
    CASE WHEN c.reltuples > 0 THEN c.reltuples ELSE coalesce(s.n_live_tup, 0) END::float8 AS rows,
    (c.reltuples >= 0 OR s.n_live_tup > 0 OR c.relkind = 'p') AS "isAnalysed",
    pg_get_partkeydef(c.oid) AS "partitionKey", pg_get_expr(c.relpartbound, c.oid) AS bound,
    (SELECT inhparent::int8 FROM pg_inherits WHERE inhrelid = c.oid LIMIT 1) AS parent,
    to_json(c.reloptions)::text AS options,
    CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid, true) END AS view
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
  WHERE c.relkind IN ('r', 'p', 'v', 'm') AND c.relpersistence <> 't' AND ${isOfUser("pg_class", "c")} ORDER BY c.oid`;

const CONSTRAINTS_SQL = `
  SELECT conrelid::int8 AS "table", quote_ident(conname) AS name, contype::text AS kind, to_json(conkey)::text AS columns,
    nullif(confrelid, 0)::int8 AS parent, to_json(confkey)::text AS "parentColumns",
    pg_get_constraintdef(o.oid, true) AS definition
  FROM pg_constraint o JOIN pg_namespace n ON n.oid = connamespace
  WHERE conrelid <> 0 AND conparentid = 0 AND conislocal AND contype IN ('p', 'u', 'c', 'f', 'x')
    AND ${isOfUser("pg_constraint", "o")} ORDER BY o.oid`;

/** $1: columns whose values are permitted, as `oid.number`. Values of booleans and enumerations are in the schema. */
const COLUMNS_SQL = `
  SELECT a.attrelid::int8 AS "table", a.attnum AS number, a.attname AS name, quote_ident(a.attname) AS sql,
    format_type(b.oid, b.modifier) AS type, b.typname AS "typeName", b.modifier, to_json(l.labels)::text AS labels,
    a.attnotnull AS "isNotNull", pg_get_expr(d.adbin, d.adrelid) AS default, a.attidentity::text AS identity,
    a.attgenerated <> '' AS generated, s.null_frac AS "nullShare", s.avg_width AS width, s.n_distinct AS distinct,
    coalesce(s.most_common_freqs[1], 0) AS top,
    CASE WHEN p.is_permitted THEN to_json(s.most_common_vals::text::text[])::text END AS common,
    CASE WHEN p.is_permitted THEN to_json(s.most_common_freqs)::text END AS shares
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_type t ON t.oid = a.atttypid
  CROSS JOIN LATERAL (SELECT f.oid, f.typname, CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS modifier
    FROM pg_type f WHERE f.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END) b
  LEFT JOIN LATERAL (SELECT array_agg(enumlabel ORDER BY enumsortorder) AS labels FROM pg_enum
    WHERE enumtypid = b.oid HAVING count(*) > 0) l ON true
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LEFT JOIN LATERAL (SELECT * FROM pg_stats WHERE schemaname = n.nspname AND tablename = c.relname AND attname = a.attname
    ORDER BY inherited DESC LIMIT 1) s ON true
  CROSS JOIN LATERAL (SELECT b.typname = 'bool' OR l.labels IS NOT NULL
    OR a.attrelid || '.' || a.attnum = ANY (string_to_array($1, ',')) AS is_permitted) p
  WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm') AND c.relpersistence <> 't'
    AND ${isOfUser("pg_class", "c")}
  ORDER BY a.attrelid, a.attnum`;

const INDEXES_SQL = `
  SELECT i.indrelid::int8 AS "table", quote_ident(c.relname) AS name, i.indisunique AS "isUnique",
    i.indpred IS NOT NULL AS "isPartial", to_json(i.indkey::int2[])::text AS columns,
    pg_get_indexdef(i.indexrelid, 0, true) AS definition
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE NOT c.relispartition AND i.indisvalid AND ${isOfUser("pg_class", "c")}
    AND NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = i.indexrelid AND o.contype IN ('p', 'u', 'x'))
  ORDER BY i.indexrelid`;

const TRIGGERS_SQL = `
  SELECT tgrelid::int8 AS "table", pg_get_triggerdef(oid, true) AS definition FROM pg_trigger
  WHERE NOT tgisinternal AND tgparentid = 0 AND tgenabled IN ('O', 'A') ORDER BY tgname`;

/** Types, sequences and functions, in an order in which they can be made. */
const OTHERS_SQL = `
  SELECT 1 AS rank, t.oid::int8 AS oid, 'type' AS kind, n.nspname AS schema, t.typname AS name,
    CASE t.typtype
      WHEN 'e' THEN 'CREATE TYPE ' || quote_ident(t.typname) || ' AS ENUM (' || (SELECT
        string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid) || ')'
      WHEN 'd' THEN 'CREATE DOMAIN ' || quote_ident(t.typname) || ' AS ' || format_type(t.typbasetype, t.typtypmod)
      ELSE 'CREATE TYPE ' || quote_ident(t.typname) || ' AS (' || (SELECT string_agg(quote_ident(attname) || ' ' ||
        format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped) || ')'
    END AS definition, '' AS refusal
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
  WHERE (t.typtype IN ('e', 'd') OR t.typtype = 'c' AND EXISTS (SELECT FROM pg_class
    WHERE oid = t.typrelid AND relkind = 'c')) AND ${isOfUser("pg_type", "t")}
  UNION ALL
  SELECT 2, c.oid::int8, 'sequence', n.nspname, c.relname, 'CREATE SEQUENCE ' || quote_ident(c.relname) || ' AS ' ||
    format_type(s.seqtypid, NULL) || ' INCREMENT ' || s.seqincrement || CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END, ''
  FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${isOfUser("pg_class", "c")} AND NOT EXISTS (SELECT FROM pg_depend d
    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i')
  UNION ALL
  SELECT 3, p.oid::int8, 'function', n.nspname, p.proname, pg_get_functiondef(p.oid),
    CASE WHEN l.lanname IN ('sql', 'plpgsql') THEN '' ELSE 'it is in ' || l.lanname END
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
  WHERE p.prokind IN ('f', 'p') AND ${isOfUser("pg_proc", "p")}
  ORDER BY 1, 2`;

const jsonOf = <T>(text: unknown, fallback: T): T =>
  typeof text === "string" ? (JSON.parse(text) as T) : fallback;
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Values of `CHECK (status IN ('new', 'done'))`, as the server prints it; undefined for another constraint. */
export function listedValues({ kind, columns, definition }: Constraint): string[] | undefined {
  if (kind !== "c" || columns.length !== 1) return undefined;
  const [, list] =
    /^CHECK \(\(?[\w".]+\)?(?:::\w+)? = ANY \(\(?ARRAY\[(.*?)\](?:\)?::[\w\[\] ]+)?\)\)$/.exec(definition) ??
    [];
  const values = [...(list ?? "").matchAll(/'((?:[^']|'')*)'/g)].map(([, value = ""]) =>
    value.replaceAll("''", "'"),
  );
  return values.length > 0 ? values : undefined;
}

/** Length of a text, or number of digits before the point, that the type's modifier permits. */
function limitOf(typeName: string, modifier: number): number | undefined {
  if (modifier < 4) return undefined;
  if (typeName === "varchar" || typeName === "bpchar") return modifier - 4;
  return typeName === "numeric" ? ((modifier - 4) >> 16) - ((modifier - 4) & 0x7ff) : undefined;
}

function columnOf(row: Row): Column {
  const shares = jsonOf<number[]>(row["shares"], []);
  const statistics: ColumnStatistics | undefined =
    row["distinct"] === null
      ? undefined
      : {
          nullShare: Number(row["nullShare"]),
          width: Number(row["width"]),
          distinct: Number(row["distinct"]),
          topShare: Number(row["top"]),
          common: jsonOf<string[]>(row["common"], []).map((value, i) => [value, shares[i] ?? 0] as const),
        };
  const identities = { a: "ALWAYS", d: "BY DEFAULT" } as const;
  return {
    number: Number(row["number"]),
    name: String(row["name"]),
    sql: String(row["sql"]),
    type: String(row["type"]),
    typeName: String(row["typeName"]),
    limit: limitOf(String(row["typeName"]), Number(row["modifier"])),
    labels: jsonOf<string[] | undefined>(row["labels"], undefined),
    isNotNull: row["isNotNull"] === true,
    default: textOf(row["default"]),
    identity: identities[String(row["identity"]) as keyof typeof identities],
    generated: row["generated"] === true,
    statistics,
  };
}

const constraintOf = (row: Row): Constraint => ({
  name: String(row["name"]),
  kind: String(row["kind"]) as Constraint["kind"],
  columns: jsonOf<number[]>(row["columns"], []),
  parent: row["parent"] === null ? undefined : Number(row["parent"]),
  parentColumns: jsonOf<number[]>(row["parentColumns"], []),
  definition: String(row["definition"]),
});

const indexOf = (row: Row): Index => ({
  name: String(row["name"]),
  isUnique: row["isUnique"] === true,
  isPartial: row["isPartial"] === true,
  columns: jsonOf<number[]>(row["columns"], []),
  definition: String(row["definition"]),
});

const KINDS: Readonly<Record<string, Table["kind"]>> = { v: "view", m: "materialized view" };

/** Rows by the table that they belong to. */
function byTable<T>(rows: readonly Row[], make: (row: Row) => T): (oid: number) => readonly T[] {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const oid = Number(row["table"]);
    groups.set(oid, [...(groups.get(oid) ?? []), make(row)]);
  }
  return (oid) => groups.get(oid) ?? [];
}

/** @param permitted columns whose common values may be read, as `table.column` or `schema.table.column` */
export async function readCatalogue(client: SqlClient, permitted: readonly string[]): Promise<Catalogue> {
  const tables = await client.query(TABLES_SQL);
  const constraints = byTable(await client.query(CONSTRAINTS_SQL), constraintOf);
  const columnNames = await client.query(
    `SELECT a.attrelid::int8 AS oid, a.attnum AS number, n.nspname AS schema, c.relname AS "table", a.attname AS "column"
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')`,
  );
  const isPermitted = ({ oid, number, schema, table, column }: Row): boolean =>
    [`${String(table)}.${String(column)}`, `${String(schema)}.${String(table)}.${String(column)}`].some(
      (name) => permitted.includes(name),
    ) || constraints(Number(oid)).some((each) => listedValues(each) && each.columns[0] === Number(number));
  const open = columnNames.filter(isPermitted).map(({ oid, number }) => `${String(oid)}.${String(number)}`);
  const columns = byTable(await client.query(COLUMNS_SQL, [open.join(",")]), columnOf);
  const indexes = byTable(await client.query(INDEXES_SQL), indexOf);
  const triggers = byTable(await client.query(TRIGGERS_SQL), (row) => String(row["definition"]));
  const others = await client.query(OTHERS_SQL);
  return {
    tables: tables.map((row): Table => {
      const oid = Number(row["oid"]);
      return {
        oid,
        schema: String(row["schema"]),
        name: String(row["name"]),
        sql: String(row["sql"]),
        kind: KINDS[String(row["kind"])] ?? "table",
        isUnlogged: row["persistence"] === "u",
        rows: Number(row["rows"]),
        isAnalysed: row["isAnalysed"] === true,
        partitionKey: textOf(row["partitionKey"]),
        bound: textOf(row["bound"]),
        parent: row["parent"] === null ? undefined : Number(row["parent"]),
        options: jsonOf<string[]>(row["options"], []),
        view: textOf(row["view"]),
        columns: columns(oid),
        constraints: constraints(oid),
        indexes: indexes(oid),
        triggers: triggers(oid),
      };
    }),
    others: others.map((row): OtherObject => ({
      kind: String(row["kind"]) as OtherObject["kind"],
      schema: String(row["schema"]),
      name: String(row["name"]),
      definition: String(row["definition"]),
      ...(row["refusal"] !== "" && { refusal: String(row["refusal"]) }),
    })),
  };
}
