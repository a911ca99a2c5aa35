// A statement ends with a semicolon at the end of a line: this is no SQL parser.
import { readFileSync } from "node:fs";
import type { Dialect } from "../dialects/dialect.js";
import type { Storage } from "../../levels.js";

const SCHEMA_DIRECTORY = new URL("../../../../schema/", import.meta.url);
/** Matches a statement that consists of comments only. */
const COMMENT_PATTERN = /^(--.*\s*)*$/;
const PLACEHOLDER_PATTERN = /\{\{(\w+)\}\}/g;

/** One form of a workload's tables, from which their statements are made. */
export interface TableSet {
  readonly variant: string;
  /** Names, without `.sql`, of the dialect's files that make the tables. */
  readonly files: readonly string[];
  /** Values of placeholders other than the namespace and the storage, by name. */
  readonly values?: Readonly<Record<string, string>>;
  /** Further statements, the same for every dialect except for `{{namespace}}`. */
  readonly statements?: readonly string[];
  /**
   * Objects that a user's statements make, such as `TYPE mood`. If present, the whole schema belongs to these statements.
   */
  readonly made?: readonly string[];
  /** Places of statements in the user's file, such as `bank.sql:3:1`, by the text of the statement. */
  readonly places?: ReadonlyMap<string, string>;
}

/** The tables of a workload in a namespace. */
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

/** Statements that make the tables, without their semicolons. A comment stays with the statement that follows it. */
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
  const fileStatements = files
    .flatMap((file) => readSchemaFile(dialect, file).split(/;[ \t]*\n/))
    .map((statement) => statement.replace(PLACEHOLDER_PATTERN, (_, name: string) => valueOf(name)).trim());
  const others = statements.map((statement) => statement.replaceAll("{{namespace}}", valueOf("namespace")));
  return [...fileStatements, ...others].filter((statement) => !COMMENT_PATTERN.test(statement));
}
