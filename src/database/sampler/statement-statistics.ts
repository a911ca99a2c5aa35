// pg_stat_statements at both ends of a window: what the workload's own statements took. Counts are read without their
// texts; those are asked for at the end, of what ran, and known by `statement-names.ts`. Statements of other programs,
// and train-sim's own, have no name there and are not told of.
import { codeOf, messageOf } from "../../foundation/errors.js";
import type { SqlClient } from "../admin.js";
import type { SqlRow } from "../workload.js";
import { SAMPLER_MARK, type Survey } from "./view.js";

export interface StatementCount {
  readonly calls: number;
  readonly rows: number;
  readonly totalMs: number;
  readonly blocksDirtied: number;
  readonly walBytes: number;
}

/** Since the statistics were reset, by `queryid`, all roles together. */
export type StatementCounts = ReadonlyMap<string, StatementCount>;

export interface NamedStatement extends StatementCount {
  readonly name: string;
  /** With placeholders for values. */
  readonly query: string;
}

const EXTENSION = "pg_stat_statements";
const NOT_LOADED = "55000";

const viewOf = ({ extensions }: Survey, hasText: boolean): string =>
  `${extensions.get(EXTENSION) ?? ""}.${EXTENSION}(${hasText})
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Rejects where the extension is missing, its library not loaded, or a column of version 13 not there. */
export async function readStatements(client: SqlClient, survey: Survey): Promise<StatementCounts> {
  if (!survey.extensions.has(EXTENSION)) throw new Error(`the extension ${EXTENSION} is not in the database`);
  const rows = await client
    .query(
      `SELECT ${SAMPLER_MARK} queryid::text AS id, sum(calls)::float8 AS calls, sum(rows)::float8 AS rows,
         sum(total_exec_time) AS "totalMs", sum(shared_blks_dirtied)::float8 AS "blocksDirtied",
         sum(wal_bytes)::float8 AS "walBytes" FROM ${viewOf(survey, false)} GROUP BY queryid`,
    )
    .catch((error: unknown) => {
      if (codeOf(error) !== NOT_LOADED) throw error;
      throw new Error(`${messageOf(error)}: add it there and restart the server`, { cause: error });
    });
  // Those of other roles, where ours may not see them, have no id.
  const seen = rows.filter(({ id }) => id !== null);
  return new Map(seen.map((row) => [String(row["id"]), countOf(row)]));
}

function countOf({ calls, rows, totalMs, blocksDirtied, walBytes }: SqlRow): StatementCount {
  return {
    ...{ calls: Number(calls), rows: Number(rows), totalMs: Number(totalMs) },
    ...{ blocksDirtied: Number(blocksDirtied), walBytes: Number(walBytes) },
  };
}

const NOTHING: StatementCount = { calls: 0, rows: 0, totalMs: 0, blocksDirtied: 0, walBytes: 0 };

function combined(a: StatementCount, b: StatementCount, sign: 1 | -1): StatementCount {
  return {
    calls: a.calls + sign * b.calls,
    rows: a.rows + sign * b.rows,
    totalMs: a.totalMs + sign * b.totalMs,
    blocksDirtied: a.blocksDirtied + sign * b.blocksDirtied,
    walBytes: a.walBytes + sign * b.walBytes,
  };
}

/** What was added in between, by `queryid`; undefined where a count went back: the statistics were reset. */
export function statementsAdded(
  before: StatementCounts,
  after: StatementCounts,
): ReadonlyMap<string, StatementCount> | undefined {
  const added = [...after].map(([id, now]) => [id, combined(now, before.get(id) ?? NOTHING, -1)] as const);
  if (added.some(([, { calls }]) => calls < 0)) return undefined;
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
  ids: Iterable<string>,
): Promise<[id: string, query: string][]> {
  const rows = await client.query(
    `SELECT ${SAMPLER_MARK} queryid::text AS id, min(query) AS query FROM ${viewOf(survey, true)}
       AND queryid::text = ANY (string_to_array($1, ',')) GROUP BY queryid`,
    [[...ids].join(",")],
  );
  return rows.map(({ id, query }) => [String(id), String(query)]);
}
