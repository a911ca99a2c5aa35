SET LOCAL statement_timeout = '1s';

-- sampler: crdb_internal.cluster_sessions
SELECT count(*) FILTER (WHERE active_queries <> '') AS "sessions.active",
      count(*) FILTER (WHERE active_queries = '' AND kv_txn IS NOT NULL) AS "sessions.idleInTransaction",
      count(*) FILTER (WHERE active_queries = '' AND kv_txn IS NULL) AS "sessions.idle"
    FROM crdb_internal.cluster_sessions WHERE status <> 'CLOSED' AND application_name IN ('train-sim', 'train-sim/producers', 'train-sim/consumers', 'train-sim/archivers', 'train-sim/readers', 'train-sim/cycle');

-- sampler: crdb_internal.cluster_locks
SELECT count(DISTINCT txn_id) AS "locks.blocked" FROM crdb_internal.cluster_locks
    WHERE NOT granted AND schema_name = 'train_sim';

-- sampler: crdb_internal.transaction_contention_events
SELECT count(*) AS "contention.events",
      COALESCE(sum(extract(epoch FROM contention_duration)) * 1000, 0)::FLOAT8 AS "contention.waitMs"
    FROM crdb_internal.transaction_contention_events
    WHERE collection_ts > now() - INTERVAL '1 second' AND schema_name = 'train_sim';

-- sampler: queue depth
SELECT count(*) FILTER (WHERE status = 'PENDING') AS "queue.pending",
      count(*) FILTER (WHERE status = 'PROCESSING') AS "queue.processing",
      count(*) FILTER (WHERE status = 'COMPLETE') AS "queue.complete",
      count(*) FILTER (WHERE status = 'FAILED') AS "queue.failed",
      greatest(0, extract(epoch FROM clock_timestamp() - min(updated_at) FILTER (WHERE status = 'PENDING')) * 1000)
        AS "queue.oldestPendingMs"
    FROM "train_sim".event_status;

-- statement counts
SELECT /* train-sim/sampler */ encode(fingerprint_id, 'hex') AS id, sum((statistics->'statistics'->>'cnt')::FLOAT8) AS calls,
      sum((statistics->'statistics'->>'cnt')::FLOAT8 * (statistics->'statistics'->'numRows'->>'mean')::FLOAT8) AS rows,
      sum((statistics->'statistics'->>'cnt')::FLOAT8 * (statistics->'statistics'->'svcLat'->>'mean')::FLOAT8) * 1000 AS "totalMs"
    FROM crdb_internal.statement_statistics
    WHERE app_name IN ('train-sim', 'train-sim/producers', 'train-sim/consumers', 'train-sim/archivers', 'train-sim/readers', 'train-sim/cycle') GROUP BY fingerprint_id;

-- statement texts
SELECT /* train-sim/sampler */ encode(fingerprint_id, 'hex') AS id, min(metadata->>'query') AS query FROM crdb_internal.statement_statistics
    WHERE app_name IN ('train-sim', 'train-sim/producers', 'train-sim/consumers', 'train-sim/archivers', 'train-sim/readers', 'train-sim/cycle')
      AND encode(fingerprint_id, 'hex') = ANY (string_to_array($1, ',')) GROUP BY fingerprint_id;

-- mark of the namespace
SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = $1;

-- statistics
ANALYZE "train_sim".events;
