-- add.events (set-based, for-update)
-- add.events (set-based, skip-locked)
-- add.events (set-based, nowait)
-- add.events (in-database, for-update)
-- add.events (in-database, skip-locked)
-- add.events (in-database, nowait)
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]);

-- add.status (set-based, for-update)
-- add.status (set-based, skip-locked)
-- add.status (set-based, nowait)
-- add.status (in-database, for-update)
-- add.status (in-database, skip-locked)
-- add.status (in-database, nowait)
INSERT INTO "train_sim".event_status (event_id)
SELECT * FROM unnest($1::uuid[]);

-- process.claim (set-based, for-update)
-- process.claim (row-by-row, for-update)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR NO KEY UPDATE
) AS e
ORDER BY c.event_id;

-- process.advance (set-based, for-update)
-- process.advance (set-based, skip-locked)
-- process.advance (set-based, nowait)
UPDATE "train_sim".event_status AS s
SET status = a.status, attempts = s.attempts + 1, updated_at = clock_timestamp()
FROM (SELECT * FROM unnest($1::uuid[], $2::text[]) AS u (event_id, status) LIMIT $3) AS a
WHERE s.event_id = a.event_id;

-- process.payload (set-based, for-update)
-- process.payload (set-based, skip-locked)
-- process.payload (set-based, nowait)
UPDATE "train_sim".events AS e SET payload = a.payload
FROM (SELECT * FROM unnest($1::uuid[], $2::text[]) AS u (event_id, payload) LIMIT $3) AS a
WHERE e.id = a.event_id;

-- archive.claim (set-based, for-update)
-- archive.claim (row-by-row, for-update)
-- archive.claim (in-database, for-update)
SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING')
  ORDER BY event_id LIMIT $1 FOR UPDATE;

-- archive.copy (set-based, for-update)
-- archive.copy (set-based, skip-locked)
-- archive.copy (set-based, nowait)
-- archive.copy (in-database, for-update)
-- archive.copy (in-database, skip-locked)
-- archive.copy (in-database, nowait)
INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
FROM (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a
JOIN "train_sim".event_status AS s ON s.event_id = a.event_id
JOIN "train_sim".events AS e ON e.id = a.event_id;

-- archive.delete-status (set-based, for-update)
-- archive.delete-status (set-based, skip-locked)
-- archive.delete-status (set-based, nowait)
-- archive.delete-status (in-database, for-update)
-- archive.delete-status (in-database, skip-locked)
-- archive.delete-status (in-database, nowait)
DELETE FROM "train_sim".event_status AS s USING (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a WHERE s.event_id = a.event_id;

-- archive.delete-events (set-based, for-update)
-- archive.delete-events (set-based, skip-locked)
-- archive.delete-events (set-based, nowait)
-- archive.delete-events (in-database, for-update)
-- archive.delete-events (in-database, skip-locked)
-- archive.delete-events (in-database, nowait)
DELETE FROM "train_sim".events AS e USING (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a WHERE e.id = a.event_id;

-- read.recent (set-based, for-update)
-- read.recent (set-based, skip-locked)
-- read.recent (set-based, nowait)
-- read.recent (row-by-row, for-update)
-- read.recent (row-by-row, skip-locked)
-- read.recent (row-by-row, nowait)
-- read.recent (in-database, for-update)
-- read.recent (in-database, skip-locked)
-- read.recent (in-database, nowait)
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $1::text ORDER BY created_at DESC LIMIT $2;

-- read.find (set-based, for-update)
-- read.find (set-based, skip-locked)
-- read.find (set-based, nowait)
-- read.find (row-by-row, for-update)
-- read.find (row-by-row, skip-locked)
-- read.find (row-by-row, nowait)
-- read.find (in-database, for-update)
-- read.find (in-database, skip-locked)
-- read.find (in-database, nowait)
SELECT id, created_at, payload::text AS payload FROM "train_sim".events WHERE authority_id = $1::uuid AND train_id = $2::text;

-- resolve.present (set-based, for-update)
-- resolve.present (set-based, skip-locked)
-- resolve.present (set-based, nowait)
-- resolve.present (row-by-row, for-update)
-- resolve.present (row-by-row, skip-locked)
-- resolve.present (row-by-row, nowait)
-- resolve.present (in-database, for-update)
-- resolve.present (in-database, skip-locked)
-- resolve.present (in-database, nowait)
SELECT count(*) AS present FROM (
  SELECT id FROM "train_sim".events WHERE id = ANY ($1::uuid[])
  UNION
  SELECT id FROM "train_sim".events_archive WHERE id = ANY ($1::uuid[])
) AS found;

-- archive.claim (set-based, for-update, archived: complete)
SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE;

-- readId (set-based, for-update, reads: all)
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE id = $1::uuid;

-- readAuthority (set-based, for-update, reads: all)
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE authority_id = $1::uuid;

-- readTypeTime (set-based, for-update, reads: all)
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $1::text AND created_at BETWEEN $2::timestamptz AND $3::timestamptz
ORDER BY created_at DESC LIMIT $4;

-- readPath (set-based, for-update, reads: all)
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE payload::jsonb @> $1::jsonb;

-- readNewest (set-based, for-update, reads: all)
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events ORDER BY created_at DESC LIMIT $1;

-- readByType (set-based, for-update, reads: all)
SELECT event_type, count(*) AS count, max(created_at) AS newest
FROM "train_sim".events GROUP BY event_type ORDER BY event_type;

-- probe.live (set-based, for-update, reads: all)
(SELECT id, created_at, payload::text AS payload
FROM (SELECT * FROM unnest($1::uuid[]) AS u (authority_id) LIMIT $3) AS a
JOIN "train_sim".events AS e ON e.authority_id = a.authority_id LIMIT $3)
UNION ALL
(SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $2::text ORDER BY created_at DESC LIMIT $3);

-- process.claim (set-based, skip-locked)
-- process.claim (row-by-row, skip-locked)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR NO KEY UPDATE
) AS e
ORDER BY c.event_id;

-- archive.claim (set-based, skip-locked)
-- archive.claim (row-by-row, skip-locked)
-- archive.claim (in-database, skip-locked)
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED;

-- archive.claim (set-based, skip-locked, archived: complete)
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED;

-- process.claim (set-based, nowait)
-- process.claim (row-by-row, nowait)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR NO KEY UPDATE
) AS e
ORDER BY c.event_id;

-- archive.claim (set-based, nowait)
-- archive.claim (row-by-row, nowait)
-- archive.claim (in-database, nowait)
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT;

-- archive.claim (set-based, nowait, archived: complete)
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT;

-- add.events (row-by-row, for-update)
-- add.events (row-by-row, skip-locked)
-- add.events (row-by-row, nowait)
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
VALUES ($1::uuid, $2::text, $3::text, $4::uuid, $5::text);

-- add.status (row-by-row, for-update)
-- add.status (row-by-row, skip-locked)
-- add.status (row-by-row, nowait)
INSERT INTO "train_sim".event_status (event_id) VALUES ($1);

-- process.advance (row-by-row, for-update)
-- process.advance (row-by-row, skip-locked)
-- process.advance (row-by-row, nowait)
UPDATE "train_sim".event_status
SET status = $2, attempts = attempts + 1, updated_at = clock_timestamp()
WHERE event_id = $1;

-- process.payload (row-by-row, for-update)
-- process.payload (row-by-row, skip-locked)
-- process.payload (row-by-row, nowait)
UPDATE "train_sim".events SET payload = $2::text WHERE id = $1;

-- archive.copy (row-by-row, for-update)
-- archive.copy (row-by-row, skip-locked)
-- archive.copy (row-by-row, nowait)
INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
FROM "train_sim".event_status AS s JOIN "train_sim".events AS e ON e.id = s.event_id
WHERE s.event_id = $1;

-- archive.delete-status (row-by-row, for-update)
-- archive.delete-status (row-by-row, skip-locked)
-- archive.delete-status (row-by-row, nowait)
DELETE FROM "train_sim".event_status WHERE event_id = $1;

-- archive.delete-events (row-by-row, for-update)
-- archive.delete-events (row-by-row, skip-locked)
-- archive.delete-events (row-by-row, nowait)
DELETE FROM "train_sim".events WHERE id = $1;

-- process.claim (in-database, for-update)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
)
SELECT event_id, status FROM claimed ORDER BY event_id;

-- process.advance (in-database, for-update)
-- process.advance (in-database, skip-locked)
-- process.advance (in-database, nowait)
UPDATE "train_sim".event_status AS s
SET status = CASE
    WHEN s.status = 'PENDING' THEN CASE WHEN a.roll < $4::float8 THEN 'PROCESSING' ELSE 'PENDING' END
    WHEN s.status = 'PROCESSING' THEN CASE
      WHEN a.roll < $5::float8 THEN 'COMPLETE'
      WHEN a.roll < $5::float8 + $6::float8 THEN 'FAILED'
      ELSE 'PROCESSING' END
    ELSE s.status END,
  attempts = s.attempts + 1, updated_at = clock_timestamp()
FROM (SELECT * FROM unnest($1::uuid[], $2::float8[]) AS u (event_id, roll) LIMIT $3) AS a
WHERE s.event_id = a.event_id;

-- process.payload (in-database, for-update)
-- process.payload (in-database, skip-locked)
-- process.payload (in-database, nowait)
UPDATE "train_sim".events AS e SET payload = (jsonb_set(
    jsonb_set(e.payload::jsonb, '{state}', to_jsonb(CASE s.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload::jsonb #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END)))::text
FROM (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a
JOIN "train_sim".event_status AS s ON s.event_id = a.event_id
WHERE e.id = a.event_id;

-- process.advance (in-database, for-update, advance: one step)
UPDATE "train_sim".event_status AS s
SET status = CASE
    WHEN s.status IN ('COMPLETE', 'FAILED') THEN s.status
    WHEN a.roll < $5::float8 THEN 'COMPLETE'
    WHEN a.roll < $5::float8 + $6::float8 THEN 'FAILED'
    WHEN a.roll < $5::float8 + $6::float8 + $4::float8 THEN 'PROCESSING'
    ELSE s.status END,
  attempts = s.attempts + 1, updated_at = clock_timestamp()
FROM (SELECT * FROM unnest($1::uuid[], $2::float8[]) AS u (event_id, roll) LIMIT $3) AS a
WHERE s.event_id = a.event_id;

-- process.claim (in-database, skip-locked)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
SELECT event_id, status FROM claimed ORDER BY event_id;

-- process.claim (in-database, nowait)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
)
SELECT event_id, status FROM claimed ORDER BY event_id;
