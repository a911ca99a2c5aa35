-- add.events (set-based, for-update)
-- add.events (in-database, for-update)
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]);

-- add.status (set-based, for-update)
-- add.status (in-database, for-update)
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
JOIN "train_sim".events AS e ON e.id = c.event_id
ORDER BY c.event_id;

-- process.advance (set-based, for-update)
UPDATE "train_sim".event_status AS s
SET status = a.status, attempts = s.attempts + 1, updated_at = clock_timestamp()
FROM (SELECT * FROM unnest($1::uuid[], $2::text[]) AS u (event_id, status) LIMIT $3) AS a
WHERE s.event_id = a.event_id;

-- process.payload (set-based, for-update)
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
-- archive.copy (in-database, for-update)
INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
FROM (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a
JOIN "train_sim".event_status AS s ON s.event_id = a.event_id
JOIN "train_sim".events AS e ON e.id = a.event_id;

-- archive.delete-status (set-based, for-update)
-- archive.delete-status (in-database, for-update)
DELETE FROM "train_sim".event_status AS s USING (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a WHERE s.event_id = a.event_id;

-- archive.delete-events (set-based, for-update)
-- archive.delete-events (in-database, for-update)
DELETE FROM "train_sim".events AS e USING (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a WHERE e.id = a.event_id;

-- read.recent (set-based, for-update)
-- read.recent (row-by-row, for-update)
-- read.recent (in-database, for-update)
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $1::text ORDER BY created_at DESC LIMIT $2;

-- read.find (set-based, for-update)
-- read.find (row-by-row, for-update)
-- read.find (in-database, for-update)
SELECT id, created_at, payload::text AS payload FROM "train_sim".events WHERE authority_id = $1::uuid AND train_id = $2::text;

-- resolve.present (set-based, for-update)
-- resolve.present (row-by-row, for-update)
-- resolve.present (in-database, for-update)
-- resolve.present (single-statement, for-update)
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

-- add.events (row-by-row, for-update)
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
VALUES ($1::uuid, $2::text, $3::text, $4::uuid, $5::text);

-- add.status (row-by-row, for-update)
INSERT INTO "train_sim".event_status (event_id) VALUES ($1);

-- process.advance (row-by-row, for-update)
UPDATE "train_sim".event_status
SET status = $2, attempts = attempts + 1, updated_at = clock_timestamp()
WHERE event_id = $1;

-- process.payload (row-by-row, for-update)
UPDATE "train_sim".events SET payload = $2::text WHERE id = $1;

-- archive.copy (row-by-row, for-update)
INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
FROM "train_sim".event_status AS s JOIN "train_sim".events AS e ON e.id = s.event_id
WHERE s.event_id = $1;

-- archive.delete-status (row-by-row, for-update)
DELETE FROM "train_sim".event_status WHERE event_id = $1;

-- archive.delete-events (row-by-row, for-update)
DELETE FROM "train_sim".events WHERE id = $1;

-- process.claim (in-database, for-update)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
)
SELECT event_id, status FROM claimed ORDER BY event_id;

-- process.advance (in-database, for-update)
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

-- add (single-statement, for-update)
WITH added AS (
  INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[])
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

-- process (single-statement, for-update)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
), rolled AS (
  SELECT event_id, status, ($2::float8[])[(row_number() OVER (ORDER BY event_id))::integer] AS roll FROM claimed
), decided AS (
  SELECT event_id, status AS was, CASE
    WHEN status = 'PENDING' THEN CASE WHEN roll < $3::float8 THEN 'PROCESSING' ELSE 'PENDING' END
    WHEN status = 'PROCESSING' THEN CASE
      WHEN roll < $4::float8 THEN 'COMPLETE'
      WHEN roll < $4::float8 + $5::float8 THEN 'FAILED'
      ELSE 'PROCESSING' END
    ELSE status END AS status
  FROM rolled
), advanced AS (
  UPDATE "train_sim".event_status AS s
  SET status = d.status, attempts = s.attempts + 1, updated_at = clock_timestamp()
  FROM decided AS d WHERE s.event_id = d.event_id
), rewritten AS (
  UPDATE "train_sim".events AS e SET payload = (jsonb_set(
    jsonb_set(e.payload::jsonb, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload::jsonb #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END)))::text
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

-- archive (single-statement, for-update)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING')
  ORDER BY event_id LIMIT $1 FOR UPDATE
), copied AS (
  INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
  SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
  FROM claimed AS s JOIN "train_sim".events AS e ON e.id = s.event_id
), deleted_status AS (
  DELETE FROM "train_sim".event_status AS s USING claimed AS c WHERE s.event_id = c.event_id
), deleted_events AS (
  DELETE FROM "train_sim".events AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id;

-- read (single-statement, for-update)
(SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $1::text ORDER BY created_at DESC LIMIT $2)
UNION ALL
(SELECT id, created_at, payload::text AS payload FROM "train_sim".events WHERE authority_id = $3::uuid AND train_id = $4::text);

-- archive (single-statement, for-update, archived: complete)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
), copied AS (
  INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
  SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
  FROM claimed AS s JOIN "train_sim".events AS e ON e.id = s.event_id
), deleted_status AS (
  DELETE FROM "train_sim".event_status AS s USING claimed AS c WHERE s.event_id = c.event_id
), deleted_events AS (
  DELETE FROM "train_sim".events AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id;

-- process (single-statement, for-update, advance: one step)
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
), rolled AS (
  SELECT event_id, status, ($2::float8[])[(row_number() OVER (ORDER BY event_id))::integer] AS roll FROM claimed
), decided AS (
  SELECT event_id, status AS was, CASE
    WHEN status IN ('COMPLETE', 'FAILED') THEN status
    WHEN roll < $4::float8 THEN 'COMPLETE'
    WHEN roll < $4::float8 + $5::float8 THEN 'FAILED'
    WHEN roll < $4::float8 + $5::float8 + $3::float8 THEN 'PROCESSING'
    ELSE status END AS status
  FROM rolled
), advanced AS (
  UPDATE "train_sim".event_status AS s
  SET status = d.status, attempts = s.attempts + 1, updated_at = clock_timestamp()
  FROM decided AS d WHERE s.event_id = d.event_id
), rewritten AS (
  UPDATE "train_sim".events AS e SET payload = (jsonb_set(
    jsonb_set(e.payload::jsonb, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload::jsonb #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END)))::text
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;
