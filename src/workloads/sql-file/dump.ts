// A dump by pg_dump as the schema of a file: the one schema that it makes, or `public`, means train-sim's namespace. Names
// lose their schema and statements keep their places, so that a refusal shows the line and column of the file.
import { NAMESPACE_PLACEHOLDER, type SqlText } from "../script/program.js";
import { placeIn, tokensOf, wordsOf } from "../script/sql-text.js";
import type { Chunk, Refuse } from "./chunks.js";

const NAME = String.raw`(?:"(?:[^"]|"")+"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`;
const CREATE_SCHEMA = new RegExp(String.raw`\bCREATE\s+SCHEMA\s+(?:IF\s+NOT\s+EXISTS\s+)?(${NAME})`, "gi");
const PUBLIC_OBJECT = new RegExp(
  String.raw`\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:UNLOGGED|RECURSIVE|MATERIALIZED)\s+)?` +
    String.raw`(?:TABLE|VIEW|SEQUENCE|TYPE|DOMAIN|FUNCTION|PROCEDURE|AGGREGATE|COLLATION|CONVERSION|OPERATOR(?:\s+CLASS|\s+FAMILY)?|` +
    String.raw`TEXT\s+SEARCH\s+[A-Z]+)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:public|"public")\.(${NAME})`,
  "gi",
);
/** Names that lie in the schema of a table: indexes, constraints, sequences of identities, statistics. */
const OBJECT_OF_A_TABLE = new RegExp(
  String.raw`\b(?:INDEX\s+(?!ON\b)|ADD\s+CONSTRAINT\s+|(?:SEQUENCE\s+NAME|STATISTICS)\s+public\.)(${NAME})`,
  "gi",
);
/** Commands of psql in a dump, and the rows behind a COPY, which are no SQL. */
const NO_SQL = /^\\(?:un)?restrict\b.*$|(?<=^COPY\b.*\bFROM stdin;)\r?\n[^]*?^\\\.$/gim;
const SEARCH_PATH_CALL = /\bset_config\s*\(\s*'search_path'/i;
const SEARCH_PATH = /\bSET\s+search_path\s*(?:\bTO\b|=)[^;\n]*/gi;
const SESSION_SETTINGS =
  "STATEMENT_TIMEOUT|LOCK_TIMEOUT|IDLE_IN_TRANSACTION_SESSION_TIMEOUT|TRANSACTION_TIMEOUT|CLIENT_ENCODING|" +
  "STANDARD_CONFORMING_STRINGS|XMLOPTION|CLIENT_MIN_MESSAGES|ROW_SECURITY|ESCAPE_STRING_WARNING|" +
  "DEFAULT_TABLESPACE|DEFAULT_TABLE_ACCESS_METHOD|DEFAULT_WITH_OIDS|DEFAULT_TOAST_COMPRESSION";
/** Statements of a dump that are left out. `SET check_function_bodies` is not: functions stand above their tables. */
const LEFT_OUT = new RegExp(
  `^(?:SET (?:${SESSION_SETTINGS})|(?:CREATE|ALTER|DROP) SCHEMA|ALTER .*OWNER TO|ALTER DEFAULT PRIVILEGES|` +
    "GRANT|REVOKE|COMMENT ON|SECURITY LABEL|CREATE EXTENSION .*PLPGSQL)\\b",
);

/** Text that is a qualified name as a whole, such as the argument of nextval. */
const NAME_IN_TEXT = new RegExp(String.raw`^'\s*${NAME}\s*\.\s*${NAME}\s*(?:\(.*\))?'$`, "s");

const blank = (text: string): string => text.replace(/[^\r\n]/g, " ");
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const isBody = (text: string): boolean => text.startsWith("$");

/** The text of a file without psql's commands and the rows of COPY. */
export function withoutPsql(text: string): string {
  return text.replace(NO_SQL, blank);
}

const foldedName = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => foldedName(name));
}

export interface Dump {
  /**
   * SQL of the file in which the dump's names have no schema, and the same length. Bodies of functions in the schema and the
   * preload name the namespace, since their texts may be the source of further statements.
   */
  unqualified(text: string, isTransaction: boolean): string;
  /** True if a statement of the schema has no effect on a workload, such as the owner of a table. */
  isLeftOut(sql: SqlText): boolean;
}

function sqlOfSchema(chunks: readonly Chunk[], startsWithSchema: boolean): Extract<Chunk, { kind: "sql" }>[] {
  let isSchema = startsWithSchema;
  return chunks.flatMap((chunk) => {
    if (chunk.kind === "sql") return isSchema ? [chunk] : [];
    if (["schema", "preload", "name", "invariant"].includes(chunk.name)) isSchema = chunk.name === "schema";
    return [];
  });
}

/** Pieces of a text: code, with names in double quotes and comments, and texts in other quotes. */
function partsOf(text: string): { readonly isCode: boolean; readonly text: string }[] {
  const parts: { isCode: boolean; text: string }[] = [];
  for (const { kind, text: part } of tokensOf(text)) {
    const isCode = kind !== "quoted" || part.startsWith('"');
    const last = parts.at(-1);
    if (last?.isCode && isCode) last.text += part;
    else parts.push({ isCode, text: part });
  }
  return parts;
}

const codeOf = (text: string): string =>
  partsOf(text)
    .map((part) => (part.isCode ? part.text : "''"))
    .join("");

/** The text without clauses and statements that set the search path; bodies keep theirs. */
function withoutSearchPath(text: string): string {
  const masked = partsOf(text).map((part) => (isBody(part.text) ? blank(part.text) : part.text));
  let result = text;
  for (const { 0: clause, index } of masked.join("").matchAll(SEARCH_PATH))
    result = `${result.slice(0, index)}${blank(clause)}${result.slice(index + clause.length)}`;
  return result;
}

type Qualified = (whole: string, prefix: string, name: string | undefined) => string;

/** Returns the function that replaces each name with the schema by the result of `replace`. */
function replacer(schema: string, replace: Qualified): (text: string) => string {
  const quotedSchema = escaped(`"${schema.replaceAll('"', '""')}"`);
  const plainSchema = /^[a-z_][a-z0-9_]*$/.test(schema) ? `|${schema}\\b` : "";
  const qualified = new RegExp(
    String.raw`(?<![\w$".])((?:${quotedSchema}${plainSchema})\s*\.\s*)(${NAME})?`,
    "gi",
  );
  return (text) => text.replace(qualified, replace);
}

const unqualifiedName: Qualified = (_, prefix, name = "") =>
  name === "" || name.startsWith('"')
    ? `${blank(prefix)}${name}`
    : // In quotes a name may be a keyword. The quotes take the place of two characters of the schema.
      `${blank(prefix).slice(2)}"${name.toLowerCase()}"`;

const namespacedName: Qualified = (_, prefix, name = "") => `${NAMESPACE_PLACEHOLDER}.${name}`;

/**
 * The dump in the schema of a file; undefined if the schema names and makes none. Refuses a second schema.
 * @param startsWithSchema whether the text above all directives is the schema
 */
export function dumpIn(chunks: readonly Chunk[], refuse: Refuse, startsWithSchema = false): Dump | undefined {
  const sql = sqlOfSchema(chunks, startsWithSchema);
  const code = sql.map(({ text }) => codeOf(text)).join("\n");
  const publicNames = namesIn(code, PUBLIC_OBJECT);
  const createdSchemas = namesIn(code, CREATE_SCHEMA);
  const schemas = new Set([...createdSchemas, ...(publicNames.length > 0 ? ["public"] : [])]);
  const [schema, second] = schemas;
  if (schema === undefined && !sql.some(({ text }) => SEARCH_PATH_CALL.test(text))) return undefined;
  if (second !== undefined) refuseSecond(sql, schema ?? "", second, refuse);
  const madeNames = new Set(
    publicNames.length > 0 ? [...publicNames, ...namesIn(code, OBJECT_OF_A_TABLE)] : [],
  );
  /** Others have `public` in common with the dump: what it does not make may be theirs. */
  const isOwn = (name = ""): boolean => createdSchemas.length > 0 || madeNames.has(foldedName(name));
  const own =
    (replace: Qualified): Qualified =>
    (whole, prefix, name) =>
      isOwn(name) ? replace(whole, prefix, name) : whole;
  const unqualify = replacer(schema ?? "public", own(unqualifiedName));
  const qualify = replacer(schema ?? "public", own(namespacedName));
  return {
    unqualified: (text, isTransaction) =>
      partsOf(withoutSearchPath(text))
        .map(({ isCode, text: part }) => {
          if (isBody(part) && !isTransaction) return qualify(part);
          return isCode || isBody(part) || NAME_IN_TEXT.test(part) ? unqualify(part) : part;
        })
        .join(""),
    isLeftOut: (statement) =>
      LEFT_OUT.test(wordsOf(statement).join(" ")) || SEARCH_PATH_CALL.test(statement.pieces.join("x")),
  };
}

function refuseSecond(
  sql: readonly Extract<Chunk, { kind: "sql" }>[],
  schema: string,
  second: string,
  refuse: Refuse,
): void {
  const creation = new RegExp(String.raw`\bCREATE\s[^;]*?${escaped(second)}`, "i");
  const found = sql.find(({ text }) => creation.test(text)) ?? sql[0];
  if (!found) return;
  refuse(
    placeIn(found.text, creation.exec(found.text)?.index ?? 0, found.place),
    `the dump makes ${schema} and ${second}; a workload has one schema: use pg_dump --schema-only --schema=${schema}`,
  );
}
