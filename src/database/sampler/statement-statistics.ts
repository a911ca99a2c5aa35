// What a database counts of statements, at both ends of a window: what the workload's own took. Counts are read without
// their texts; those are asked for at the end, of what ran, and named by the dialect's source. Statements of other
// programs, and train-sim's own, have no name there and are not told of.
import { codeOf, messageOf } from "../../foundation/errors.js";
import type { SqlClient } from "../admin.js";
import type { SqlRow } from "../workload.js";
import type { StatementSource, Survey } from "./view.js";

export interface StatementCount {
  readonly calls: number;
  readonly rows: number;
  readonly totalMs: number;
  /** Where the dialect counts them. */
  readonly blocksDirtied?: number;
  readonly walBytes?: number;
}

/** Since the statistics were reset, by id. */
export type StatementCounts = ReadonlyMap<string, StatementCount>;

export interface NamedStatement extends StatementCount {
  readonly name: string;
  /** With placeholders for values. */
  readonly query: string;
}

/** Rejects where it cannot be asked, with what to do. */
export async function readStatements(
  client: SqlClient,
  survey: Survey,
  source: StatementSource,
): Promise<StatementCounts> {
  const obstacle = source.obstacle(survey);
  if (obstacle !== undefined) throw new Error(obstacle);
  const rows = await client.query(source.counts(survey)).catch((error: unknown) => {
    const advice = source.advice?.[codeOf(error) ?? ""];
    if (advice === undefined) throw error;
    throw new Error(`${messageOf(error)}: ${advice}`, { cause: error });
  });
  return new Map(rows.map((row) => [String(row["id"]), countOf(row)]));
}

function countOf({ calls, rows, totalMs, blocksDirtied, walBytes }: SqlRow): StatementCount {
  return {
    ...{ calls: Number(calls), rows: Number(rows), totalMs: Number(totalMs) },
    ...(blocksDirtied !== undefined && { blocksDirtied: Number(blocksDirtied) }),
    ...(walBytes !== undefined && { walBytes: Number(walBytes) }),
  };
}

const NOTHING: StatementCount = { calls: 0, rows: 0, totalMs: 0 };

/** What only one of them has is the other's 0: a statement that had not run before. */
function combined(a: StatementCount, b: StatementCount, sign: 1 | -1): StatementCount {
  const optional = (name: "blocksDirtied" | "walBytes"): Partial<StatementCount> => {
    const { [name]: one } = a;
    const { [name]: other } = b;
    return one === undefined && other === undefined ? {} : { [name]: (one ?? 0) + sign * (other ?? 0) };
  };
  return {
    calls: a.calls + sign * b.calls,
    rows: a.rows + sign * b.rows,
    totalMs: a.totalMs + sign * b.totalMs,
    ...optional("blocksDirtied"),
    ...optional("walBytes"),
  };
}

/**
 * What was added in between, by id; undefined where any count went back or any statement is gone: the statistics were
 * reset, entries were discarded for want of room, or the server crashed and counts anew, however far it has come since.
 */
export function statementsAdded(
  before: StatementCounts,
  after: StatementCounts,
): ReadonlyMap<string, StatementCount> | undefined {
  if ([...before.keys()].some((id) => !after.has(id))) return undefined;
  const added = [...after].map(([id, now]) => [id, combined(now, before.get(id) ?? NOTHING, -1)] as const);
  if (added.some(([, counts]) => Object.values(counts).some((value) => value < 0))) return undefined;
  return new Map(added.filter(([, { calls }]) => calls > 0));
}

/** The workload's among them, by name, most time first. `nameOf` knows their texts. */
export function namedStatements(
  added: ReadonlyMap<string, StatementCount>,
  texts: readonly (readonly [id: string, query: string])[],
  nameOf: (query: string) => string | undefined,
): NamedStatement[] {
  const byName = new Map<string, NamedStatement>();
  for (const [id, query] of texts) {
    const count = added.get(id);
    const name = nameOf(query);
    if (!count || name === undefined) continue;
    byName.set(name, { name, query, ...combined(count, byName.get(name) ?? NOTHING, 1) });
  }
  return [...byName.values()].sort((a, b) => b.totalMs - a.totalMs);
}

/** Texts of these, in any order. */
export async function statementTexts(
  client: SqlClient,
  survey: Survey,
  source: StatementSource,
  ids: Iterable<string>,
): Promise<[id: string, query: string][]> {
  const rows = await client.query(source.texts(survey), [[...ids].join(",")]);
  return rows.map(({ id, query }) => [String(id), String(query)]);
}
