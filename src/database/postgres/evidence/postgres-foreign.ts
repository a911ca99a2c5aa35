// Sessions of the load are known by name; nothing is counted if a pooler hides names or the role may not see all sessions.
import { APPLICATION_NAME } from "../../contract.js";
import type { Evidence, EvidenceReading } from "../../evidence.js";
import { literals, metricName, numbersIn, type View } from "./view.js";

export const FOREIGN_SOURCES: Evidence["foreignSources"] = {
  sessions: "pg_stat_activity (other sessions)",
  transactions: "pg_stat_database (others)",
  logins: "pg_stat_database (sessions)",
};

/** Maximum number of groups of foreign sessions that a sample names; groups with the most active sessions come first. */
const FOREIGN_GROUPS_MAX = 5;

const HIDDEN_SESSIONS_REASON =
  "the sampler's role does not see the sessions of other roles: GRANT pg_monitor to it";
const foreignSessionsQuery = (loadNames: readonly string[]): string => `
WITH session AS MATERIALIZED (
  SELECT pid, datname, usename, application_name, state, backend_type,
         coalesce(datid = (SELECT oid FROM pg_database WHERE datname = current_database()), false) AS is_here,
         application_name IN (${literals(loadNames)}) AS is_load,
         application_name = '${APPLICATION_NAME}' OR application_name LIKE '${APPLICATION_NAME}/%' AS is_named
    FROM pg_stat_activity
   WHERE pid <> pg_backend_pid() AND usesysid IS NOT NULL
     AND (coalesce(backend_type, 'client backend') = 'client backend'
       OR pid IN (SELECT pid FROM pg_stat_progress_basebackup))
), foreigner AS MATERIALIZED (
  SELECT *, state IN ('active', 'fastpath function call') AS is_active FROM session WHERE NOT (is_here AND is_named)
), seen AS (
  SELECT NOT EXISTS (SELECT FROM foreigner WHERE NOT is_here AND (backend_type IS NULL OR state = 'disabled')) AS elsewhere_is,
         NOT EXISTS (SELECT FROM foreigner WHERE is_here AND (backend_type IS NULL OR state = 'disabled'))
           AND EXISTS (SELECT FROM session WHERE is_here AND is_load) AS here_is
), counted AS (
  SELECT foreigner.* FROM foreigner, seen WHERE CASE WHEN is_here THEN here_is ELSE elsewhere_is END
)
SELECT CASE WHEN elsewhere_is THEN (SELECT count(*) FROM counted WHERE is_active) END AS "foreign.active",
  CASE WHEN here_is THEN (SELECT count(*) FROM counted WHERE is_active AND is_here) END AS "foreign.activeHere",
  (SELECT coalesce(json_object_agg(name, sessions), '{}') FROM (
    SELECT concat_ws('/', datname, usename, nullif(application_name, '')) AS name, count(*) AS sessions
      FROM counted WHERE is_active GROUP BY 1 ORDER BY 2 DESC LIMIT ${FOREIGN_GROUPS_MAX}) AS who) AS groups,
  (SELECT coalesce(json_agg(pid), '[]') FROM counted) AS pids
FROM seen`;

function decodeForeign(row: Readonly<Record<string, unknown>>): EvidenceReading {
  const groups = Object.entries((row["groups"] ?? {}) as Readonly<Record<string, number>>);
  return {
    ...numbersIn(row),
    ...Object.fromEntries(groups.map(([name, sessions]) => [metricName("foreignSessions", name), sessions])),
  };
}

export const FOREIGN_SESSIONS: View = {
  source: FOREIGN_SOURCES.sessions,
  metricNames: ["foreign.active", "foreign.activeHere"],
  text: ({ loadNames }) => foreignSessionsQuery(loadNames),
  ifNull: { "foreign.active": HIDDEN_SESSIONS_REASON },
  decode: decodeForeign,
};

/** First version that counts parallel workers. */
const PARALLEL_WORKERS_VERSION = 18;

export const FOREIGN_TRANSACTIONS: readonly View[] = [
  {
    source: FOREIGN_SOURCES.transactions,
    metricNames: ["transactions.elsewhere"],
    text: () => `SELECT coalesce(sum(xact_commit + xact_rollback), 0) AS "transactions.elsewhere"
      FROM pg_stat_database WHERE datid <> 0 AND datname IS DISTINCT FROM current_database()`,
  },
  {
    // A login counts as a transaction, and the start of a parallel worker as two, but neither is work. Older servers do not
    // count parallel workers.
    source: FOREIGN_SOURCES.logins,
    fromVersion: 14,
    metricNames: ["transactions.logins"],
    text: ({ version }) =>
      `SELECT sessions${version >= PARALLEL_WORKERS_VERSION ? " + 2 * parallel_workers_launched" : ""} AS "transactions.logins"
         FROM pg_stat_database WHERE datname = current_database()`,
  },
];
