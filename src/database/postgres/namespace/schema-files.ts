// The DDL of `schema/<dialect>/*.sql`, cut into statements. A statement ends with a semicolon at the end of a line: this is no
// SQL parser.
import { readFileSync } from "node:fs";
import type { Dialect } from "../dialects/dialect.js";
import type { Storage } from "../../levels.js";

const SCHEMA_DIRECTORY = new URL("../../../../schema/", import.meta.url);
/** Nothing but comments. */
const IS_COMMENT = /^(--.*\s*)*$/;
const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/** One form of a workload's tables. */
export interface TableSet {
  /** What of the workload decides about them, in two words, for the mark: `payload jsonb`. */
  readonly variant: string;
  /** Names of the files of a dialect that make them, without `.sql`. */
  readonly files: readonly string[];
  /** What stands in them beside the namespace and what the storage says, by name. */
  readonly values?: Readonly<Record<string, string>>;
  /** Beside those, statements that every dialect takes as they are, but for `{{namespace}}`. */
  readonly statements?: readonly string[];
  /** Where statements of the user's make it, so that all in the schema is its own: what their text makes, as `TYPE mood`. */
  readonly made?: readonly string[];
  /** Where a statement stands in the user's file, as `bank.sql:3:1`, by its text. */
  readonly places?: ReadonlyMap<string, string>;
}

/** The tables of a workload, as a namespace holds them. */
export interface NamespaceTables extends TableSet {
  /** Names of the tables, in the order in which they are made. */
  readonly names: readonly string[];
}

interface TableSettings extends Pick<TableSet, "files" | "values" | "statements"> {
  readonly storage: Storage;
  readonly namespace: string;
}

function readSchemaFile(dialect: Dialect, file: string): string {
  return readFileSync(new URL(`${dialect.name}/${file}.sql`, SCHEMA_DIRECTORY), "utf8");
}

/** Statements that make the tables, without their semicolons; comments stay with the statement they precede. */
export function tableStatements(
  dialect: Dialect,
  { files, values: own, statements = [], storage, namespace }: TableSettings,
): string[] {
  const values: Readonly<Record<string, string>> = {
    ...dialect.storages[storage],
    ...own,
    namespace: dialect.quoteIdentifier(namespace),
  };
  const valueOf = (name: string): string => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`DDL of ${dialect.name} asks for {{${name}}}, which ${storage} does not say`);
    return value;
  };
  const ofFiles = files
    .flatMap((file) => readSchemaFile(dialect, file).split(/;[ \t]*\n/))
    .map((statement) => statement.replace(PLACEHOLDER, (_, name: string) => valueOf(name)).trim());
  const others = statements.map((statement) => statement.replaceAll("{{namespace}}", valueOf("namespace")));
  return [...ofFiles, ...others].filter((statement) => !IS_COMMENT.test(statement));
}
