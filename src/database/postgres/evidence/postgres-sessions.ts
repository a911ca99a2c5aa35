// The load's sessions by name, and the oldest snapshot that holds vacuum up; nothing without the right to see them.
import { CLAIM_PURPOSE } from "../../held-claim.js";
import { APPLICATION_NAME } from "../../contract.js";
import type { EvidenceReading } from "../../evidence.js";
import { longestChain, type WaitingSession } from "./lock-chains.js";
import { literals, metricName, numbersIn, type View } from "./view.js";

/**
 * Query for the sessions named $1 on which the server works: their number, the age of their oldest transaction in seconds,
 * and their waits. A session between two statements counts if it worked within the last second.
 */
export const WORKING_SESSIONS_QUERY = `
SELECT count(*) AS sessions, coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0) AS seconds,
       coalesce(string_agg(DISTINCT coalesce(wait_event_type || ':' || wait_event, 'CPU'), ', '), '') AS waits
  FROM pg_stat_activity
 WHERE datname = current_database() AND application_name = ANY ($1)
   AND (state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock'
     OR clock_timestamp() - state_change < interval '1 second')`;

/** Maximum number of waiters for which blockers are read: each answer of the server costs a walk over all waiters. */
const WAITERS_MAX = 200;

const HIDDEN_SESSIONS_REASON =
  "the sampler's role does not see the sessions of the load: GRANT pg_monitor to it, or use the load's role";
const HIDDEN_OTHER_SESSIONS_REASON =
  "the sampler's role does not see the sessions of every other role: GRANT pg_monitor to it";

/**
 * Query for figures about all sessions. A role outside of pg_read_all_stats gets null for `backend_type` and later columns
 * of other roles' sessions.
 */
const sessionsQuery = (loadNames: readonly string[]): string => `
WITH session AS MATERIALIZED (
  SELECT pid, state, wait_event_type, wait_event, xact_start, backend_type,
         greatest(age(backend_xmin), age(backend_xid)) AS xid_age,
         datid = (SELECT oid FROM pg_database WHERE datname = current_database()) AS is_here,
         application_name IN (${literals(loadNames)}) AS is_named,
         coalesce(application_name LIKE '${APPLICATION_NAME}/${CLAIM_PURPOSE}/%', false) AS is_claim
    FROM pg_stat_activity WHERE pid <> pg_backend_pid()
), load AS MATERIALIZED (
  SELECT *, state IN ('active', 'fastpath function call') AS is_active FROM session WHERE is_here AND is_named
), waiter AS MATERIALIZED (
  SELECT pid, is_named FROM session WHERE is_here AND wait_event_type = 'Lock'
), holding AS (
  SELECT * FROM session
   WHERE (is_here AND NOT is_claim OR backend_type = 'walsender') AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
), seen AS (
  SELECT NOT EXISTS (SELECT FROM load WHERE backend_type IS NULL OR state = 'disabled') AS load_is,
         NOT EXISTS (SELECT FROM holding WHERE is_here AND backend_type IS NULL) AS all_are
)
SELECT CASE WHEN load_is THEN (SELECT count(*) FROM load WHERE is_active) END AS "sessions.active",
  CASE WHEN load_is THEN (SELECT count(*) FROM load WHERE state LIKE 'idle in transaction%') END
    AS "sessions.idleInTransaction",
  CASE WHEN load_is THEN (SELECT count(*) FROM load WHERE state = 'idle') END AS "sessions.idle",
  CASE WHEN load_is THEN (SELECT count(*) FROM load WHERE wait_event_type = 'Lock') END AS "locks.blocked",
  CASE WHEN load_is THEN (SELECT coalesce(json_object_agg(event, sessions), '{}') FROM (
    SELECT coalesce(wait_event_type || ':' || wait_event, 'CPU') AS event, count(*) AS sessions
      FROM load WHERE is_active GROUP BY 1) AS wait) END AS waits,
  CASE WHEN load_is AND (SELECT count(*) FROM waiter) <= ${WAITERS_MAX} THEN (
    SELECT coalesce(json_agg(json_build_object('pid', pid, 'blockedBy', pg_blocking_pids(pid), 'isLoad', is_named)), '[]')
      FROM waiter) END AS waiters,
  greatest(0, (SELECT max(xid_age) FROM holding),
    (SELECT max(age(xmin)) FROM pg_replication_slots),
    (SELECT max(age(transaction)) FROM pg_prepared_xacts WHERE database = current_database()))
    AS "xmin.ageTransactions",
  CASE WHEN all_are THEN greatest(0, extract(epoch FROM clock_timestamp() - least(
      (SELECT min(xact_start) FROM holding WHERE is_here),
      (SELECT min(prepared) FROM pg_prepared_xacts WHERE database = current_database()))) * 1000) END
    AS "xmin.oldestTransactionMs"
FROM seen`;

function decodeSessions(row: Readonly<Record<string, unknown>>): EvidenceReading {
  const { waits, waiters, ...rest } = row;
  const sessionsByEvent = Object.entries((waits ?? {}) as Readonly<Record<string, number>>);
  return {
    ...numbersIn(rest),
    ...Object.fromEntries(sessionsByEvent.map(([event, sessions]) => [metricName("wait", event), sessions])),
    ...(Array.isArray(waiters) && { "locks.longestChain": longestChain(waiters as WaitingSession[]) }),
  };
}

export const SESSIONS_VIEW: View = {
  source: "pg_stat_activity",
  metricNames: [
    "sessions.active",
    "sessions.idleInTransaction",
    "sessions.idle",
    "locks.blocked",
    "locks.longestChain",
    "xmin.ageTransactions",
    "xmin.oldestTransactionMs",
  ],
  text: ({ loadNames }) => sessionsQuery(loadNames),
  ifNull: {
    "sessions.active": HIDDEN_SESSIONS_REASON,
    "xmin.oldestTransactionMs": HIDDEN_OTHER_SESSIONS_REASON,
  },
  decode: decodeSessions,
};
