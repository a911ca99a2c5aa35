// Statements by pg_stat_statements in this database, of all roles. Statements of roles that ours may not see have no id.
import { statementNamer } from "../statement-names.js";
import { SAMPLER_MARK, type StatementSource, type ViewContext } from "./view.js";

const STATEMENTS_EXTENSION = "pg_stat_statements";

const statementsViewSql = ({ extensions }: ViewContext, hasText: boolean): string =>
  `${extensions.get(STATEMENTS_EXTENSION) ?? ""}.${STATEMENTS_EXTENSION}(${hasText})
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const FOREIGN_NAME_CHARACTERS = 60;

/** The beginning of a statement that the workload does not know; undefined for the sampler's. */
function foreignName(query: string): string | undefined {
  if (query.includes(SAMPLER_MARK)) return undefined;
  const line = query.replace(/\s+/g, " ").trim();
  return line.length <= FOREIGN_NAME_CHARACTERS ? line : `${line.slice(0, FOREIGN_NAME_CHARACTERS - 1)}…`;
}

export const POSTGRES_STATEMENTS: StatementSource = {
  name: STATEMENTS_EXTENSION,
  obstacle: ({ extensions }) =>
    extensions.has(STATEMENTS_EXTENSION)
      ? undefined
      : `the extension ${STATEMENTS_EXTENSION} is not in the database`,
  counts: (survey) => `SELECT ${SAMPLER_MARK} queryid::text AS id, sum(calls)::float8 AS calls,
      sum(rows)::float8 AS rows, sum(total_exec_time) AS "totalMs",
      sum(shared_blks_dirtied)::float8 AS "blocksDirtied", sum(wal_bytes)::float8 AS "walBytes"
    FROM ${statementsViewSql(survey, false)} AND queryid IS NOT NULL GROUP BY queryid`,
  // The view exists from version 14 on; there, a crash of the server counts as a reset.
  history: ({ version, extensions }) =>
    version < 14 || !extensions.has(STATEMENTS_EXTENSION)
      ? undefined
      : `SELECT ${SAMPLER_MARK} stats_reset::text AS since, dealloc::float8 AS discards
          FROM ${extensions.get(STATEMENTS_EXTENSION) ?? ""}.pg_stat_statements_info`,
  texts: (
    survey,
  ) => `SELECT ${SAMPLER_MARK} queryid::text AS id, min(query) AS query FROM ${statementsViewSql(survey, true)}
       AND queryid::text = ANY (string_to_array($1, ',')) GROUP BY queryid`,
  // Error code of a server that has not loaded the library.
  adviceBySqlstate: { "55000": "add it there and restart the server" },
  namer(statements, { version, schema }) {
    const known = statementNamer(statements, version);
    return schema === undefined ? known : (query) => known(query) ?? foreignName(query);
  },
};
