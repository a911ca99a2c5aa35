import { connectAdmin, type AdminClient, type SqlClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { OBJECTS_MADE_ELSEWHERE_SQL } from "../../../database/postgres/namespace/dependants.js";
import { codeOf, messageOf } from "../../../foundation/errors.js";
import { Prng } from "../../../foundation/prng.js";
import { settingLiteralIn, toExpressionValue } from "../client.js";
import { evaluate } from "../expression.js";
import { sqlLiteral } from "../machine.js";
import {
  NAMESPACE_PLACEHOLDER,
  placeText,
  type Invariant,
  type Place,
  type Program,
  type ScriptTransaction,
  type SqlStep,
  type SqlText,
  type Value,
} from "../program.js";
import type { Treatment } from "../settings.js";
import { BUILT_IN_VARIABLES, isPreparable } from "../statement-rules.js";
import { sqlStepsOf } from "../statements.js";
import { parametrisedSql, placeIn, substituteVariables, wordsOf } from "../sql-text.js";

const TRY_OUT_SCHEMA = "train_sim_try_out";
/** First words of statements in a preload that change the structure, for example by a key that is added after the rows. */
const STRUCTURE_VERBS = ["CREATE", "ALTER"];
const TRANSACTION_DDL_VERBS = ["CREATE", "ALTER", "DROP"];
const PREPARE_PREFIX = "PREPARE train_sim_statement AS ";
/** SQLSTATE indeterminate_datatype: the type of a parameter cannot be derived. */
const INDETERMINATE_DATATYPE = "42P18";
/** SQLSTATEs of a statement that has a parameter in place of a name: syntax_error, undefined_table, undefined_column. */
const NAME_ERRORS: ReadonlySet<string> = new Set(["42601", "42P01", "42703"]);
const CREATE_VIEW_PREFIX = "CREATE VIEW train_sim_invariant AS ";

/**
 * Query for an object outside of the schema $2 that the backend with process id $1 has dropped or altered in its
 * open transaction. Another session asks, since it still sees the object.
 */
const DISTURBED_OBJECT_QUERY = `
  SELECT seen.type || ' ' || seen.identity AS name
  FROM pg_locks, pg_identify_object(coalesce(classid, 'pg_class'::regclass), coalesce(objid, relation), 0) AS seen
  WHERE pid = $1 AND mode = 'AccessExclusiveLock' AND locktype IN ('object', 'relation')
    AND seen.schema IS DISTINCT FROM 'pg_toast' AND seen.identity IS NOT NULL
    AND seen.schema IS DISTINCT FROM quote_ident($2)
  ORDER BY seen.type <> 'schema', seen.type <> 'table', name LIMIT 1`;

/** Place in the file of a character of a statement, given its offset `at` in the text as sent. */
function placeOfSentCharacter(
  { pieces, place }: SqlText,
  at: number,
  sentTextOf: (index: number) => string,
): Place {
  let sentLength = 0;
  let before = "";
  for (const [index, piece] of pieces.entries()) {
    if (at <= sentLength + piece.length)
      return { ...place, ...placeIn(before + piece, before.length + Math.max(0, at - sentLength), place) };
    sentLength += piece.length + sentTextOf(index).length;
    // A variable contains no line break, so its length only matters for the column.
    before += `${piece}${sentTextOf(index)}`;
  }
  return place;
}

interface TrialStatement {
  readonly sql: SqlText;
  readonly text: string;
  /** Returns the text that is sent in place of the variable with that index. */
  readonly sentTextOf: (index: number) => string;
  /** Text that is sent before the statement, such as `PREPARE ... AS`. */
  readonly prefix?: string;
  /** Makes the words of a refusal from the server's error. Default: the error's message. */
  readonly wordsOf?: (error: unknown) => string;
}

class Trial {
  readonly problems: string[] = [];

  /** @param outside session that is not in the transaction, and so sees what the transaction has dropped */
  constructor(
    private readonly client: SqlClient,
    private readonly outside: SqlClient,
    private readonly file: string,
    private readonly schema: string,
  ) {}

  /** Runs DDL without savepoints, as a trial does: some DDL does not work with them. Resolves to the first refusal. */
  async runDdlAtOnce(ddl: readonly TrialStatement[]): Promise<string | undefined> {
    for (const statement of ddl) {
      const refusal = await this.refusalOfDdl(statement);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** Runs DDL with a savepoint for each statement, to continue after a refusal. */
  async runDdlOneByOne(ddl: readonly TrialStatement[]): Promise<void> {
    for (const statement of ddl) await this.tryUnderSavepoint(() => this.refusalOfDdl(statement));
  }

  run(statement: TrialStatement): Promise<boolean> {
    return this.tryUnderSavepoint(() => this.refusalOf(statement));
  }

  refuse(place: Place, message: string): void {
    this.problems.push(this.messageAt(place, message));
  }

  private messageAt(place: Place, message: string): string {
    return `${placeText(place, this.file)}: ${message}`;
  }

  /** Runs `attempt` under a savepoint and undoes it if it was refused. Resolves to true if it was accepted. */
  private async tryUnderSavepoint(attempt: () => Promise<string | undefined>): Promise<boolean> {
    await this.client.query("SAVEPOINT train_sim_statement");
    const refusal = await attempt();
    if (refusal === undefined) return true;
    await this.client.query("ROLLBACK TO train_sim_statement");
    this.problems.push(refusal);
    return false;
  }

  private async refusalOf({
    sql,
    text,
    sentTextOf,
    prefix = "",
    wordsOf = messageOf,
  }: TrialStatement): Promise<string | undefined> {
    try {
      await this.client.query(`${prefix}${text}`);
      return undefined;
    } catch (error) {
      const position = Number((error as { position?: string }).position ?? 0);
      const at = position - 1 - prefix.length;
      return this.messageAt(
        position > 0 ? placeOfSentCharacter(sql, at, sentTextOf) : sql.place,
        wordsOf(error),
      );
    }
  }

  /**
   * Runs a DDL statement. Resolves to the reason for refusing it: the server's error, or a change of objects that are not
   * the workload's.
   */
  private async refusalOfDdl(statement: TrialStatement): Promise<string | undefined> {
    const refusal = await this.refusalOf(statement);
    if (refusal !== undefined) return refusal;
    const [{ pid } = {}] = await this.client.query("SELECT pg_backend_pid() AS pid");
    const [disturbed] = await this.outside.query(DISTURBED_OBJECT_QUERY, [pid, this.schema]);
    const [madeElsewhere] = disturbed
      ? []
      : await this.client.query(OBJECTS_MADE_ELSEWHERE_SQL, [this.schema]);
    const found = disturbed ?? madeElsewhere;
    return (
      found &&
      this.messageAt(
        statement.sql.place,
        `${madeElsewhere ? "makes" : "drops or alters"} ${String(found["name"])}, which lies outside of the schema of the workload; remove it`,
      )
    );
  }
}

type SampleValues = ReadonlyMap<string, Value>;

/** Sample of the variables' values at the start of a transaction. It lacks variables that statements or `\set` set later. */
function sampleOf({ parameters }: ScriptTransaction, { values }: Treatment): SampleValues {
  const sample = new Map<string, Value>([
    ...BUILT_IN_VARIABLES.map((name): [string, Value] => [name, 0n]),
    ...Object.entries(values).map(([name, value]): [string, Value] => [name, toExpressionValue(value)]),
  ]);
  const prng = new Prng(0);
  for (const { variable, expression } of parameters)
    sample.set(variable, evaluate(expression, { valueOf: (name) => sample.get(name) ?? null, prng }));
  return sample;
}

const SQL_TYPES: Readonly<Record<string, string>> = {
  bigint: "bigint",
  number: "double precision",
  boolean: "boolean",
  string: "text",
};

/** The server's message, with variables' names in place of parameters' numbers, and with the type that it misses. */
function refusalOf(error: unknown, { variables }: SqlText, sample: SampleValues): string {
  const message = messageOf(error);
  const [, number] = /\$(\d+)/.exec(message) ?? [];
  const name =
    variables[Number(number) - 1] ??
    variables.find((each) => message.endsWith(`near "${literalIn(sample, each)}"`));
  if (name === undefined) return message;
  const namedMessage = message.replace(`$${number ?? ""}`, `:${name}`);
  if (NAME_ERRORS.has(codeOf(error) ?? ""))
    return `${namedMessage}: :${name} is a value, never the name of a table or a column, or a part of one; write the name itself`;
  if (codeOf(error) !== INDETERMINATE_DATATYPE) return namedMessage;
  const type = SQL_TYPES[typeof sample.get(name)] ?? "text";
  return `${namedMessage}: the statement does not say it; write CAST(:${name} AS ${type})`;
}

/** Tries a statement as clients send it: with parameters, or with sample values in the text. */
async function tryStatement(
  step: SqlStep,
  sample: SampleValues,
  isSimpleProtocol: boolean,
  trial: Trial,
): Promise<boolean> {
  const isText = isSimpleProtocol && step.variables.length > 0;
  if (isText && !step.variables.every((name) => sample.has(name))) return false;
  const sentTextOf = (index: number): string =>
    isText ? literalIn(sample, step.variables[index]) : `$${index + 1}`;
  const text = isText
    ? substituteVariables(step, (_, position) => sentTextOf(position))
    : parametrisedSql(step);
  return trial.run({
    sql: step,
    text,
    sentTextOf,
    prefix: PREPARE_PREFIX,
    wordsOf: (error) => refusalOf(error, step, sample),
  });
}

const literalIn = (sample: SampleValues, name = ""): string => sqlLiteral(sample.get(name) ?? null);

/** True if later statements of a transaction may need what this one makes, such as a temporary table. */
function makesTables(sql: SqlText): boolean {
  const words = wordsOf(sql);
  return TRANSACTION_DDL_VERBS.includes(words[0] ?? "") && !words.includes("CONCURRENTLY");
}

const changesStructure = (sql: SqlText): boolean => STRUCTURE_VERBS.includes(wordsOf(sql)[0] ?? "");

async function tryInvariant(
  { name, sql, acknowledged }: Invariant,
  text: string,
  trial: Trial,
  client: SqlClient,
): Promise<void> {
  if (!(await trial.run({ sql, text, sentTextOf: () => "", prefix: CREATE_VIEW_PREFIX }))) return;
  const columns = await client.query(
    "SELECT format_type(atttypid, NULL) AS type FROM pg_attribute WHERE attrelid = 'train_sim_invariant'::regclass AND attnum > 0",
  );
  await client.query("DROP VIEW train_sim_invariant");
  const types = columns.map(({ type }) => String(type)).join(", ");
  if (columns.length !== 1 || (!acknowledged && types !== "boolean"))
    trial.refuse(
      sql.place,
      `invariant "${name}" returns ${types}; it takes one column${acknowledged ? "" : " of type boolean"}`,
    );
}

/** @param schema schema that has tables already; if it is left out, one is made and rolled back with the rest */
export async function tryOut(
  program: Program,
  file: string,
  admin: AdminClient,
  settings: Treatment,
  schema = TRY_OUT_SCHEMA,
): Promise<readonly string[]> {
  const dialect = dialectOf(settings.dialect);
  if (!dialect.supportsTransactionalDdl) return [];
  const quoted = dialect.quoteIdentifier(schema);
  const literalOf = settingLiteralIn(settings);
  const client = await connectAdmin(admin.endpoint, { purpose: "preflight" });
  const trial = new Trial(client, admin, file, schema);
  const ddl = [...program.schema, ...program.preload.filter(changesStructure)].map((sql): TrialStatement => {
    const sentTextOf = (index: number): string => literalOf(sql.variables[index] ?? "");
    const text = substituteVariables(sql, literalOf).replaceAll(NAMESPACE_PLACEHOLDER, quoted);
    return { sql, text, sentTextOf };
  });
  const begin = async (): Promise<void> => {
    await client.query("BEGIN");
    if (schema === TRY_OUT_SCHEMA) await client.query(`CREATE SCHEMA ${quoted}`);
    await client.query(`SET LOCAL search_path TO ${quoted}`);
  };
  try {
    await begin();
    const refusal = await trial.runDdlAtOnce(ddl);
    if (refusal !== undefined) {
      await client.query("ROLLBACK");
      await begin();
      await trial.runDdlOneByOne(ddl);
      if (trial.problems.length === 0) return [refusal];
    }
    for (const transaction of program.transactions) {
      const sample = sampleOf(transaction, settings);
      await client.query("SAVEPOINT train_sim_transaction");
      for (const step of sqlStepsOf(transaction.steps)) {
        if (step.isMessage || step.quoted) continue;
        if (makesTables(step) && step.variables.every((name) => sample.has(name))) {
          const sentTextOf = (index: number): string => literalIn(sample, step.variables[index]);
          const text = substituteVariables(step, (name) => literalIn(sample, name));
          await trial.run({ sql: step, text, sentTextOf });
        }
        if (!isPreparable(wordsOf(step))) continue;
        const isTaken = await tryStatement(step, sample, settings.prepared === "simple", trial);
        if (isTaken) await client.query("DEALLOCATE train_sim_statement");
      }
      // Undoes tables that the transaction made for its later statements.
      await client.query("ROLLBACK TO train_sim_transaction");
    }
    for (const each of program.invariants)
      await tryInvariant(each, substituteVariables(each.sql, literalOf), trial, client);
    await client.query("ROLLBACK");
    return trial.problems;
  } finally {
    await client.close();
  }
}
