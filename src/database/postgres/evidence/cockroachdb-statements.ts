// CockroachDB counts statements by fingerprint and rewrites texts: a fingerprint's name is its verb and its table.
import { literals, SAMPLER_MARK, type StatementSource, type ViewContext } from "./view.js";

const own = ({ loadNames }: ViewContext): string => `FROM crdb_internal.statement_statistics
    WHERE app_name IN (${literals(loadNames)})`;
const ID = "encode(fingerprint_id, 'hex')";
const CALLS = "(statistics->'statistics'->>'cnt')::FLOAT8";

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
  counts: (survey) => `SELECT ${SAMPLER_MARK} ${ID} AS id, sum(${CALLS}) AS calls,
      sum(${CALLS} * (statistics->'statistics'->'numRows'->>'mean')::FLOAT8) AS rows,
      sum(${CALLS} * (statistics->'statistics'->'svcLat'->>'mean')::FLOAT8) * 1000 AS "totalMs"
    ${own(survey)} GROUP BY fingerprint_id`,
  texts: (survey) => `SELECT ${SAMPLER_MARK} ${ID} AS id, min(metadata->>'query') AS query ${own(survey)}
      AND ${ID} = ANY (string_to_array($1, ',')) GROUP BY fingerprint_id`,
  namer: (_, { tables }) => fingerprintNamer(Object.values(tables)),
};
