SET LOCAL statement_timeout = '1s';

--: cockroachdb; sampler: crdb_internal.cluster_sessions
SELECT count(*) FILTER (WHERE active_queries <> '') AS "sessions.active",
      count(*) FILTER (WHERE active_queries = '' AND kv_txn IS NOT NULL) AS "sessions.idleInTransaction",
      count(*) FILTER (WHERE active_queries = '' AND kv_txn IS NULL) AS "sessions.idle"
    FROM crdb_internal.cluster_sessions WHERE status <> 'CLOSED' AND application_name IN ('train-sim', 'train-sim/producers', 'train-sim/consumers', 'train-sim/archivers', 'train-sim/readers', 'train-sim/cycle');

--: cockroachdb; sampler: crdb_internal.cluster_locks
SELECT count(DISTINCT txn_id) AS "locks.blocked" FROM crdb_internal.cluster_locks
    WHERE NOT granted AND schema_name = 'train_sim';

--: cockroachdb; sampler: crdb_internal.transaction_contention_events
SELECT count(*) AS "contention.events",
      COALESCE(sum(extract(epoch FROM contention_duration)) * 1000, 0)::FLOAT8 AS "contention.waitMs"
    FROM crdb_internal.transaction_contention_events
    WHERE collection_ts > now() - INTERVAL '1 second' AND schema_name = 'train_sim';

--: cockroachdb; sampler: queue depth
SELECT events - processing - complete - failed AS "queue.pending",
      processing AS "queue.processing", complete AS "queue.complete", failed AS "queue.failed",
      greatest(0, extract(epoch FROM clock_timestamp() - oldest) * 1000) AS "queue.oldestPendingMs"
    FROM (SELECT (SELECT count(*) FROM "train_sim".event_status) AS events,
        (SELECT count(*) FROM "train_sim".event_status WHERE status = 'PROCESSING') AS processing,
        (SELECT count(*) FROM "train_sim".event_status WHERE status = 'COMPLETE') AS complete,
        (SELECT count(*) FROM "train_sim".event_status WHERE status = 'FAILED') AS failed,
        (SELECT min(updated_at) FROM "train_sim".event_status WHERE status = 'PENDING') AS oldest OFFSET 0) AS counted;

--: cockroachdb; statement counts
SELECT /* train-sim/sampler */ encode(fingerprint_id, 'hex') AS id, sum((statistics->'statistics'->>'cnt')::FLOAT8) AS calls,
      sum((statistics->'statistics'->>'cnt')::FLOAT8 * (statistics->'statistics'->'numRows'->>'mean')::FLOAT8) AS rows,
      sum((statistics->'statistics'->>'cnt')::FLOAT8 * (statistics->'statistics'->'svcLat'->>'mean')::FLOAT8) * 1000 AS "totalMs"
    FROM crdb_internal.statement_statistics
    WHERE app_name IN ('train-sim', 'train-sim/producers', 'train-sim/consumers', 'train-sim/archivers', 'train-sim/readers', 'train-sim/cycle') GROUP BY fingerprint_id;

--: cockroachdb; statement texts
SELECT /* train-sim/sampler */ encode(fingerprint_id, 'hex') AS id, min(metadata->>'query') AS query FROM crdb_internal.statement_statistics
    WHERE app_name IN ('train-sim', 'train-sim/producers', 'train-sim/consumers', 'train-sim/archivers', 'train-sim/readers', 'train-sim/cycle')
      AND encode(fingerprint_id, 'hex') = ANY (string_to_array($1, ',')) GROUP BY fingerprint_id;

--: cockroachdb; mark of the namespace
SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = $1;

--: cockroachdb; statistics
ANALYZE "train_sim".events;

--: cockroachdb; audit
SELECT queue.*,
  (SELECT count(*) FROM "train_sim".events_archive) AS archived,
  (SELECT count(*) FROM "train_sim".events AS e FULL JOIN "train_sim".event_status AS s ON s.event_id = e.id
    WHERE e.id IS NULL OR s.event_id IS NULL) AS orphaned,
  (SELECT count(*) FROM "train_sim".events_archive AS a WHERE EXISTS (SELECT FROM "train_sim".events AS e WHERE e.id = a.id)
    OR EXISTS (SELECT FROM "train_sim".event_status AS s WHERE s.event_id = a.id)) AS duplicated
FROM (SELECT count(*) FILTER (WHERE status = 'PENDING') AS pending,
  count(*) FILTER (WHERE status = 'PROCESSING') AS processing,
  count(*) FILTER (WHERE status = 'COMPLETE') AS complete,
  count(*) FILTER (WHERE status = 'FAILED') AS failed FROM "train_sim".event_status) AS queue;

--: cockroachdb; audit
SELECT EXISTS (SELECT FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING')) AS workable, EXISTS (SELECT FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED')) AS terminal;

--: cockroachdb; audit
SELECT avg(attempts)::float8 AS passes FROM (
  SELECT attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED')
  UNION ALL SELECT attempts FROM "train_sim".events_archive) AS ended;

--: cockroachdb; audit
SELECT count(*) AS present FROM (
  SELECT id FROM "train_sim".events WHERE id = ANY ($1::uuid[])
  UNION
  SELECT id FROM "train_sim".events_archive WHERE id = ANY ($1::uuid[])
) AS found;

--: cockroachdb; audit
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

--: cockroachdb; audit
SELECT clock_timestamp()::text AS now;

--: cockroachdb; audit
SELECT worker, range, count(*) AS count,
  (sum(yu # (yu >> 15)) % 4294967296)::bigint AS u, (sum(yv # (yv >> 15)) % 4294967296)::bigint AS v
FROM (SELECT worker, range, ((u # (u >> 16)) * 739982445) & 4294967295 AS yu, ((v # (v >> 16)) * 739982445) & 4294967295 AS yv
  FROM (SELECT (w2 >> 16) & 255 AS worker, (((w2 & 65535) << 16) | (w3 >> 16)) >> 6 AS range,
      (w0 * 506952113 + w1 * 99338859 + w2 * 45264437 + w3 * 131394351) & 4294967295 AS u, (w0 * 374761393 + w1 * 295559667 + w2 * 73244475 + w3 * 472845611) & 4294967295 AS v
    FROM (SELECT ((get_byte(k, 0)::bigint << 24) | ((get_byte(k, 1) << 16) | (get_byte(k, 2) << 8) | get_byte(k, 3))) AS w0, ((get_byte(k, 4)::bigint << 24) | ((get_byte(k, 5) << 16) | (get_byte(k, 6) << 8) | get_byte(k, 7))) AS w1, ((get_byte(k, 8)::bigint << 24) | ((get_byte(k, 9) << 16) | (get_byte(k, 10) << 8) | get_byte(k, 11))) AS w2, ((get_byte(k, 12)::bigint << 24) | ((get_byte(k, 13) << 16) | (get_byte(k, 14) << 8) | get_byte(k, 15))) AS w3
      FROM (SELECT (id)::BYTES AS k FROM (SELECT id, false AS is_archived FROM "train_sim".events UNION ALL SELECT id, true FROM "train_sim".events_archive) AS keys OFFSET 0) AS bytes OFFSET 0) AS words
    OFFSET 0) AS hashed OFFSET 0) AS mixed
GROUP BY worker, range;

--: cockroachdb; audit
DECLARE portions NO SCROLL CURSOR FOR SELECT id, worker, batch
FROM (SELECT id, get_byte(k, 9) AS worker, ((get_byte(k, 10)::bigint << 24) | ((get_byte(k, 11) << 16)
    | (get_byte(k, 12) << 8) | get_byte(k, 13))) AS batch
  FROM (SELECT id, (id)::BYTES AS k FROM (SELECT id, false AS is_archived FROM "train_sim".events UNION ALL SELECT id, true FROM "train_sim".events_archive) AS keys OFFSET 0) AS bytes OFFSET 0) AS placed
WHERE (worker, batch >> 6) IN (SELECT * FROM unnest($1::integer[], $2::integer[]))
ORDER BY worker, batch;

--: cockroachdb; audit
FETCH 5000 FROM portions;

--: cockroachdb; audit
CLOSE portions;

--: cockroachdb; audit
DECLARE portions NO SCROLL CURSOR FOR SELECT e.id, s.status, s.attempts, false AS "isArchived", e.created_at - interval '500 milliseconds' <= s.updated_at AS "isInOrder",
  e.created_at >= $1::timestamptz - interval '500 milliseconds' AND greatest(e.created_at, s.updated_at) - interval '500 milliseconds' <= $2::timestamptz AS "isInTrial",
  left(md5(concat_ws('|', e.payload::text, e.event_type, e.authority_id::text, e.train_id)),
    16) AS checksum
FROM "train_sim".events AS e LEFT JOIN "train_sim".event_status AS s ON s.event_id = e.id
UNION ALL
SELECT a.id, a.status, a.attempts, true, a.created_at - interval '500 milliseconds' <= a.archived_at AS "isInOrder",
  a.created_at >= $1::timestamptz - interval '500 milliseconds' AND greatest(a.created_at, a.archived_at) - interval '500 milliseconds' <= $2::timestamptz AS "isInTrial", left(md5(concat_ws('|', a.payload::text, a.event_type, a.authority_id::text, a.train_id)),
    16) AS checksum FROM "train_sim".events_archive AS a;

--: cockroachdb; audit
SELECT id, payload::text AS payload, event_type, authority_id, train_id, false AS "isArchived" FROM "train_sim".events WHERE id = ANY ($1::uuid[])
UNION ALL SELECT id, payload::text AS payload, event_type, authority_id, train_id, true FROM "train_sim".events_archive WHERE id = ANY ($1::uuid[]);

--: cockroachdb; audit
(SELECT a.id, 'duplicated' AS kind FROM "train_sim".events_archive AS a
  WHERE EXISTS (SELECT FROM "train_sim".events AS e WHERE e.id = a.id)
    OR EXISTS (SELECT FROM "train_sim".event_status AS s WHERE s.event_id = a.id) LIMIT $1)
UNION ALL (SELECT s.event_id, 'orphaned' FROM "train_sim".event_status AS s
  WHERE NOT EXISTS (SELECT FROM "train_sim".events AS e WHERE e.id = s.event_id) LIMIT $1)
UNION ALL (SELECT e.id, 'orphaned' FROM "train_sim".events AS e
  WHERE NOT EXISTS (SELECT FROM "train_sim".event_status AS s WHERE s.event_id = e.id) LIMIT $1);

--: cockroachdb; audit
COMMIT;
