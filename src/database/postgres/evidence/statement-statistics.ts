// Counts of statements at both ends of a window; texts are asked for at the end alone.
import { codeOf, messageOf } from "../../../foundation/errors.js";
import type { SqlClient } from "../admin.js";
import type { StatementSource, ViewContext } from "./view.js";
import type { NamedStatement } from "../../evidence.js";
import type { SqlRow } from "../../sql.js";

export type StatementCount = Omit<NamedStatement, "name" | "query">;

/** Counts of each statement since the statistics were reset, by its id. */
export type StatementCounts = ReadonlyMap<string, StatementCount>;

/** Resets of the statistics and losses of entries, for databases that report them. */
export interface StatementHistory {
  /** Time of the last reset, as the server writes it. */
  readonly since: string;
  /** Number of times since the last reset that the server discarded its least used entries to make room. */
  readonly discards: number;
}

export interface StatementReading {
  readonly counts: StatementCounts;
  readonly history: StatementHistory | undefined;
}

export interface AddedStatementCounts {
  readonly counts: StatementCounts;
  /** False if the server discarded entries in between: a missing or recreated entry may have counted more. */
  readonly isWhole: boolean;
}

/** Reads the counts of all statements. Rejects, with the way out, if the statistics cannot be read. */
export async function readStatements(
  client: SqlClient,
  survey: ViewContext,
  source: StatementSource,
): Promise<StatementCounts> {
  const obstacle = source.obstacle(survey);
  if (obstacle !== undefined) throw new Error(obstacle);
  const rows = await client.query(source.counts(survey)).catch((error: unknown) => {
    const advice = source.adviceBySqlstate?.[codeOf(error) ?? ""];
    if (advice === undefined) throw error;
    throw new Error(`${messageOf(error)}: ${advice}`, { cause: error });
  });
  return new Map(rows.map((row) => [String(row["id"]), countOf(row)]));
}

/**
 * Reads resets and losses; resolves to undefined if an old form of the extension does not report them. Rejects if the
 * connection is lost.
 */
export async function readHistory(
  client: SqlClient,
  survey: ViewContext,
  source: StatementSource,
): Promise<StatementHistory | undefined> {
  const text = source.history?.(survey);
  if (text === undefined) return undefined;
  const [row] = await client.query(text).catch((error: unknown) => {
    if (codeOf(error) === undefined) throw error;
    return [];
  });
  return row && { since: String(row["since"]), discards: Number(row["discards"]) };
}

function countOf({ calls, rows, totalMs, blocksDirtied, walBytes }: SqlRow): StatementCount {
  return {
    calls: Number(calls),
    rows: Number(rows),
    totalMs: Number(totalMs),
    ...(blocksDirtied !== undefined && { blocksDirtied: Number(blocksDirtied) }),
    ...(walBytes !== undefined && { walBytes: Number(walBytes) }),
  };
}

const NO_CALLS: StatementCount = { calls: 0, rows: 0, totalMs: 0 };

function combineCounts(a: StatementCount, b: StatementCount, sign: 1 | -1): StatementCount {
  const optionalCount = (name: "blocksDirtied" | "walBytes"): Partial<StatementCount> => {
    const { [name]: one } = a;
    const { [name]: other } = b;
    return one === undefined && other === undefined ? {} : { [name]: (one ?? 0) + sign * (other ?? 0) };
  };
  return {
    calls: a.calls + sign * b.calls,
    rows: a.rows + sign * b.rows,
    totalMs: a.totalMs + sign * b.totalMs,
    ...optionalCount("blocksDirtied"),
    ...optionalCount("walBytes"),
  };
}

const hasNegativeCount = (added: StatementCount): boolean => Object.values(added).some((value) => value < 0);

/**
 * Counts added between two readings, by id; undefined after a reset, or after a crash, since the server then counts from 0.
 * If the database reports no resets, a lower count or a missing statement proves one. Entries that were discarded to make
 * room are left out; a recreated entry has added at least its count.
 */
export function addedStatementCounts(
  before: StatementReading,
  after: StatementReading,
): AddedStatementCounts | undefined {
  const [from, to] = [before.history, after.history];
  if (from && to && from.since !== to.since) return undefined;
  const hasDiscards = from !== undefined && to !== undefined && to.discards > from.discards;
  const added = new Map<string, StatementCount>();
  for (const [id, now] of after.counts) {
    const more = combineCounts(now, before.counts.get(id) ?? NO_CALLS, -1);
    if (hasNegativeCount(more) && !hasDiscards) return undefined;
    added.set(id, hasNegativeCount(more) ? now : more);
  }
  if (!hasDiscards && [...before.counts.keys()].some((id) => !after.counts.has(id))) return undefined;
  return {
    counts: new Map([...added].filter(([, { calls }]) => calls > 0)),
    isWhole: !hasDiscards,
  };
}

export function namedStatements(
  added: ReadonlyMap<string, StatementCount>,
  texts: readonly (readonly [id: string, query: string])[],
  nameOf: (query: string) => string | undefined,
): NamedStatement[] {
  const statementByName = new Map<string, NamedStatement>();
  for (const [id, query] of texts) {
    const count = added.get(id);
    const name = nameOf(query);
    if (!count || name === undefined) continue;
    statementByName.set(name, {
      name,
      query,
      ...combineCounts(count, statementByName.get(name) ?? NO_CALLS, 1),
    });
  }
  return [...statementByName.values()].sort((a, b) => b.totalMs - a.totalMs);
}

export async function statementTexts(
  client: SqlClient,
  survey: ViewContext,
  source: StatementSource,
  ids: Iterable<string>,
): Promise<[id: string, query: string][]> {
  const rows = await client.query(source.texts(survey), [[...ids].join(",")]);
  return rows.map(({ id, query }) => [String(id), String(query)]);
}
