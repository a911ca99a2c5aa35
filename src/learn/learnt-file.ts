// The file of SQL that `learn` writes: its settings, schema, rows and transactions, with a comment for each guess.
import { readSqlFile } from "../workloads/own.js";
import type { Catalogue, Table } from "./catalogue.js";
import { LINE_CHARACTERS, namesOf, type Described } from "./described.js";
import { TransactionWriter } from "./parameters.js";
import { Reading } from "./reading.js";
import { preloadText, schemaText, usedPart } from "./schema-text.js";
import { numberedText } from "./statement.js";
import type { Learnt } from "./transactions.js";
import { Values, wholeOf } from "./values.js";

export interface LearntFile {
  readonly text: string;
  /** Parts of the workload that the file does not have, as sentences. */
  readonly missing: readonly string[];
}

const SMALL_TABLE_ROWS = 100;
const ROWS_WITHOUT_STATISTICS = 1_000;
const WEIGHT_MAX = 1e6;

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

export function fileOf({
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
