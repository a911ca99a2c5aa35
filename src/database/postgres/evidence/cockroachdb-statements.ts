// CockroachDB counts statements by fingerprint and rewrites texts: a fingerprint's name is its verb and its table.
import { literals, SAMPLER_MARK, type StatementSource, type ViewContext } from "./view.js";

const fromLoadStatementsSql = ({ loadNames }: ViewContext): string => `FROM crdb_internal.statement_statistics
    WHERE app_name IN (${literals(loadNames)})`;
const STATEMENT_ID_SQL = "encode(fingerprint_id, 'hex')";
const CALLS_SQL = "(statistics->'statistics'->>'cnt')::FLOAT8";

/**
 * Returns a function that names a query by its verb and table, such as `UPDATE queue`; it returns undefined for other
 * tables.
 */
export function fingerprintNamer(tables: readonly string[]): (query: string) => string | undefined {
  const names = tables.map((table) => table.replace(/^.*\./, "").replaceAll('"', ""));
  const pattern = new RegExp(
    String.raw`^(?:WITH\b.*?\b)?(INSERT INTO|UPDATE|DELETE FROM|SELECT)\b.*?\b(${names.join("|")})\b`,
    "is",
  );
  return (query) => {
    const [, verb = "", table = ""] = pattern.exec(query) ?? [];
    return table === "" ? undefined : `${verb.toUpperCase()} ${table}`;
  };
}

export const COCKROACHDB_STATEMENTS: StatementSource = {
  name: "crdb_internal.statement_statistics",
  obstacle: () => undefined,
  // Each row is one aggregation interval: a mean is of its calls, and latencies are in seconds.
  counts: (survey) => `SELECT ${SAMPLER_MARK} ${STATEMENT_ID_SQL} AS id, sum(${CALLS_SQL}) AS calls,
      sum(${CALLS_SQL} * (statistics->'statistics'->'numRows'->>'mean')::FLOAT8) AS rows,
      sum(${CALLS_SQL} * (statistics->'statistics'->'svcLat'->>'mean')::FLOAT8) * 1000 AS "totalMs"
    ${fromLoadStatementsSql(survey)} GROUP BY fingerprint_id`,
  texts: (
    survey,
  ) => `SELECT ${SAMPLER_MARK} ${STATEMENT_ID_SQL} AS id, min(metadata->>'query') AS query ${fromLoadStatementsSql(survey)}
      AND ${STATEMENT_ID_SQL} = ANY (string_to_array($1, ',')) GROUP BY fingerprint_id`,
  namer: (_, { tables }) => fingerprintNamer(Object.values(tables)),
};
