--: add.events; postgres; jsonb; set-based in-database; *; *
--: add.events; cloudberry; jsonb; set-based in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events (id, payload)
SELECT * FROM unnest($1::uuid[], $2::jsonb[]);

--: add.status; postgres cockroachdb; *; set-based in-database; *; *
--: add.status; dsql; text; set-based in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: add.status; cloudberry; *; set-based in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".event_status (event_id)
SELECT * FROM unnest($1::uuid[]);

--: process.claim; postgres; *; set-based row-by-row; for-update; defaults archived=complete archiveDelete=cascade advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR NO KEY UPDATE
) AS e
ORDER BY c.event_id;

--: process.advance; postgres cockroachdb; *; set-based; *; *
--: process.advance; dsql; text; set-based; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: process.advance; cloudberry; *; set-based; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
UPDATE "train_sim".event_status AS s
SET status = a.status, attempts = s.attempts + 1, updated_at = clock_timestamp()
FROM (SELECT * FROM unnest($1::uuid[], $2::text[]) AS u (event_id, status) LIMIT $3) AS a
WHERE s.event_id = a.event_id;

--: process.payload; postgres; jsonb jsonb-manual; set-based; *; *
--: process.payload; cloudberry; jsonb jsonb-manual; set-based; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
UPDATE "train_sim".events AS e SET payload = a.payload
FROM (SELECT * FROM unnest($1::uuid[], $2::jsonb[]) AS u (event_id, payload) LIMIT $3) AS a
WHERE e.id = a.event_id;

--: archive.claim; postgres; *; set-based row-by-row in-database; for-update; defaults archiveDelete=cascade advance=one-step reads=all
SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING')
  ORDER BY event_id LIMIT $1 FOR UPDATE;

--: archive.copy; postgres cockroachdb; *; set-based in-database; *; *
--: archive.copy; dsql; text; set-based in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: archive.copy; cloudberry; *; set-based in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
FROM (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a
JOIN "train_sim".event_status AS s ON s.event_id = a.event_id
JOIN "train_sim".events AS e ON e.id = a.event_id;

--: archive.delete-status; postgres cockroachdb cloudberry; *; set-based in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: archive.delete-status; dsql; text; set-based in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
DELETE FROM "train_sim".event_status AS s USING (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a WHERE s.event_id = a.event_id;

--: archive.delete-events; postgres cockroachdb; *; set-based in-database; *; *
--: archive.delete-events; dsql; text; set-based in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: archive.delete-events; cloudberry; *; set-based in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
DELETE FROM "train_sim".events AS e USING (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a WHERE e.id = a.event_id;

--: read.recent; postgres cockroachdb; *; set-based row-by-row in-database; *; *
--: read.recent; dsql; text; set-based row-by-row in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: read.recent; cloudberry; *; set-based row-by-row in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $1::text ORDER BY created_at DESC LIMIT $2;

--: read.find; postgres cockroachdb; jsonb; set-based row-by-row in-database; *; *
--: read.find; cloudberry; jsonb; set-based row-by-row in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
SELECT id, created_at, payload::text AS payload FROM "train_sim".events WHERE payload @> $1::jsonb;

--: resolve.present; postgres cockroachdb; *; *; *; *
--: resolve.present; dsql; text; *; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: resolve.present; cloudberry; *; set-based row-by-row in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
SELECT count(*) AS present FROM (
  SELECT id FROM "train_sim".events WHERE id = ANY ($1::uuid[])
  UNION
  SELECT id FROM "train_sim".events_archive WHERE id = ANY ($1::uuid[])
) AS found;

--: process.claim; postgres; *; set-based row-by-row; for-update; claimIndex=status-updated
--: process.claim; cloudberry; *; set-based row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
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

--: archive.claim; postgres; *; set-based row-by-row in-database; for-update; claimIndex=status-updated
--: archive.claim; cockroachdb; *; set-based row-by-row in-database; for-update; defaults claimIndex=status-updated archiveDelete=cascade advance=one-step reads=all
--: archive.claim; dsql; text; set-based row-by-row in-database; for-update; defaults claimIndex=status-updated advance=one-step reads=all
--: archive.claim; cloudberry; *; set-based row-by-row in-database; for-update; defaults claimIndex=status-updated advance=one-step reads=all
SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING')
  ORDER BY event_id LIMIT $1 FOR UPDATE;

--: archive.claim; postgres; *; set-based row-by-row in-database; for-update; archived=complete
SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('COMPLETE')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE;

--: readId; postgres cockroachdb; *; *; *; reads=all
--: readId; dsql; text; *; for-update; reads=all
--: readId; cloudberry; *; set-based row-by-row in-database; *; reads=all
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE id = $1::uuid;

--: readAuthority; postgres cockroachdb; *; *; *; reads=all
--: readAuthority; dsql; text; *; for-update; reads=all
--: readAuthority; cloudberry; *; set-based row-by-row in-database; *; reads=all
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE authority_id = $1::uuid;

--: readTypeTime; postgres cockroachdb; *; *; *; reads=all
--: readTypeTime; dsql; text; *; for-update; reads=all
--: readTypeTime; cloudberry; *; set-based row-by-row in-database; *; reads=all
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $1::text AND created_at BETWEEN $2::timestamptz AND $3::timestamptz
ORDER BY created_at DESC LIMIT $4;

--: readPath; postgres cockroachdb; jsonb jsonb-manual; *; *; reads=all
--: readPath; cloudberry; jsonb jsonb-manual; set-based row-by-row in-database; *; reads=all
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE payload @> $1::jsonb;

--: readNewest; postgres cockroachdb; *; *; *; reads=all
--: readNewest; dsql; text; *; for-update; reads=all
--: readNewest; cloudberry; *; set-based row-by-row in-database; *; reads=all
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events ORDER BY created_at DESC LIMIT $1;

--: readByType; postgres cockroachdb; *; *; *; reads=all
--: readByType; dsql; text; *; for-update; reads=all
--: readByType; cloudberry; *; set-based row-by-row in-database; *; reads=all
SELECT event_type, count(*) AS count, max(created_at) AS newest
FROM "train_sim".events GROUP BY event_type ORDER BY event_type;

--: probe.live; postgres cockroachdb; *; *; *; reads=all
--: probe.live; dsql; text; *; for-update; reads=all
--: probe.live; cloudberry; *; set-based row-by-row in-database; *; reads=all
(SELECT id, created_at, payload::text AS payload
FROM (SELECT * FROM unnest($1::uuid[]) AS u (authority_id) LIMIT $3) AS a
JOIN "train_sim".events AS e ON e.authority_id = a.authority_id LIMIT $3)
UNION ALL
(SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $2::text ORDER BY created_at DESC LIMIT $3);

--: process.claim; postgres; *; set-based row-by-row; skip-locked; defaults archived=complete archiveDelete=cascade advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR NO KEY UPDATE
) AS e
ORDER BY c.event_id;

--: archive.claim; postgres; *; set-based row-by-row in-database; skip-locked; defaults archiveDelete=cascade advance=one-step reads=all
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED;

--: process.claim; postgres; *; set-based row-by-row; skip-locked; claimIndex=status-updated
--: process.claim; cloudberry; *; set-based row-by-row; skip-locked; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR NO KEY UPDATE
) AS e
ORDER BY c.event_id;

--: archive.claim; postgres; *; set-based row-by-row in-database; skip-locked; claimIndex=status-updated
--: archive.claim; cockroachdb; *; set-based row-by-row in-database; skip-locked; defaults claimIndex=status-updated archiveDelete=cascade advance=one-step reads=all
--: archive.claim; cloudberry; *; set-based row-by-row in-database; skip-locked; defaults claimIndex=status-updated advance=one-step reads=all
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED;

--: archive.claim; postgres; *; set-based row-by-row in-database; skip-locked; archived=complete
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED;

--: process.claim; postgres; *; set-based row-by-row; nowait; defaults archived=complete archiveDelete=cascade advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR NO KEY UPDATE
) AS e
ORDER BY c.event_id;

--: archive.claim; postgres; *; set-based row-by-row in-database; nowait; defaults archiveDelete=cascade advance=one-step reads=all
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT;

--: process.claim; postgres; *; set-based row-by-row; nowait; claimIndex=status-updated
--: process.claim; cloudberry; *; set-based row-by-row; nowait; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR NO KEY UPDATE
) AS e
ORDER BY c.event_id;

--: archive.claim; postgres; *; set-based row-by-row in-database; nowait; claimIndex=status-updated
--: archive.claim; cockroachdb; *; set-based row-by-row in-database; nowait; defaults claimIndex=status-updated archiveDelete=cascade advance=one-step reads=all
--: archive.claim; cloudberry; *; set-based row-by-row in-database; nowait; defaults claimIndex=status-updated advance=one-step reads=all
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT;

--: archive.claim; postgres; *; set-based row-by-row in-database; nowait; archived=complete
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT;

--: add.events; postgres cockroachdb; jsonb; row-by-row; *; *
--: add.events; cloudberry; jsonb; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events (id, payload)
VALUES ($1::uuid, $2::jsonb);

--: add.status; postgres cockroachdb; *; row-by-row; *; *
--: add.status; dsql; text; row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: add.status; cloudberry; *; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".event_status (event_id) VALUES ($1);

--: process.advance; postgres cockroachdb; *; row-by-row; *; *
--: process.advance; dsql; text; row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: process.advance; cloudberry; *; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
UPDATE "train_sim".event_status
SET status = $2, attempts = attempts + 1, updated_at = clock_timestamp()
WHERE event_id = $1;

--: process.payload; postgres cockroachdb; jsonb jsonb-manual; row-by-row; *; *
--: process.payload; cloudberry; jsonb jsonb-manual; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
UPDATE "train_sim".events SET payload = $2::jsonb WHERE id = $1;

--: archive.copy; postgres cockroachdb; *; row-by-row; *; *
--: archive.copy; dsql; text; row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: archive.copy; cloudberry; *; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
FROM "train_sim".event_status AS s JOIN "train_sim".events AS e ON e.id = s.event_id
WHERE s.event_id = $1;

--: archive.delete-status; postgres cockroachdb cloudberry; *; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: archive.delete-status; dsql; text; row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
DELETE FROM "train_sim".event_status WHERE event_id = $1;

--: archive.delete-events; postgres cockroachdb; *; row-by-row; *; *
--: archive.delete-events; dsql; text; row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: archive.delete-events; cloudberry; *; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
DELETE FROM "train_sim".events WHERE id = $1;

--: process.claim; postgres; *; in-database; for-update; defaults archived=complete archiveDelete=cascade advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
)
SELECT event_id, status FROM claimed ORDER BY event_id;

--: process.advance; postgres cockroachdb; *; in-database; *; defaults claimIndex=status-updated archived=complete archiveDelete=cascade reads=all
--: process.advance; dsql; text; in-database; for-update; defaults claimIndex=status-updated archived=complete reads=all
--: process.advance; cloudberry; *; in-database; *; defaults claimIndex=status-updated archived=complete reads=all
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

--: process.payload; postgres cockroachdb; jsonb jsonb-manual; in-database; *; *
--: process.payload; cloudberry; jsonb jsonb-manual; in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE s.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
FROM (SELECT * FROM unnest($1::uuid[]) AS u (event_id) LIMIT $2) AS a
JOIN "train_sim".event_status AS s ON s.event_id = a.event_id
WHERE e.id = a.event_id;

--: process.claim; postgres; *; in-database; for-update; claimIndex=status-updated
--: process.claim; cockroachdb; *; in-database; for-update; *
--: process.claim; dsql; text; in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: process.claim; cloudberry; *; in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
)
SELECT event_id, status FROM claimed ORDER BY event_id;

--: process.advance; postgres cockroachdb cloudberry; *; in-database; *; advance=one-step
--: process.advance; dsql; text; in-database; for-update; advance=one-step
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

--: process.claim; postgres; *; in-database; skip-locked; defaults archived=complete archiveDelete=cascade advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
SELECT event_id, status FROM claimed ORDER BY event_id;

--: process.claim; postgres; *; in-database; skip-locked; claimIndex=status-updated
--: process.claim; cockroachdb; *; in-database; skip-locked; *
--: process.claim; cloudberry; *; in-database; skip-locked; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
SELECT event_id, status FROM claimed ORDER BY event_id;

--: process.claim; postgres; *; in-database; nowait; defaults archived=complete archiveDelete=cascade advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
)
SELECT event_id, status FROM claimed ORDER BY event_id;

--: process.claim; postgres; *; in-database; nowait; claimIndex=status-updated
--: process.claim; cockroachdb; *; in-database; nowait; *
--: process.claim; cloudberry; *; in-database; nowait; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
)
SELECT event_id, status FROM claimed ORDER BY event_id;

--: add; postgres; jsonb; single-statement; *; *
WITH added AS (
  INSERT INTO "train_sim".events (id, payload)
SELECT * FROM unnest($1::uuid[], $2::jsonb[])
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: process; postgres; jsonb jsonb-manual; single-statement; for-update; defaults archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: archive; postgres; *; single-statement; for-update; defaults advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING')
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

--: read; postgres cockroachdb; jsonb; single-statement; *; *
(SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $1::text ORDER BY created_at DESC LIMIT $2)
UNION ALL
(SELECT id, created_at, payload::text AS payload FROM "train_sim".events WHERE payload @> $3::jsonb);

--: process; postgres; jsonb jsonb-manual; single-statement; for-update; claimIndex=status-updated
--: process; cockroachdb; jsonb jsonb-manual; single-statement; for-update; defaults claimIndex=status-updated archived=complete archiveDelete=cascade reads=all
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: archive; postgres; *; single-statement; for-update; claimIndex=status-updated
--: archive; cockroachdb; *; single-statement; for-update; defaults claimIndex=status-updated advance=one-step reads=all
--: archive; dsql; text; single-statement; for-update; defaults claimIndex=status-updated advance=one-step reads=all
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

--: archive; postgres; *; single-statement; for-update; archived=complete
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('COMPLETE')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING', 'FAILED')
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

--: archive; postgres; *; single-statement; for-update; archiveDelete=cascade
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING')
  ORDER BY event_id LIMIT $1 FOR UPDATE
), copied AS (
  INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
  SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
  FROM claimed AS s JOIN "train_sim".events AS e ON e.id = s.event_id
), deleted_events AS (
  DELETE FROM "train_sim".events AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id;

--: process; postgres; jsonb jsonb-manual; single-statement; for-update; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: process; postgres; jsonb jsonb-manual; single-statement; skip-locked; defaults archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: archive; postgres; *; single-statement; skip-locked; defaults advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

--: process; postgres; jsonb jsonb-manual; single-statement; skip-locked; claimIndex=status-updated
--: process; cockroachdb; jsonb jsonb-manual; single-statement; skip-locked; defaults claimIndex=status-updated archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: archive; postgres; *; single-statement; skip-locked; claimIndex=status-updated
--: archive; cockroachdb; *; single-statement; skip-locked; defaults claimIndex=status-updated advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

--: archive; postgres; *; single-statement; skip-locked; archived=complete
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

--: archive; postgres; *; single-statement; skip-locked; archiveDelete=cascade
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
), copied AS (
  INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
  SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
  FROM claimed AS s JOIN "train_sim".events AS e ON e.id = s.event_id
), deleted_events AS (
  DELETE FROM "train_sim".events AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id;

--: process; postgres; jsonb jsonb-manual; single-statement; skip-locked; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: process; postgres; jsonb jsonb-manual; single-statement; nowait; defaults archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: archive; postgres; *; single-statement; nowait; defaults advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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

--: process; postgres; jsonb jsonb-manual; single-statement; nowait; claimIndex=status-updated
--: process; cockroachdb; jsonb jsonb-manual; single-statement; nowait; defaults claimIndex=status-updated archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: archive; postgres; *; single-statement; nowait; claimIndex=status-updated
--: archive; cockroachdb; *; single-statement; nowait; defaults claimIndex=status-updated advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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

--: archive; postgres; *; single-statement; nowait; archived=complete
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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

--: archive; postgres; *; single-statement; nowait; archiveDelete=cascade
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
), copied AS (
  INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
  SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
  FROM claimed AS s JOIN "train_sim".events AS e ON e.id = s.event_id
), deleted_events AS (
  DELETE FROM "train_sim".events AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id;

--: process; postgres; jsonb jsonb-manual; single-statement; nowait; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: add.events; postgres; jsonb-manual; set-based in-database; *; *
--: add.events; cloudberry; jsonb-manual; set-based in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT * FROM unnest($1::uuid[], $2::jsonb[], $3::text[], $4::uuid[], $5::text[]);

--: read.find; postgres cockroachdb; jsonb-manual text text-generated; set-based row-by-row in-database; *; *
--: read.find; dsql; text; set-based row-by-row in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: read.find; cloudberry; jsonb-manual text text-generated; set-based row-by-row in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
SELECT id, created_at, payload::text AS payload FROM "train_sim".events WHERE authority_id = $1::uuid AND train_id = $2::text;

--: add.events; postgres cockroachdb; jsonb-manual; row-by-row; *; *
--: add.events; cloudberry; jsonb-manual; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
VALUES ($1::uuid, $2::jsonb, $3::text, $4::uuid, $5::text);

--: add; postgres; jsonb-manual; single-statement; *; *
WITH added AS (
  INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT * FROM unnest($1::uuid[], $2::jsonb[], $3::text[], $4::uuid[], $5::text[])
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: read; postgres cockroachdb; jsonb-manual text text-generated; single-statement; *; *
--: read; dsql; text; single-statement; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
(SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE event_type = $1::text ORDER BY created_at DESC LIMIT $2)
UNION ALL
(SELECT id, created_at, payload::text AS payload FROM "train_sim".events WHERE authority_id = $3::uuid AND train_id = $4::text);

--: add.events; postgres cockroachdb; text; set-based in-database; *; *
--: add.events; dsql; text; set-based in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: add.events; cloudberry; text; set-based in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]);

--: process.payload; postgres cockroachdb; text text-generated; set-based; *; *
--: process.payload; dsql; text; set-based; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: process.payload; cloudberry; text text-generated; set-based; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
UPDATE "train_sim".events AS e SET payload = a.payload
FROM (SELECT * FROM unnest($1::uuid[], $2::text[]) AS u (event_id, payload) LIMIT $3) AS a
WHERE e.id = a.event_id;

--: readPath; postgres cockroachdb; text text-generated; *; *; reads=all
--: readPath; dsql; text; *; for-update; reads=all
--: readPath; cloudberry; text text-generated; set-based row-by-row in-database; *; reads=all
SELECT id, created_at, payload::text AS payload
FROM "train_sim".events WHERE payload::jsonb @> $1::jsonb;

--: add.events; postgres cockroachdb; text; row-by-row; *; *
--: add.events; dsql; text; row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: add.events; cloudberry; text; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
VALUES ($1::uuid, $2::text, $3::text, $4::uuid, $5::text);

--: process.payload; postgres cockroachdb; text text-generated; row-by-row; *; *
--: process.payload; dsql; text; row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: process.payload; cloudberry; text text-generated; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
UPDATE "train_sim".events SET payload = $2::text WHERE id = $1;

--: process.payload; postgres cockroachdb; text text-generated; in-database; *; *
--: process.payload; dsql; text; in-database; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
--: process.payload; cloudberry; text text-generated; in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
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

--: add; postgres cockroachdb; text; single-statement; *; *
--: add; dsql; text; single-statement; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
WITH added AS (
  INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[])
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: process; postgres; text text-generated; single-statement; for-update; defaults archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
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

--: process; postgres; text text-generated; single-statement; for-update; claimIndex=status-updated
--: process; cockroachdb; text text-generated; single-statement; for-update; defaults claimIndex=status-updated archived=complete archiveDelete=cascade reads=all
--: process; dsql; text; single-statement; for-update; defaults claimIndex=status-updated archived=complete reads=all
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

--: process; postgres; text text-generated; single-statement; for-update; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
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

--: process; postgres; text text-generated; single-statement; skip-locked; defaults archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

--: process; postgres; text text-generated; single-statement; skip-locked; claimIndex=status-updated
--: process; cockroachdb; text text-generated; single-statement; skip-locked; defaults claimIndex=status-updated archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

--: process; postgres; text text-generated; single-statement; skip-locked; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

--: process; postgres; text text-generated; single-statement; nowait; defaults archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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

--: process; postgres; text text-generated; single-statement; nowait; claimIndex=status-updated
--: process; cockroachdb; text text-generated; single-statement; nowait; defaults claimIndex=status-updated archived=complete archiveDelete=cascade reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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

--: process; postgres; text text-generated; single-statement; nowait; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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

--: add.events; postgres cockroachdb; text-generated; set-based in-database; *; *
--: add.events; cloudberry; text-generated; set-based in-database; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events (id, payload)
SELECT * FROM unnest($1::uuid[], $2::text[]);

--: add.events; postgres cockroachdb; text-generated; row-by-row; *; *
--: add.events; cloudberry; text-generated; row-by-row; *; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
INSERT INTO "train_sim".events (id, payload)
VALUES ($1::uuid, $2::text);

--: add; postgres cockroachdb; text-generated; single-statement; *; *
WITH added AS (
  INSERT INTO "train_sim".events (id, payload)
SELECT * FROM unnest($1::uuid[], $2::text[])
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: add.events; cockroachdb; jsonb; set-based in-database; *; *
INSERT INTO "train_sim".events (id, payload)
SELECT id, payload::jsonb FROM unnest($1::uuid[], $2::text[]) AS u (id, payload);

--: process.claim; cockroachdb; *; set-based row-by-row; for-update; *
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR UPDATE
) AS e
ORDER BY c.event_id;

--: process.payload; cockroachdb; jsonb jsonb-manual; set-based; *; *
UPDATE "train_sim".events AS e SET payload = a.payload::jsonb
FROM (SELECT * FROM unnest($1::uuid[], $2::text[]) AS u (event_id, payload) LIMIT $3) AS a
WHERE e.id = a.event_id;

--: archive.claim; cockroachdb cloudberry; *; set-based row-by-row in-database; for-update; archived=complete
--: archive.claim; dsql; text; set-based row-by-row in-database; for-update; archived=complete
SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE;

--: process.claim; cockroachdb; *; set-based row-by-row; skip-locked; *
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR UPDATE
) AS e
ORDER BY c.event_id;

--: archive.claim; cockroachdb cloudberry; *; set-based row-by-row in-database; skip-locked; archived=complete
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED;

--: process.claim; cockroachdb; *; set-based row-by-row; nowait; *
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
CROSS JOIN LATERAL (
  SELECT payload FROM "train_sim".events WHERE id = c.event_id FOR UPDATE
) AS e
ORDER BY c.event_id;

--: archive.claim; cockroachdb cloudberry; *; set-based row-by-row in-database; nowait; archived=complete
SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT;

--: add; cockroachdb; jsonb; single-statement; *; *
WITH added AS (
  INSERT INTO "train_sim".events (id, payload)
SELECT id, payload::jsonb FROM unnest($1::uuid[], $2::text[]) AS u (id, payload)
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: archive; cockroachdb; *; single-statement; for-update; archived=complete
--: archive; dsql; text; single-statement; for-update; archived=complete
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

--: archive; cockroachdb; *; single-statement; for-update; archiveDelete=cascade
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('PENDING', 'PROCESSING')
  ORDER BY event_id LIMIT $1 FOR UPDATE
), copied AS (
  INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
  SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
  FROM claimed AS s JOIN "train_sim".events AS e ON e.id = s.event_id
), deleted_events AS (
  DELETE FROM "train_sim".events AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id;

--: process; cockroachdb; jsonb jsonb-manual; single-statement; for-update; advance=one-step
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: archive; cockroachdb; *; single-statement; skip-locked; archived=complete
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

--: archive; cockroachdb; *; single-statement; skip-locked; archiveDelete=cascade
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
), copied AS (
  INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
  SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
  FROM claimed AS s JOIN "train_sim".events AS e ON e.id = s.event_id
), deleted_events AS (
  DELETE FROM "train_sim".events AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id;

--: process; cockroachdb; jsonb jsonb-manual; single-statement; skip-locked; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: archive; cockroachdb; *; single-statement; nowait; archived=complete
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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

--: archive; cockroachdb; *; single-statement; nowait; archiveDelete=cascade
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('COMPLETE', 'FAILED') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
), copied AS (
  INSERT INTO "train_sim".events_archive (id, created_at, payload, event_type, authority_id, train_id, status, attempts)
  SELECT e.id, e.created_at, e.payload, e.event_type, e.authority_id, e.train_id, s.status, s.attempts
  FROM claimed AS s JOIN "train_sim".events AS e ON e.id = s.event_id
), deleted_events AS (
  DELETE FROM "train_sim".events AS e USING claimed AS c WHERE e.id = c.event_id
)
SELECT event_id FROM claimed ORDER BY event_id;

--: process; cockroachdb; jsonb jsonb-manual; single-statement; nowait; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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
  UPDATE "train_sim".events AS e SET payload = jsonb_set(
    jsonb_set(e.payload, '{state}', to_jsonb(CASE d.status
      WHEN 'PENDING' THEN 'QUEUED'
      WHEN 'PROCESSING' THEN 'IN_PROGRESS'
      WHEN 'COMPLETE' THEN CASE WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION') THEN 'CANCELLED' ELSE 'APPLIED' END
      WHEN 'FAILED' THEN 'CANCELLED' END)),
    '{metrics,flags,fleeted}', to_jsonb(CASE
      WHEN e.event_type IN ('ROUTE_AUTHORIZATION', 'DISPATCH_NOTE') THEN true
      WHEN e.event_type IN ('SIGNAL_CLEAR', 'TRAIN_POSITION_UPDATE', 'SWITCH_POSITION_CHANGE') THEN NOT (e.payload #>> '{metrics,flags,fleeted}')::boolean
      WHEN e.event_type IN ('SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE') THEN false END))
  FROM decided AS d WHERE e.id = d.event_id
)
SELECT event_id AS id, was, status FROM decided ORDER BY event_id;

--: add.events; cockroachdb; jsonb-manual; set-based in-database; *; *
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT id, payload::jsonb, event_type, authority_id, train_id FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) AS u (id, payload, event_type, authority_id, train_id);

--: add; cockroachdb; jsonb-manual; single-statement; *; *
WITH added AS (
  INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT id, payload::jsonb, event_type, authority_id, train_id FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) AS u (id, payload, event_type, authority_id, train_id)
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: process; cockroachdb; text text-generated; single-statement; for-update; advance=one-step
--: process; dsql; text; single-statement; for-update; advance=one-step
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

--: process; cockroachdb; text text-generated; single-statement; skip-locked; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

--: process; cockroachdb; text text-generated; single-statement; nowait; advance=one-step
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1 FOR UPDATE NOWAIT
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

--: process.claim; dsql; text; set-based row-by-row; for-update; defaults claimIndex=status-updated archived=complete advance=one-step reads=all
WITH claimed AS (
  SELECT event_id, status, attempts FROM "train_sim".event_status
  WHERE event_id = ANY (ARRAY(SELECT event_id FROM "train_sim".event_status WHERE status IN ('PENDING', 'PROCESSING') ORDER BY updated_at LIMIT $1)) AND status NOT IN ('COMPLETE', 'FAILED')
  ORDER BY event_id LIMIT $1 FOR UPDATE
)
SELECT c.event_id, c.status, e.payload::text AS payload
FROM claimed AS c
JOIN "train_sim".events AS e ON e.id = c.event_id
ORDER BY c.event_id;

--: add.events; postgres; jsonb; set-based in-database; *; documentPlace=database
INSERT INTO "train_sim".events (id, payload)
SELECT id, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))
FROM unnest($1::uuid[], $2::text[]) AS u (id, payload) CROSS JOIN LATERAL string_to_array(payload, '|') AS d (v);

--: add.events; postgres; jsonb; row-by-row; *; documentPlace=database
INSERT INTO "train_sim".events (id, payload)
SELECT $1::uuid, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))
FROM (SELECT string_to_array($2::text, '|') AS v) AS d;

--: add; postgres; jsonb; single-statement; *; documentPlace=database
WITH added AS (
  INSERT INTO "train_sim".events (id, payload)
SELECT id, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))
FROM unnest($1::uuid[], $2::text[]) AS u (id, payload) CROSS JOIN LATERAL string_to_array(payload, '|') AS d (v)
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: add.events; postgres; jsonb-manual; set-based in-database; *; documentPlace=database
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT id, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], '')))), event_type, authority_id, train_id
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) AS u (id, payload, event_type, authority_id, train_id) CROSS JOIN LATERAL string_to_array(payload, '|') AS d (v);

--: add.events; postgres; jsonb-manual; row-by-row; *; documentPlace=database
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT $1::uuid, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], '')))), $3::text, $4::uuid, $5::text
FROM (SELECT string_to_array($2::text, '|') AS v) AS d;

--: add; postgres; jsonb-manual; single-statement; *; documentPlace=database
WITH added AS (
  INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT id, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], '')))), event_type, authority_id, train_id
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) AS u (id, payload, event_type, authority_id, train_id) CROSS JOIN LATERAL string_to_array(payload, '|') AS d (v)
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: add.events; postgres; text; set-based in-database; *; documentPlace=database
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT id, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))::text, event_type, authority_id, train_id
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) AS u (id, payload, event_type, authority_id, train_id) CROSS JOIN LATERAL string_to_array(payload, '|') AS d (v);

--: add.events; postgres; text; row-by-row; *; documentPlace=database
INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT $1::uuid, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))::text, $3::text, $4::uuid, $5::text
FROM (SELECT string_to_array($2::text, '|') AS v) AS d;

--: add; postgres; text; single-statement; *; documentPlace=database
WITH added AS (
  INSERT INTO "train_sim".events (id, payload, event_type, authority_id, train_id)
SELECT id, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))::text, event_type, authority_id, train_id
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[]) AS u (id, payload, event_type, authority_id, train_id) CROSS JOIN LATERAL string_to_array(payload, '|') AS d (v)
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;

--: add.events; postgres; text-generated; set-based in-database; *; documentPlace=database
INSERT INTO "train_sim".events (id, payload)
SELECT id, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))::text
FROM unnest($1::uuid[], $2::text[]) AS u (id, payload) CROSS JOIN LATERAL string_to_array(payload, '|') AS d (v);

--: add.events; postgres; text-generated; row-by-row; *; documentPlace=database
INSERT INTO "train_sim".events (id, payload)
SELECT $1::uuid, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))::text
FROM (SELECT string_to_array($2::text, '|') AS v) AS d;

--: add; postgres; text-generated; single-statement; *; documentPlace=database
WITH added AS (
  INSERT INTO "train_sim".events (id, payload)
SELECT id, jsonb_strip_nulls(jsonb_build_object('eventType', v[1],
  'authorityId', v[2],
  'deviceKey', v[3],
  'state', v[4],
  'createdAt', v[5],
  'route', jsonb_build_object('segments', jsonb_build_array(jsonb_build_object('id', 'S' || v[29] || '-' || v[30], 'direction', v[31], 'trackSections', jsonb_build_array(v[29] || '-' || v[32], v[29] || '-' || v[33], v[29] || '-' || v[34])), jsonb_build_object('id', 'S' || v[35] || '-' || v[36], 'direction', v[37], 'trackSections', jsonb_build_array(v[35] || '-' || v[38], v[35] || '-' || v[39], v[35] || '-' || v[40])), jsonb_build_object('id', 'S' || v[41] || '-' || v[42], 'direction', v[43], 'trackSections', jsonb_build_array(v[41] || '-' || v[44], v[41] || '-' || v[45], v[41] || '-' || v[46]))), 'switches', jsonb_build_array(jsonb_build_object('id', 'SW-' || v[21], 'position', v[22]), jsonb_build_object('id', 'SW-' || v[23], 'position', v[24])), 'attributes', jsonb_build_object('ALLOW_PASS', v[7]::boolean, 'REQUIRES_ACK', v[8]::boolean, 'SLOW_ORDER', v[9]::boolean), 'signalId', 'SIG-' || v[6]),
  'metrics', jsonb_build_object('flags', jsonb_build_object('onTrack', v[10]::boolean, 'fleeted', v[11]::boolean), 'circuitIds', jsonb_build_array('TC-' || v[25], 'TC-' || v[26], 'TC-' || v[27], 'TC-' || v[28]), 'confidence', ('0.' || v[12])::numeric),
  'train', jsonb_build_object('trainId', v[13], 'withinLimits', v[14]::boolean, 'direction', v[15]),
  'meta', jsonb_build_object('userId', 'u-' || v[16], 'logicalPos', v[17]::integer, 'sourceSystem', v[18], 'crewId', 'C-' || nullif(v[19], ''), 'remarks', nullif(v[20], ''))))::text
FROM unnest($1::uuid[], $2::text[]) AS u (id, payload) CROSS JOIN LATERAL string_to_array(payload, '|') AS d (v)
  RETURNING id
)
INSERT INTO "train_sim".event_status (event_id) SELECT id FROM added;
