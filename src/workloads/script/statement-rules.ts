// Refuses statements that leave the transaction or the schema. It prevents mistakes; only rights prevent intent.
import type { SqlSyntax, SqlText } from "./program.js";
import { tokensOf, wordsOf } from "./sql-text.js";

type Statement = Pick<SqlText, "pieces" | "syntax">;

/** Variables that always have a value, without being drawn or set. */
export const BUILT_IN_VARIABLES: readonly string[] = ["client_id", "default_seed", "random_seed"];

const VERBS_WITH_PARAMETERS = [
  "SELECT",
  "INSERT",
  "UPDATE",
  "DELETE",
  "MERGE",
  "VALUES",
  "WITH",
  "TABLE",
  "CALL",
  "REPLACE",
];
/** Statements that the extended protocol can prepare, although SQL's `PREPARE` cannot. */
const PROTOCOL_ONLY_VERBS = ["CALL"];

/** Pattern of kinds of objects that belong to the database or the server and would outlive the schema. */
const OUTSIDE_SCHEMA_DDL = new RegExp(
  String.raw`\b(?:DROP|ALTER|CREATE(?: OR REPLACE)?|REASSIGN)(?: TRUSTED)?(?: PROCEDURAL)? ` +
    "(?:SCHEMA|DATABASE|ROLE|USER|GROUP|TABLESPACE|OWNED|SYSTEM|EXTENSION|PUBLICATION|SUBSCRIPTION|SERVER|LANGUAGE|" +
    String.raw`FOREIGN DATA WRAPPER|ACCESS METHOD|EVENT TRIGGER)\b`,
);
const SQL_NAME_PATTERN = String.raw`(?:"(?:[^"]|"")+"|\x60[^\x60]+\x60|[A-Za-z_][\w$]*)`;
/** Pattern of DDL on a name with a schema, except the schema of temporary tables. */
const FOREIGN_SCHEMA_DDL = new RegExp(
  String.raw`\b(?:CREATE(?: OR REPLACE)?(?: UNLOGGED| RECURSIVE)*|ALTER|DROP|TRUNCATE)` +
    String.raw`(?: (?:TABLE|VIEW|MATERIALIZED VIEW|TYPE|FUNCTION|PROCEDURE|ROUTINE|SEQUENCE|DOMAIN|AGGREGATE|INDEX))?` +
    String.raw`(?: CONCURRENTLY)?(?: IF (?:NOT )?EXISTS)?(?: ONLY)? (?:${SQL_NAME_PATTERN} ?, ?)*((?!pg_temp\b)${SQL_NAME_PATTERN}\.(${SQL_NAME_PATTERN}))`,
  "i",
);
const SET_SCHEMA = /^ALTER .* SET SCHEMA\b/;
const STATEMENT_WITH_BODY = /^(DO|CREATE( OR REPLACE)? (FUNCTION|PROCEDURE))\b/;
const TRANSACTION_CONTROL =
  /^(BEGIN|START TRANSACTION|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE TRANSACTION)\b/;
/** Pattern of the call with which a dump sets the search path. */
const SEARCH_PATH_CALL = /\bset_config\s*\(\s*'search_path'/i;
const SESSION_STATEMENT =
  /^(SET (SESSION )?(ROLE|AUTHORIZATION|SEARCH_PATH)|RESET|DISCARD|DEALLOCATE|LISTEN|COPY)\b/;

/** Statements of MySQL that outlive their transaction. */
const MYSQL_SESSION_STATEMENT =
  /^(USE|LOCK|UNLOCK|LOAD|HANDLER|XA|SET (GLOBAL|PERSIST|PERSIST_ONLY|AUTOCOMMIT|NAMES|PASSWORD|DEFAULT))\b/;
/** Statements with which MySQL commits the transaction that they are in. */
const MYSQL_COMMITTING_STATEMENT =
  /^(ALTER|ANALYZE|CREATE (?!TEMPORARY)|DROP (?!TEMPORARY)|FLUSH|GRANT|OPTIMIZE|RENAME|REVOKE|TRUNCATE)\b/;

/** True if a statement of this kind may contain parameters such as `$1`. */
export function takesParameters([verb = ""]: readonly string[]): boolean {
  return VERBS_WITH_PARAMETERS.includes(verb);
}

export function isPreparable([verb = ""]: readonly string[]): boolean {
  return takesParameters([verb]) && !PROTOCOL_ONLY_VERBS.includes(verb);
}

/** The name in quotes, so that it may be a keyword. */
function quotedName(name: string, syntax: SqlSyntax): string {
  if (/^["`]/.test(name)) return name;
  return syntax === "mysql" ? `\`${name}\`` : `"${name.toLowerCase()}"`;
}

/** SQL without comments and text constants. Any run of white space becomes one space. */
function codeOf(text: string, syntax: SqlSyntax): string {
  const nameQuote = syntax === "mysql" ? "`" : '"';
  const words = tokensOf(text, syntax).map(({ kind, text: part }) => {
    if (kind === "blank") return " ";
    return kind === "quoted" && !part.endsWith(nameQuote) ? "''" : part;
  });
  return words.join("").replace(/ +/g, " ");
}

/** Problem of a statement that changes objects outside of the workload's schema; undefined if there is none. */
function schemaEscapeProblem({ pieces, syntax }: Statement, words: readonly string[]): string | undefined {
  const all = words.join(" ");
  const hasBody = STATEMENT_WITH_BODY.test(all);
  const text = pieces.join("x");
  // A body executes its statements as text, so that text is checked as code.
  const code = codeOf(hasBody ? text.replace(/\$\w*\$|'/g, " ") : text, syntax);
  const outside = OUTSIDE_SCHEMA_DDL.exec(hasBody ? code.toUpperCase() : all);
  if (/^CREATE EXTENSION\b/.test(all))
    return "CREATE EXTENSION reaches beyond the schema of the workload; make the extension in the database of target.url, and remove the statement";
  if (outside && (hasBody || outside.index === 0))
    return `${outside[0]} reaches beyond the schema of the workload; remove it`;
  const [, foreign, name = ""] = FOREIGN_SCHEMA_DDL.exec(code) ?? [];
  if (foreign !== undefined)
    return `${foreign} names a schema; write ${quotedName(name, syntax)}, the tables lie in train-sim's own`;
  if (SET_SCHEMA.test(all)) return "SET SCHEMA reaches beyond the schema of the workload; remove it";
  return undefined;
}

/** Problem of a statement in a script that begins and ends transactions by itself; undefined if there is none. */
export function scriptProblem(sql: Statement): string | undefined {
  const words = wordsOf(sql);
  const text = words.slice(0, 3).join(" ");
  if (/^(SAVEPOINT|RELEASE|ROLLBACK (\w+ )?TO)\b/.test(text)) return undefined;
  if (/^(PREPARE TRANSACTION|(COMMIT|ROLLBACK) PREPARED)\b/.test(text))
    return `${text}: a prepared transaction outlives its client; remove it`;
  return statementProblem(sql, true);
}

export function statementProblem(sql: Statement, isTransaction: boolean): string | undefined {
  const words = wordsOf(sql);
  const text = words.slice(0, 3).join(" ");
  const first = words.slice(0, 2).join(" ");
  const isMySql = sql.syntax === "mysql";
  const [, command] = /^(\\\w+)/.exec(sql.pieces[0] ?? "") ?? [];
  if (command !== undefined) return `${command} is a command of psql; remove it`;
  if (text.startsWith("COPY"))
    return "COPY takes data that is not there; write INSERT, and make a dump with pg_dump --schema-only";
  if (isMySql && words[0] === "DELIMITER")
    return "DELIMITER is a command of the program mysql; remove it, and end the body of a routine with END;";
  if (isMySql && isTransaction && MYSQL_COMMITTING_STATEMENT.test(text))
    return `${first} commits the transaction that it is in; move it below -- schema or -- preload`;
  if (SESSION_STATEMENT.test(text) || (isMySql && MYSQL_SESSION_STATEMENT.test(text)))
    return `${first} outlives its transaction, or takes data that is not there; remove it`;
  if (SEARCH_PATH_CALL.test(sql.pieces.join("x")))
    return "set_config of search_path hides the tables of the workload; remove it";
  if (TRANSACTION_CONTROL.test(text))
    return isTransaction
      ? `${words[0] ?? ""}: the statements of a name are one transaction already; remove it`
      : `${words[0] ?? ""}: there is no transaction here; remove it`;
  return schemaEscapeProblem(sql, words);
}
