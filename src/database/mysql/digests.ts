// Statements by performance_schema.events_statements_summary_by_digest. A digest is the statement without its values.
import type { NamedStatement } from "../evidence.js";
import type { Statement } from "../sql.js";
import type { MySqlAdmin } from "./admin.js";
import type { MySqlDialect } from "./capabilities.js";

export type DigestCount = Pick<NamedStatement, "query" | "calls" | "rows" | "totalMs">;
export type DigestCounts = ReadonlyMap<string, DigestCount>;

/** End of the text of a digest that was longer than max_digest_length. */
const CUT_END = "...";
/** MySQL counts executions of a prepared statement under its text behind this word. */
const EXECUTE_PREFIX = "execute";

export async function readDigests(admin: MySqlAdmin): Promise<DigestCounts> {
  const rows = await admin.query(
    `SELECT digest, MIN(digest_text) AS text, SUM(count_star) AS calls,
            SUM(sum_rows_sent) + SUM(sum_rows_affected) AS all_rows, SUM(sum_timer_wait) / 1e9 AS ms
       FROM performance_schema.events_statements_summary_by_digest
      WHERE digest IS NOT NULL GROUP BY digest`,
  );
  return new Map(
    rows.map((row) => [
      String(row["digest"]),
      {
        query: String(row["text"]).trim(),
        calls: Number(row["calls"]),
        rows: Number(row["all_rows"]),
        totalMs: Number(row["ms"]),
      },
    ]),
  );
}

/**
 * The text of a statement or of a digest, in one form for both: without blanks, quotes of names and values, and with each
 * list of values as one.
 */
export function canonicalText(text: string): string {
  return text
    .replace(/\/\*[^]*?\*\/|--[^\n]*|'(?:[^'\\]|''|\\[^])*'/g, (part) => (part.startsWith("'") ? "?" : " "))
    .replace(/\b\d+(?:\.\d+)?\b/g, "?")
    .toLowerCase()
    .replace(/[\s`]+/g, "")
    .replace(/\bnull\b/g, "?")
    .replace(/-\?/g, "?")
    .replace(/\(\?(?:,\?)+\)/g, "(...)")
    .replace(/\(\.\.\.\)(?:,\(\.\.\.\))+/g, "(...)");
}

/** Calls of the statements between two readings, by name; undefined if the counts began again. */
export function statementsBetween(
  before: DigestCounts,
  after: DigestCounts,
  statements: readonly Pick<Statement, "name" | "text">[],
): NamedStatement[] | undefined {
  const names = new Map(statements.map(({ name, text }) => [canonicalText(text), name]));
  const nameOf = (query: string): string | undefined => {
    const canonical = canonicalText(query).replace(new RegExp(`^${EXECUTE_PREFIX}(?=\\w)`), "");
    if (!canonical.endsWith(CUT_END)) return names.get(canonical);
    const start = canonical.slice(0, -CUT_END.length);
    return names.get(canonical) ?? [...names].find(([text]) => text.startsWith(start))?.[1];
  };
  const byName = new Map<string, NamedStatement>();
  for (const [digest, now] of after) {
    const then = before.get(digest);
    if (then && then.calls > now.calls) return undefined;
    const calls = now.calls - (then?.calls ?? 0);
    const name = calls > 0 ? nameOf(now.query) : undefined;
    if (name === undefined) continue;
    const sum = byName.get(name);
    byName.set(name, {
      name,
      query: now.query,
      calls: calls + (sum?.calls ?? 0),
      rows: now.rows - (then?.rows ?? 0) + (sum?.rows ?? 0),
      totalMs: now.totalMs - (then?.totalMs ?? 0) + (sum?.totalMs ?? 0),
    });
  }
  return [...byName.values()].sort((a, b) => b.totalMs - a.totalMs);
}

/** Reason why no call of a statement was seen. */
export const noStatementReason = (dialect: MySqlDialect): string =>
  dialect === "mariadb"
    ? "it shows no statement of the workload: MariaDB counts no executions of prepared statements; use prepared: false"
    : "it shows no statement of the workload";
