import { connectAdmin, type AdminClient, type SqlClient } from "../../../database/postgres/admin.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { MADE_ELSEWHERE } from "../../../database/postgres/namespace/dependants.js";
import { codeOf, messageOf } from "../../../foundation/errors.js";
import { Prng } from "../../../foundation/prng.js";
import { literalIn, ofSetting } from "../client.js";
import { evaluate } from "../expression.js";
import { literal } from "../machine.js";
import {
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
import { parametrisedSql, placeIn, substituted, wordsOf } from "../sql-text.js";

const SCHEMA = "train_sim_try_out";
/** First words of statements in a preload that change the structure, for example by a key that is added after the rows. */
const STRUCTURE = ["CREATE", "ALTER"];
const PREPARE = "PREPARE train_sim_statement AS ";
/** SQLSTATE indeterminate_datatype: the type of a parameter cannot be derived. */
const UNKNOWN_TYPE = "42P18";
const VIEW = "CREATE VIEW train_sim_invariant AS ";

/**
 * Query for an object that the backend with process id $1 has dropped or altered in its open transaction. Another session
 * asks, since it still sees the object.
 */
const DISTURBED = `
  SELECT seen.type || ' ' || seen.identity AS name
  FROM pg_locks, pg_identify_object(coalesce(classid, 'pg_class'::regclass), coalesce(objid, relation), 0) AS seen
  WHERE pid = $1 AND mode = 'AccessExclusiveLock' AND locktype IN ('object', 'relation')
    AND seen.schema IS DISTINCT FROM 'pg_toast' AND seen.identity IS NOT NULL
  ORDER BY seen.type <> 'schema', seen.type <> 'table', name LIMIT 1`;

/** Place in the file of a character of a statement, given its offset `at` in the text as sent. */
function placeOfSent({ pieces, place }: SqlText, at: number, sentOf: (index: number) => string): Place {
  let sent = 0;
  let before = "";
  for (const [index, piece] of pieces.entries()) {
    if (at <= sent + piece.length)
      return { ...place, ...placeIn(before + piece, before.length + Math.max(0, at - sent), place) };
    sent += piece.length + sentOf(index).length;
    // A variable contains no line break, so its length only matters for the column.
    before += `${piece}${sentOf(index)}`;
  }
  return place;
}

interface TrialStatement {
  readonly sql: SqlText;
  readonly text: string;
  /** Returns the text that is sent in place of the variable with that index. */
  readonly sentOf: (index: number) => string;
  /** Text that is sent before the statement, such as `PREPARE ... AS`. */
  readonly prefix?: string;
  /** Makes the words of a refusal from the server's error. Default: the error's message. */
  readonly wordsOf?: (error: unknown) => string;
}

class Trial {
  readonly problems: string[] = [];

  /** @param others a session outside of the transaction */
  constructor(
    private readonly client: SqlClient,
    private readonly others: SqlClient,
    private readonly file: string,
  ) {}

  /** Runs DDL without savepoints, as a trial does: some DDL does not work with them. Resolves to the first refusal. */
  async makeAtOnce(ddl: readonly TrialStatement[]): Promise<string | undefined> {
    for (const sent of ddl) {
      const refusal = await this.refusalOfDdl(sent);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** Runs DDL with a savepoint for each statement, to continue after a refusal. */
  async makeEach(ddl: readonly TrialStatement[]): Promise<void> {
    for (const sent of ddl) await this.guarded(() => this.refusalOfDdl(sent));
  }

  run(sent: TrialStatement): Promise<boolean> {
    return this.guarded(() => this.refusalOf(sent));
  }

  refuse(place: Place, message: string): void {
    this.problems.push(this.placed(place, message));
  }

  private placed(place: Place, message: string): string {
    return `${placeText(place, this.file)}: ${message}`;
  }

  /** Runs `attempt` under a savepoint and undoes it if it was refused. Resolves to true if it was accepted. */
  private async guarded(attempt: () => Promise<string | undefined>): Promise<boolean> {
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
    sentOf,
    prefix = "",
    wordsOf = messageOf,
  }: TrialStatement): Promise<string | undefined> {
    try {
      await this.client.query(`${prefix}${text}`);
      return undefined;
    } catch (error) {
      const position = Number((error as { position?: string }).position ?? 0);
      const at = position - 1 - prefix.length;
      return this.placed(position > 0 ? placeOfSent(sql, at, sentOf) : sql.place, wordsOf(error));
    }
  }

  /**
   * Runs a DDL statement. Resolves to the reason for refusing it: the server's error, or a change of objects that are not
   * the workload's.
   */
  private async refusalOfDdl(sent: TrialStatement): Promise<string | undefined> {
    const refusal = await this.refusalOf(sent);
    if (refusal !== undefined) return refusal;
    const [{ pid } = {}] = await this.client.query("SELECT pg_backend_pid() AS pid");
    const [disturbed] = await this.others.query(DISTURBED, [pid]);
    const [made] = disturbed ? [] : await this.client.query(MADE_ELSEWHERE, [SCHEMA]);
    const found = disturbed ?? made;
    return (
      found &&
      this.placed(
        sent.sql.place,
        `${made ? "makes" : "drops or alters"} ${String(found["name"])}, which lies outside of the schema of the workload; remove it`,
      )
    );
  }
}

type Sample = ReadonlyMap<string, Value>;

/** Sample of the variables' values at the start of a transaction. It lacks variables that statements or `\set` set later. */
function sampleOf({ parameters }: ScriptTransaction, { values }: Treatment): Sample {
  const sample = new Map<string, Value>([
    ...BUILT_IN_VARIABLES.map((name): [string, Value] => [name, 0n]),
    ...Object.entries(values).map(([name, value]): [string, Value] => [name, ofSetting(value)]),
  ]);
  const prng = new Prng(0);
  for (const { variable, expression } of parameters)
    sample.set(variable, evaluate(expression, { valueOf: (name) => sample.get(name) ?? null, prng }));
  return sample;
}

const TYPES: Readonly<Record<string, string>> = {
  bigint: "bigint",
  number: "double precision",
  boolean: "boolean",
  string: "text",
};

/** The server's message, with variables' names in place of parameters' numbers, and with the type that it misses. */
function refusalOf(error: unknown, { variables }: SqlText, sample: Sample): string {
  const message = messageOf(error);
  const [, number] = /\$(\d+)/.exec(message) ?? [];
  const name = variables[Number(number) - 1];
  if (name === undefined) return message;
  const named = message.replace(`$${number ?? ""}`, `:${name}`);
  if (codeOf(error) !== UNKNOWN_TYPE) return named;
  const type = TYPES[typeof sample.get(name)] ?? "text";
  return `${named}: the statement does not say it; write CAST(:${name} AS ${type})`;
}

/** Tries a statement as clients send it: with parameters, or with sample values in the text. */
async function tryStatement(
  step: SqlStep,
  sample: Sample,
  isSimple: boolean,
  trial: Trial,
): Promise<boolean> {
  const isText = isSimple && step.variables.length > 0;
  if (isText && !step.variables.every((name) => sample.has(name))) return false;
  const sentOf = (index: number): string =>
    isText ? literal(sample.get(step.variables[index] ?? "") ?? null) : `$${index + 1}`;
  const text = isText ? substituted(step, (_, position) => sentOf(position)) : parametrisedSql(step);
  return trial.run({
    sql: step,
    text,
    sentOf,
    prefix: PREPARE,
    wordsOf: (error) => refusalOf(error, step, sample),
  });
}

const makesStructure = (sql: SqlText): boolean => STRUCTURE.includes(wordsOf(sql)[0] ?? "");

async function tryInvariant(
  { name, sql, acknowledged }: Invariant,
  text: string,
  trial: Trial,
  client: SqlClient,
): Promise<void> {
  if (!(await trial.run({ sql, text, sentOf: () => "", prefix: VIEW }))) return;
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

export async function tryOut(
  program: Program,
  file: string,
  admin: AdminClient,
  settings: Treatment,
): Promise<readonly string[]> {
  const dialect = dialectOf(settings.dialect);
  if (!dialect.supportsTransactionalDdl) return [];
  const literalOf = literalIn(settings);
  const client = await connectAdmin(admin.endpoint, { purpose: "preflight" });
  const trial = new Trial(client, admin, file);
  const ddl = [...program.schema, ...program.preload.filter(makesStructure)].map((sql): TrialStatement => {
    const sentOf = (index: number): string => literalOf(sql.variables[index] ?? "");
    return { sql, text: substituted(sql, literalOf), sentOf };
  });
  const begin = async (): Promise<void> => {
    await client.query("BEGIN");
    await client.query(`CREATE SCHEMA ${SCHEMA}; SET LOCAL search_path TO ${SCHEMA}`);
  };
  try {
    await begin();
    const refusal = await trial.makeAtOnce(ddl);
    if (refusal !== undefined) {
      await client.query("ROLLBACK");
      await begin();
      await trial.makeEach(ddl);
      if (trial.problems.length === 0) return [refusal];
    }
    for (const transaction of program.transactions) {
      const sample = sampleOf(transaction, settings);
      for (const step of sqlStepsOf(transaction.steps)) {
        if (step.isMessage || step.quoted || !isPreparable(wordsOf(step))) continue;
        const isTaken = await tryStatement(step, sample, settings.prepared === "simple", trial);
        if (isTaken) await client.query("DEALLOCATE train_sim_statement");
      }
    }
    for (const each of program.invariants)
      await tryInvariant(each, substituted(each.sql, literalOf), trial, client);
    await client.query("ROLLBACK");
    return trial.problems;
  } finally {
    await client.close();
  }
}
