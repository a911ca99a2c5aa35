// The statements that make and fill the tables again, in an order in which they can run.
import { listedValues, type Catalogue, type Column, type OtherObject, type Table } from "./catalogue.js";
import { withoutSchemas } from "./statement.js";
import type { Values } from "./values.js";

const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/g;
/** A check that generated values meet: numbers begin at 1. */
const CHECK_OF_NUMBERS = /^CHECK \(\(?[\w".]+(::\w+)? (>|>=|<>) (0|1|'0'|0::\w+|\(?0\)?::\w+)(::\w+)?\)?\)$/;

const wordsIn = (text: string): Set<string> => new Set(text.match(WORD));

/** The part of the catalogue that statements use, directly or through keys, partitions, views, functions and triggers. */
export function usedPart(catalogue: Catalogue, statements: readonly string[]): Catalogue {
  const texts = new Map<Table | OtherObject, string>([
    ...catalogue.tables.map((table): [Table, string] => [
      table,
      [
        table.view ?? "",
        ...table.triggers,
        ...table.columns.map((each) => `${each.type} ${each.default ?? ""}`),
      ].join(" "),
    ]),
    ...catalogue.others.map((other): [OtherObject, string] => [other, other.definition]),
  ]);
  const used = new Set<Table | OtherObject>();
  const words = wordsIn(statements.join(" "));
  const parents = new Set<number>();
  for (let size = -1; size !== used.size;) {
    size = used.size;
    for (const [object, text] of texts) {
      const isTable = "oid" in object;
      const isKin =
        isTable && (parents.has(object.oid) || (object.parent !== undefined && parents.has(object.parent)));
      if (used.has(object) || !(words.has(object.name) || isKin)) continue;
      used.add(object);
      for (const word of wordsIn(text)) words.add(word);
      if (!isTable) continue;
      parents.add(object.oid);
      if (object.parent !== undefined) parents.add(object.parent);
      for (const { parent } of object.constraints) if (parent !== undefined) parents.add(parent);
    }
  }
  return {
    tables: catalogue.tables.filter((each) => used.has(each)),
    others: catalogue.others.filter((each) => used.has(each)),
  };
}

/** Tables with every table behind those that its foreign keys and its partitioned table name. */
export function inOrderOfKeys(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  const visit = (table: Table, path: readonly Table[]): void => {
    if (ordered.includes(table) || path.includes(table)) return;
    const parents = [table.parent, ...table.constraints.map(({ parent }) => parent)];
    for (const oid of parents) {
      const parent = tables.find((each) => each.oid === oid);
      if (parent) visit(parent, [...path, table]);
    }
    ordered.push(table);
  };
  for (const table of tables) visit(table, []);
  return ordered;
}

function columnText(column: Column): string {
  const parts = [column.sql, column.type];
  if (column.identity) parts.push(`GENERATED ${column.identity} AS IDENTITY`);
  else if (column.generated) parts.push(`GENERATED ALWAYS AS (${column.default ?? ""}) STORED`);
  else if (column.default !== undefined) parts.push(`DEFAULT ${column.default}`);
  if (column.isNotNull) parts.push("NOT NULL");
  return parts.join(" ");
}

function tableText(table: Table, tables: readonly Table[]): string {
  const parent = tables.find(({ oid }) => oid === table.parent);
  const create = `CREATE ${table.isUnlogged ? "UNLOGGED " : ""}TABLE ${table.sql}`;
  const partition = table.partitionKey === undefined ? "" : ` PARTITION BY ${table.partitionKey}`;
  const options = table.options.length > 0 ? ` WITH (${table.options.join(", ")})` : "";
  if (parent && table.bound !== undefined)
    return `${create} PARTITION OF ${parent.sql} ${table.bound}${partition}${options}`;
  return `${create} (\n  ${table.columns.map(columnText).join(",\n  ")}\n)${partition}${options}`;
}

export interface SchemaText {
  readonly statements: readonly string[];
  /** Parts that are not in the file, each with the reason. */
  readonly missing: readonly string[];
}

export function schemaText(part: Catalogue): SchemaText {
  const missing: string[] = [];
  const tables = inOrderOfKeys(part.tables.filter(({ kind }) => kind === "table"));
  const tableNames = new Set(part.tables.map(({ name }) => name));
  const makeable = part.others.filter(({ kind, name, refusal }) => {
    if (refusal !== undefined) missing.push(`${kind} ${name}: ${refusal}`);
    return refusal === undefined;
  });
  const functions = makeable.filter(({ kind }) => kind === "function");
  /** A function whose head or SQL body names a table is made behind the tables. */
  const namesTable = ({ definition }: OtherObject): boolean => {
    const isSql = /\bLANGUAGE sql\b/i.test(definition);
    const head = isSql ? definition : definition.slice(0, definition.search(/\bAS \$/));
    return [...wordsIn(head)].some((word) => tableNames.has(word));
  };
  const functionText = ({ definition }: OtherObject): string =>
    definition.replace(/^ SET search_path TO .*\n/m, "");
  const statements = [
    ...makeable.filter(({ kind }) => kind !== "function").map(({ definition }) => definition),
    ...functions.filter((each) => !namesTable(each)).map(functionText),
    ...tables.map((table) => tableText(table, part.tables)),
    ...tables.flatMap(({ sql, constraints, bound }) =>
      constraints.flatMap((constraint) => {
        const { kind, name, definition } = constraint;
        if (kind === "f" || (bound !== undefined && kind !== "u" && kind !== "p")) return [];
        if (kind === "c" && !listedValues(constraint) && !CHECK_OF_NUMBERS.test(definition)) {
          missing.push(`${sql}: ${definition}: generated rows may not meet it`);
          return [];
        }
        return [`ALTER TABLE ${sql} ADD CONSTRAINT ${name} ${definition}`];
      }),
    ),
    ...tables.flatMap(({ indexes }) =>
      indexes.map(({ definition }) => definition.replace(/ ON ONLY /, " ON ")),
    ),
    ...tables.flatMap(({ sql, constraints }) =>
      constraints
        .filter(({ kind }) => kind === "f")
        .map(({ name, definition }) => `ALTER TABLE ${sql} ADD CONSTRAINT ${name} ${definition}`),
    ),
    ...functions.filter(namesTable).map(functionText),
    ...part.tables
      .filter(({ kind }) => kind === "view")
      .map(({ sql, view }) => `CREATE VIEW ${sql} AS\n${(view ?? "").replace(/;\s*$/, "")}`),
    ...tables.flatMap(({ triggers }) => triggers),
  ];
  for (const { kind, sql } of part.tables)
    if (kind === "materialized view") missing.push(`materialized view ${sql}: write it below -- preload`);
  return { statements: statements.map((text) => withoutSchemas(text.trim(), part)), missing };
}

/** Rows of each table, in the order of the foreign keys. */
export function preloadText(
  part: Catalogue,
  values: Values,
  rowsOf: (table: Table) => { readonly setting: string; readonly count: number },
): SchemaText {
  const missing: string[] = [];
  const filled = inOrderOfKeys(part.tables.filter(({ kind }) => kind === "table")).filter(
    (table) => table.bound === undefined && rowsOf(table).count > 0,
  );
  const statements = filled.flatMap((table) => {
    const partitions = part.tables.filter(({ parent }) => parent === table.oid);
    const isBounded = /^(LIST|RANGE)/.test(table.partitionKey ?? "");
    if (isBounded && !partitions.some(({ bound }) => bound === "DEFAULT")) {
      missing.push(`rows of ${table.sql}: its partitions are bounded; write them below -- preload`);
      return [];
    }
    const radix = values.radixOf(table);
    const columns = table.columns.flatMap((column) => {
      const value = values.inRow(table, column, radix);
      if (
        value === undefined &&
        column.isNotNull &&
        column.default === undefined &&
        !column.identity &&
        !column.generated
      )
        missing.push(`values of ${table.sql}.${column.sql}: its type ${column.type} is not known here`);
      return value === undefined ? [] : [{ name: column.sql, value }];
    });
    const names = columns.length > 0 ? ` (${columns.map(({ name }) => name).join(", ")})` : "";
    const list = columns.length > 0 ? columns.map(({ value }) => value).join(",\n  ") : "";
    const conflict = values.uniqueSets(table).length > 0 ? "\nON CONFLICT DO NOTHING" : "";
    const { setting } = rowsOf(table);
    return [
      `INSERT INTO ${table.sql}${names}\nSELECT ${list}\nFROM generate_series(1::bigint, :${setting}) g${conflict}`,
    ];
  });
  return { statements: statements.map((text) => withoutSchemas(text, part)), missing };
}
