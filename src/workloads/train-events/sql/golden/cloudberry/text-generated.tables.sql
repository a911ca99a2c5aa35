-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
CREATE SCHEMA "train_sim";

-- storage: default
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated: created by train-sim and dropped by it';

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
-- Payload level `text-generated` on Cloudberry: the document is TEXT, and the database parses it on every write to generate
-- the flat columns. Rows lie with their status row on one segment: both are distributed by key.
CREATE TABLE "train_sim".events (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload      text        NOT NULL,
  event_type   text        NOT NULL GENERATED ALWAYS AS (payload::jsonb ->> 'eventType') STORED,
  authority_id uuid        NOT NULL GENERATED ALWAYS AS ((payload::jsonb ->> 'authorityId')::uuid) STORED,
  train_id     text        NOT NULL GENERATED ALWAYS AS (payload::jsonb #>> '{train,trainId}') STORED,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
)
DISTRIBUTED BY (id);

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
-- Look-ups of the reader: the newest events of a type, and the events under one authority.
CREATE INDEX events_event_type_created_at_idx ON "train_sim".events (event_type, created_at DESC);

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
CREATE INDEX events_authority_id_idx ON "train_sim".events (authority_id);

-- storage: default
-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE "train_sim".events_archive (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL,
  payload      text        NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
DISTRIBUTED BY (id);

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
-- The queue, the same for every payload level and every level of storage: a heap, because its rows are locked and updated.
-- The foreign key is declared, and enforced by nobody.
CREATE TABLE "train_sim".event_status (
  event_id   uuid        PRIMARY KEY REFERENCES "train_sim".events (id),
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
)
DISTRIBUTED BY (event_id);

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
-- Counts by status.
CREATE INDEX event_status_status_updated_at_idx ON "train_sim".event_status (status, updated_at);

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
-- The order of the claims, on each segment: see `schema/postgres/claim-indexes.sql`.
CREATE INDEX event_status_workable_idx ON "train_sim".event_status (updated_at)
  WHERE status IN ('PENDING', 'PROCESSING');

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at)
  WHERE status IN ('COMPLETE', 'FAILED');

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
GRANT USAGE ON SCHEMA "train_sim" TO "pgb";

-- storage: default
-- storage: ao-row
-- storage: ao-column
-- storage: pax
GRANT SELECT, INSERT, UPDATE, DELETE ON "train_sim".events, "train_sim".event_status, "train_sim".events_archive TO "pgb";

-- storage: ao-row
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated, storage ao-row: created by train-sim and dropped by it';

-- storage: ao-row
-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE "train_sim".events_archive (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL,
  payload      text        NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
WITH (appendoptimized = true, orientation = row, compresstype = zstd, compresslevel = 1)
DISTRIBUTED BY (id);

-- storage: ao-column
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated, storage ao-column: created by train-sim and dropped by it';

-- storage: ao-column
-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE "train_sim".events_archive (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL,
  payload      text        NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
WITH (appendoptimized = true, orientation = column, compresstype = zstd, compresslevel = 1)
DISTRIBUTED BY (id);

-- storage: pax
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated, storage pax: created by train-sim and dropped by it';

-- storage: pax
-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE "train_sim".events_archive (
  id           uuid        NOT NULL,
  created_at   timestamptz NOT NULL,
  payload      text        NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
USING pax WITH (compresstype = zstd, compresslevel = 1, minmax_columns = 'archived_at,id')
DISTRIBUTED BY (id);

-- claimIndex: status-updated
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated-status-updated: created by train-sim and dropped by it';

-- archived: complete
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated-complete: created by train-sim and dropped by it';

-- archived: complete
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at)
  WHERE status IN ('COMPLETE');
