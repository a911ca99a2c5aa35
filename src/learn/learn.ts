// Learns a workload from a server: reads it in read-only transactions with a time limit, and writes a file of SQL.
import { connectAdmin, type SqlClient } from "../database/postgres/admin.js";
import { inSnapshot } from "../database/postgres/namespace/snapshot.js";
import type { Endpoint } from "../database/endpoint.js";
import { quoteIdentifier } from "../database/postgres/quoting.js";
import { messageOf, UsageError } from "../foundation/errors.js";
import { callsBetween, readCounts, statisticsSchema, type Counts } from "./calls.js";
import { readCatalogue, type Catalogue } from "./catalogue.js";
import { readLog } from "./log.js";
import { leftOut, LINE_CHARACTERS, type Described } from "./described.js";
import { fileOf, type LearntFile } from "./learnt-file.js";
import { inLikelyOrder } from "./order.js";
import type { LearntStatement } from "./parameters.js";
import { Reading } from "./reading.js";
import { filledText, numberedText, type Statement } from "./statement.js";
import { Values } from "./values.js";
import {
  mostOf,
  transactionsInCounts,
  transactionsInLog,
  type Learnt,
  type Transaction,
} from "./transactions.js";

export interface LearnOptions {
  readonly endpoint: Endpoint;
  /** Length of the interval whose calls are counted; 0 for all calls since the statistics were reset. */
  readonly minutes: number;
  readonly logs: readonly string[];
  /** Largest number of rows of a table. */
  readonly rows: number;
  /** Columns and arguments whose values may be read and written. */
  readonly permitted: readonly string[];
  /** Share of the calls, and of the time, that the file's transactions make: 0 to 1. */
  readonly coverage: number;
  readonly nowMs: number;
  /** Waits for the end of the interval. */
  readonly wait: (ms: number) => Promise<unknown>;
}

const STATEMENT_TIMEOUT = "30s";
/** Most transactions that the server is asked about. */
const DESCRIBED_MAX = 500;
const MINUTE_MS = 60_000;

/** Runs `work` in a read-only transaction whose statements have a time limit. */
function reading<T>(client: SqlClient, work: () => Promise<T>): Promise<T> {
  return inSnapshot(client, async () => {
    await client.query(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    await client.query("SET LOCAL lock_timeout = '2s'");
    return work();
  });
}

/** Marks the queries with which train-sim reads, so that they are not learnt. */
const marked = (client: SqlClient): SqlClient => ({
  query: (text, values) => client.query(text.replace(/^\s*SELECT\b/, "SELECT /* train-sim */"), values),
});

async function requireStatistics(client: SqlClient): Promise<string> {
  const schema = await statisticsSchema(client);
  if (schema === undefined)
    throw new UsageError(
      "the extension pg_stat_statements is not in the database",
      "CREATE EXTENSION pg_stat_statements; or name a log of the server with --log.",
    );
  return schema;
}

/** Refuses permitted columns that no table has. A name without a point is an argument of a function. */
function requireColumns({ tables }: Catalogue, permitted: readonly string[]): void {
  const names = new Set(
    tables.flatMap((table) =>
      table.columns.flatMap((column) => [`${table.name}.${column.name}`, Values.key(table, column)]),
    ),
  );
  const unknown = permitted.filter((name) => name.includes(".") && !names.has(name));
  if (unknown.length > 0)
    throw new UsageError(
      `--values: no table has the column ${unknown.join(", ")}`,
      "Write table.column or schema.table.column.",
    );
}

/** Refuses permitted names without a point that are no argument of a learnt statement. */
function requireArguments(
  described: readonly Described[],
  catalogue: Catalogue,
  permitted: readonly string[],
): void {
  const names = new Set(
    described.flatMap(({ statements }) =>
      statements.flatMap(({ statement }) =>
        new Reading(statement, catalogue).places().map(({ argument }) => argument),
      ),
    ),
  );
  const unknown = permitted.filter((name) => !name.includes(".") && !names.has(name));
  if (unknown.length === 0) return;
  const columns = catalogue.tables.flatMap((table) =>
    table.columns.filter(({ name }) => unknown.includes(name)).map(({ name }) => `${table.name}.${name}`),
  );
  throw new UsageError(
    `--values: ${unknown.join(", ")} is no argument of a function in the statements`,
    columns.length > 0
      ? `Name the table too: ${columns.join(", ")}.`
      : "Write table.column or schema.table.column.",
  );
}

async function learnFromCounts(client: SqlClient, { minutes, wait }: LearnOptions): Promise<Learnt> {
  const schema = await requireStatistics(client);
  const counts = (): Promise<Counts> => reading(client, () => readCounts(client, schema));
  if (minutes === 0) return transactionsInCounts([...(await counts()).values()], undefined);
  const before = await counts();
  await wait(minutes * MINUTE_MS);
  return transactionsInCounts(callsBetween(before, await counts()), minutes * 60);
}

/** Types of the slots, as the server infers them; the server's refusal if it cannot prepare the statement. */
async function typesOf(client: SqlClient, text: string): Promise<string[] | { readonly refusal: string }> {
  await client.query("SAVEPOINT train_sim_learn");
  try {
    await client.query(`PREPARE train_sim_learn AS ${text}`);
    const [row] = await client.query(
      "SELECT to_json(parameter_types::text[])::text AS types FROM pg_prepared_statements WHERE name = 'train_sim_learn'",
    );
    await client.query("DEALLOCATE train_sim_learn");
    await client.query("RELEASE train_sim_learn");
    return JSON.parse(typeof row?.["types"] === "string" ? row["types"] : "[]") as string[];
  } catch (error) {
    await client.query("ROLLBACK TO train_sim_learn");
    return { refusal: messageOf(error) };
  }
}

/** The statement with a cast of each slot to its type, if the server cannot infer it otherwise. */
async function describe(
  client: SqlClient,
  statement: Statement,
): Promise<
  { readonly statement: Statement; readonly types: readonly string[] } | { readonly refusal: string }
> {
  const types = await typesOf(client, numberedText(statement));
  if (Array.isArray(types))
    return {
      statement,
      types: types.map((type, i) =>
        /^::text::jsonb?\b/.test(statement.pieces[i + 1] ?? "") ? "json" : type,
      ),
    };
  const { slots, pieces } = statement;
  if (slots.some(({ number }) => number === undefined)) return types;
  // A parameter that occurs twice has one type, which each occurrence alone may not show.
  const byNumber = await typesOf(
    client,
    filledText(
      statement,
      slots.map(({ number }) => `$${number}`),
    ),
  );
  if (!Array.isArray(byNumber)) return types;
  const slotTypes = slots.map(({ number }) => byNumber[(number ?? 1) - 1] ?? "text");
  const cast = {
    ...statement,
    pieces: pieces.map((piece, i) => (i === 0 ? piece : `::${slotTypes[i - 1]}${piece}`)),
  };
  const again = await typesOf(client, numberedText(cast));
  return Array.isArray(again) ? { statement: cast, types: again } : again;
}

/** Describes the most frequent transactions. A statement that the server refuses is left out and named. */
async function describeAll(
  client: SqlClient,
  transactions: readonly Transaction[],
  catalogue: Catalogue,
  missing: string[],
): Promise<Described[]> {
  const schemas = [...new Set([...catalogue.tables, ...catalogue.others].map(({ schema }) => schema))];
  await client.query(
    "SELECT set_config('search_path', concat_ws(', ', nullif(current_setting('search_path'), ''), $1::text), true)",
    [schemas.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ")],
  );
  const all: Described[] = [];
  if (transactions.length > DESCRIBED_MAX)
    missing.push(`${transactions.length - DESCRIBED_MAX} transactions rarer than ${DESCRIBED_MAX} others`);
  const frequent = transactions.toSorted((a, b) => b.calls - a.calls).slice(0, DESCRIBED_MAX);
  for (const transaction of frequent) {
    const statements: LearntStatement[] = [];
    for (const { statement, values } of transaction.statements) {
      const described = await describe(client, statement);
      if ("refusal" in described) {
        const text = numberedText(statement).slice(0, LINE_CHARACTERS);
        missing.push(
          `${text} (${transaction.calls} calls): the server cannot prepare it: ${described.refusal}`,
        );
      } else statements.push({ ...described, values });
    }
    if (statements.length === 0) continue;
    const { isOrderKnown } = transaction;
    all.push({ transaction, statements: isOrderKnown ? statements : inLikelyOrder(statements, catalogue) });
  }
  return all;
}

export async function learn(options: LearnOptions): Promise<LearntFile> {
  const { endpoint, logs, rows, permitted, coverage, nowMs } = options;
  const session = await connectAdmin(endpoint, { purpose: "learn", keepsTimeLimits: true });
  const client = marked(session);
  try {
    // Not every version has the setting; the session waits for the end of the interval.
    await client.query("SET idle_session_timeout = 0").catch(() => undefined);
    const learnt =
      logs.length > 0
        ? transactionsInLog(await readLog(logs, endpoint.database))
        : await learnFromCounts(client, options);
    if (learnt.transactions.length === 0 && learnt.hiddenCalls > 0)
      throw new UsageError(
        `all ${learnt.hiddenCalls} calls in the database ${endpoint.database} are of other roles, and their texts are hidden`,
        `GRANT pg_read_all_stats TO ${quoteIdentifier(endpoint.user)};`,
      );
    if (learnt.transactions.length === 0)
      throw new UsageError(
        `no statement of the database ${endpoint.database} was ${logs.length > 0 ? "in the log" : "called"}`,
        logs.length > 0
          ? "Set log_statement = all or log_min_duration_statement = 0 there, and log again."
          : "Let the application run meanwhile; --minutes 0 takes all calls since the statistics were reset.",
      );
    return await reading(client, async () => {
      const whole = await readCatalogue(client, permitted);
      requireColumns(whole, permitted);
      const missing = [...learnt.missing];
      const candidates = await describeAll(client, learnt.transactions, whole, missing);
      if (candidates.length === 0)
        throw new UsageError(
          `no statement can be prepared in the database ${endpoint.database}: ${missing[0] ?? ""}`,
          "Name the database whose statements these are in --url.",
        );
      requireArguments(candidates, whole, permitted);
      const chosen = mostOf(
        candidates.map(({ transaction }) => transaction),
        coverage,
      );
      const described = candidates.filter(({ transaction }) => chosen.includes(transaction));
      missing.push(...leftOut(candidates, chosen, learnt.isTimeKnown));
      return fileOf({
        learnt,
        described,
        whole,
        missing,
        rows,
        permitted,
        nowMs,
        version: String(
          (await client.query("SELECT current_setting('server_version') AS version"))[0]?.["version"],
        ),
        source: logs.length > 0 ? "a log" : "pg_stat_statements",
      });
    });
  } finally {
    await session.close();
  }
}
