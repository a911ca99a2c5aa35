import { COCKROACHDB_STATEMENTS } from "./cockroachdb-statements.js";
import { literals, type SamplerDialect, type ViewContext, type View } from "./view.js";

/** Name of the tables' schema as an SQL literal: for `"ns".events` it is `'ns'`. */
function schemaLiteral({ tables }: ViewContext): string {
  const quotedSchema = /^"((?:[^"]|"")*)"\./.exec(Object.values(tables)[0] ?? "")?.[1] ?? "";
  return `'${quotedSchema.replaceAll('""', '"').replaceAll("'", "''")}'`;
}

const SESSIONS_VIEW: View = {
  source: "crdb_internal.cluster_sessions",
  metricNames: ["sessions.active", "sessions.idleInTransaction", "sessions.idle"],
  text: ({ loadNames }) => `SELECT count(*) FILTER (WHERE active_queries <> '') AS "sessions.active",
      count(*) FILTER (WHERE active_queries = '' AND kv_txn IS NOT NULL) AS "sessions.idleInTransaction",
      count(*) FILTER (WHERE active_queries = '' AND kv_txn IS NULL) AS "sessions.idle"
    FROM crdb_internal.cluster_sessions WHERE status <> 'CLOSED' AND application_name IN (${literals(loadNames)})`,
};

const LOCKS_VIEW: View = {
  source: "crdb_internal.cluster_locks",
  metricNames: ["locks.blocked"],
  text: (survey) => `SELECT count(DISTINCT txn_id) AS "locks.blocked" FROM crdb_internal.cluster_locks
    WHERE NOT granted AND schema_name = ${schemaLiteral(survey)}`,
};

const CONTENTION_VIEW: View = {
  source: "crdb_internal.transaction_contention_events",
  metricNames: ["contention.events", "contention.waitMs"],
  text: (survey) => `SELECT count(*) AS "contention.events",
      COALESCE(sum(extract(epoch FROM contention_duration)) * 1000, 0)::FLOAT8 AS "contention.waitMs"
    FROM crdb_internal.transaction_contention_events
    WHERE collection_ts > now() - INTERVAL '1 second' AND schema_name = ${schemaLiteral(survey)}`,
};

export const COCKROACHDB_SAMPLER: SamplerDialect = {
  groups: [
    { name: "sessions", views: [SESSIONS_VIEW], isVital: true },
    { name: "locks and contention", views: [LOCKS_VIEW, CONTENTION_VIEW], isVital: false, mostShare: 0.01 },
  ],
  preamble: "SET LOCAL statement_timeout = '1s';",
  installationStatements: [],
  statements: COCKROACHDB_STATEMENTS,
  async survey(client, workload) {
    const [row] = await client.query("SELECT version() AS version");
    const majorVersion = /\bv(\d+)\./.exec(String(row?.version))?.[1];
    return { ...workload, version: Number(majorVersion), extensions: new Map(), invertedIndexes: [] };
  },
};
