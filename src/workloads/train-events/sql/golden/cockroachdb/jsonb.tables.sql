-- storage: default
-- storage: hash-sharded
CREATE SCHEMA "train_sim";

-- storage: default
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb: created by train-sim and dropped by it';

-- storage: default
-- Payload level `jsonb` on CockroachDB: the document is JSONB, the flat columns are computed from it and stored, and the whole
-- document is searchable through an inverted index.
CREATE TABLE "train_sim".events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      JSONB       NOT NULL,
  event_type   STRING      NOT NULL AS (payload->>'eventType') STORED,
  authority_id UUID        NOT NULL AS ((payload->>'authorityId')::UUID) STORED,
  train_id     STRING      NOT NULL AS (payload#>>ARRAY['train', 'trainId']) STORED,
  PRIMARY KEY (id),
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

-- storage: default
-- storage: hash-sharded
-- Indexes every key and every value of the document; it answers `@>`.
CREATE INVERTED INDEX events_payload_idx ON "train_sim".events (payload);

-- storage: default
-- storage: hash-sharded
-- Look-ups of the reader: the newest events of a type, and the events under one authority.
CREATE INDEX events_event_type_created_at_idx ON "train_sim".events (event_type, created_at DESC);

-- storage: default
-- storage: hash-sharded
CREATE INDEX events_authority_id_idx ON "train_sim".events (authority_id);

-- storage: default
-- History. The flat columns are plain here: the archive keeps what the event had when it left the queue.
CREATE TABLE "train_sim".events_archive (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL,
  payload      JSONB       NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  status       STRING      NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     INT4        NOT NULL,
  archived_at  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id)
);

-- storage: default
-- The queue, the same for every payload level: one row for each live event.
CREATE TABLE "train_sim".event_status (
  event_id   UUID        NOT NULL REFERENCES "train_sim".events (id),
  status     STRING      NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  attempts   INT4        NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id)
);

-- storage: default
-- storage: hash-sharded
-- Counts by status.
CREATE INDEX event_status_status_updated_at_idx ON "train_sim".event_status (status, updated_at);

-- storage: default
-- storage: hash-sharded
-- The order of the claims, as on PostgreSQL; what a claim answers with is stored in them, so that it reads one index.
CREATE INDEX event_status_workable_idx ON "train_sim".event_status (updated_at) STORING (status, attempts)
  WHERE status IN ('PENDING', 'PROCESSING');

-- storage: default
-- storage: hash-sharded
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at) STORING (status, attempts)
  WHERE status IN ('COMPLETE', 'FAILED');

-- storage: default
-- storage: hash-sharded
GRANT USAGE ON SCHEMA "train_sim" TO "pgb";

-- storage: default
-- storage: hash-sharded
GRANT SELECT, INSERT, UPDATE, DELETE ON "train_sim".events, "train_sim".event_status, "train_sim".events_archive TO "pgb";

-- storage: hash-sharded
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb, storage hash-sharded: created by train-sim and dropped by it';

-- storage: hash-sharded
-- Payload level `jsonb` on CockroachDB: the document is JSONB, the flat columns are computed from it and stored, and the whole
-- document is searchable through an inverted index.
CREATE TABLE "train_sim".events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      JSONB       NOT NULL,
  event_type   STRING      NOT NULL AS (payload->>'eventType') STORED,
  authority_id UUID        NOT NULL AS ((payload->>'authorityId')::UUID) STORED,
  train_id     STRING      NOT NULL AS (payload#>>ARRAY['train', 'trainId']) STORED,
  PRIMARY KEY (id) USING HASH,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

-- storage: hash-sharded
-- History. The flat columns are plain here: the archive keeps what the event had when it left the queue.
CREATE TABLE "train_sim".events_archive (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL,
  payload      JSONB       NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  status       STRING      NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     INT4        NOT NULL,
  archived_at  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id) USING HASH
);

-- storage: hash-sharded
-- The queue, the same for every payload level: one row for each live event.
CREATE TABLE "train_sim".event_status (
  event_id   UUID        NOT NULL REFERENCES "train_sim".events (id),
  status     STRING      NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  attempts   INT4        NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id) USING HASH
);

-- claimIndex: status-updated
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-status-updated: created by train-sim and dropped by it';

-- archived: complete
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-complete: created by train-sim and dropped by it';

-- archived: complete
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at) STORING (status, attempts)
  WHERE status IN ('COMPLETE');

-- archiveDelete: cascade
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-cascade: created by train-sim and dropped by it';

-- archiveDelete: cascade
-- The queue, the same for every payload level: one row for each live event.
CREATE TABLE "train_sim".event_status (
  event_id   UUID        NOT NULL REFERENCES "train_sim".events (id) ON DELETE CASCADE,
  status     STRING      NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  attempts   INT4        NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id)
);
