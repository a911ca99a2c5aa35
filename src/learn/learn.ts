// Learns a workload from a server: reads it in read-only transactions with a time limit, and writes a file of SQL.
import { connectAdmin, type SqlClient } from "../database/postgres/admin.js";
import { inSnapshot } from "../database/postgres/namespace/snapshot.js";
import type { Endpoint } from "../database/endpoint.js";
import { quoteIdentifier } from "../database/postgres/quoting.js";
import { messageOf, UsageError } from "../foundation/errors.js";
import { readSqlFile } from "../workloads/own.js";
import { callsBetween, readCounts, statisticsSchema, type Counts } from "./calls.js";
import { readCatalogue, type Catalogue, type Table } from "./catalogue.js";
import { readLog } from "./log.js";
import { leftOut, LINE_CHARACTERS, namesOf, type Described } from "./described.js";
import { inLikelyOrder } from "./order.js";
import { TransactionWriter, type LearntStatement } from "./parameters.js";
import { preloadText, schemaText, usedPart } from "./schema-text.js";
import { Reading } from "./reading.js";
import { filledText, numberedText, type Statement } from "./statement.js";
import {
  mostOf,
  transactionsInCounts,
  transactionsInLog,
  type Learnt,
  type Transaction,
} from "./transactions.js";
import { Values, wholeOf } from "./values.js";

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

export interface LearntFile {
  readonly text: string;
  /** Parts of the workload that the file does not have, as sentences. */
  readonly missing: readonly string[];
}

const STATEMENT_TIMEOUT = "30s";
/** Most transactions that the server is asked about. */
const DESCRIBED_MAX = 500;
const SMALL_TABLE_ROWS = 100;
const ROWS_WITHOUT_STATISTICS = 1_000;
const WEIGHT_MAX = 1e6;
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

/** Row numbers of the made tables: the largest has `rows`, small ones are whole. */
function scaledRows(part: Catalogue, rows: number): (table: Table) => { setting: string; count: number } {
  const rowsThere = (table: Table): number => {
    if (!table.isAnalysed) return Math.min(rows, ROWS_WITHOUT_STATISTICS);
    const partitions = part.tables.filter(({ parent }) => parent === table.oid);
    return Math.max(
      table.rows,
      partitions.reduce((sum, each) => sum + rowsThere(each), 0),
    );
  };
  const scale = Math.min(1, rows / Math.max(1, ...part.tables.map(rowsThere)));
  return (given) => {
    const table = wholeOf(given, part);
    const there = rowsThere(table);
    return {
      setting: `${table.name.replaceAll(/\W/g, "_").replace(/^(?=\d)/, "t")}_rows`,
      count: Math.round(Math.max(there * scale, Math.min(there, SMALL_TABLE_ROWS))),
    };
  };
}

const comments = (label: string, sentences: readonly string[]): string[] =>
  sentences.map(
    (sentence) => `-- ${label}: ${sentence.replaceAll(/\s+/g, " ").slice(0, 2 * LINE_CHARACTERS)}`,
  );

function rateLines({ seconds }: Learnt, calls: number): string[] {
  if (seconds === undefined)
    return ["-- not learnt: the rate: the counts are not of an interval; use --minutes or --log"];
  const rate = Number((calls / seconds).toPrecision(3));
  return [
    `-- ${Math.round(calls)} transactions in ${Math.round(seconds)} s: ${rate} a second. To run them at that rate, write in a scenario:`,
    `--   actors: { clients: { load: { executor: constant-arrival-rate, rate: ${rate}, maxClients: 20 } } }`,
  ];
}

/** Statements of the schema and of the rows; an empty line follows a statement of several lines. */
const sqlLines = (statements: readonly string[]): string[] =>
  statements.flatMap((text) => (text.includes("\n") ? [`${text};`, ""] : [`${text};`]));

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

interface FileInputs {
  readonly learnt: Learnt;
  readonly described: readonly Described[];
  readonly whole: Catalogue;
  readonly missing: string[];
  readonly rows: number;
  readonly permitted: readonly string[];
  readonly nowMs: number;
  readonly version: string;
  readonly source: string;
}

function usedColumns(
  described: readonly Described[],
  catalogue: Catalogue,
  uses: readonly string[],
): Set<string> {
  return new Set(
    described.flatMap(({ statements }) =>
      statements.flatMap(({ statement }) =>
        new Reading(statement, catalogue)
          .places()
          .flatMap(({ use, table, column }) =>
            table && column && uses.includes(use) ? [Values.key(table, column)] : [],
          ),
      ),
    ),
  );
}

function fileOf({
  learnt,
  described,
  whole,
  missing,
  rows,
  permitted,
  nowMs,
  version,
  source,
}: FileInputs): LearntFile {
  const part = usedPart(
    whole,
    described.flatMap(({ statements }) => statements.map(({ statement }) => numberedText(statement))),
  );
  const rowsOf = scaledRows(part, rows);
  const lookedUp = usedColumns(described, part, ["key", "range", "like", "array"]);
  const values = new Values(part, rowsOf, lookedUp, nowMs, usedColumns(described, part, ["change"]));
  const schema = schemaText(part);
  const preload = preloadText(part, values, rowsOf);
  missing.push(...schema.missing, ...preload.missing);
  const tables = part.tables.filter(
    (table) => table.kind === "table" && table.bound === undefined && rowsOf(table).count > 0,
  );
  const settings = new Set(tables.map((table) => rowsOf(table).setting));
  const most = Math.max(1, ...described.map(({ transaction }) => transaction.calls));
  const names = namesOf(described, part);
  const bodies = described.map((each) => {
    const { transaction, statements } = each;
    const writer = new TransactionWriter(statements, part, values, permitted, settings);
    const { lines, missing: notWritten } = writer.text();
    missing.push(...notWritten);
    const weight =
      most > WEIGHT_MAX
        ? Number(((transaction.calls / most) * WEIGHT_MAX).toPrecision(6))
        : transaction.calls;
    return [
      "",
      `-- name: ${names.get(each) ?? ""}`,
      `-- weight: ${weight}`,
      ...comments("guess", transaction.guesses),
      ...(writer.isReadOnly ? ["-- readonly"] : []),
      ...lines,
    ];
  });
  for (const table of tables)
    if (!table.isAnalysed) missing.push(`statistics of ${table.sql}: run ANALYZE there`);
  const calls = described.reduce((sum, { transaction }) => sum + transaction.calls, 0);
  const text = [
    "-- workload: learnt",
    `-- Learnt from ${source} by train-sim learn. Comments with "guess" are what it does not know; correct them.`,
    `-- The server is PostgreSQL ${version}. A run starts version 18 unless a scenario has target.version or another target.`,
    ...rateLines(learnt, calls),
    ...comments("not learnt", [...new Set(missing)]),
    ...tables.map((table) => `-- setting: ${rowsOf(table).setting} = ${rowsOf(table).count}`),
    "",
    "-- schema",
    ...sqlLines(schema.statements),
    "-- preload",
    "-- guess: values are made from types, keys and the frequencies in pg_stats; no value is copied, except for --values",
    "-- In row g: mod(g * PRIME, n) spreads rows over n values, power(...) makes the first values more frequent,",
    "-- CASE WHEN mod(g * PRIME, 100) < p leaves p % NULL. zipfian(1, n, s): value k is k^s times rarer than value 1.",
    ...sqlLines(preload.statements),
    ...bodies.flat(),
    "",
  ].join("\n");
  const read = readSqlFile(text, "learnt.sql");
  const problems = "problems" in read ? read.problems : [];
  return {
    text,
    missing: [
      ...new Set(missing),
      ...problems.map(({ place, message }) => `line ${place.line} of the file needs your hand: ${message}`),
    ],
  };
}
