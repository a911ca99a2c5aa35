--: postgres; *; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
--: cockroachdb; *; storage=default storage=hash-sharded claimIndex=status-updated archived=complete archiveDelete=cascade
--: dsql; text; storage=default claimIndex=status-updated archived=complete
--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
CREATE SCHEMA "train_sim";

--: postgres cockroachdb cloudberry; jsonb; storage=default
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb: created by train-sim and dropped by it';

--: postgres; jsonb; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- Payload level `jsonb`: the document is JSONB, the flat columns are generated from it by the database, and the
-- whole document is searchable through an inverted index.
--
-- The casts used here are immutable (a cast to an enum would not be), so event_type is text with a CHECK.
CREATE TABLE "train_sim".events (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL GENERATED ALWAYS AS (payload ->> 'eventType') STORED,
  authority_id uuid        NOT NULL GENERATED ALWAYS AS ((payload ->> 'authorityId')::uuid) STORED,
  train_id     text        NOT NULL GENERATED ALWAYS AS (payload #>> '{train,trainId}') STORED,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: postgres; jsonb; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- The default operator class (jsonb_ops), not jsonb_path_ops: it indexes every key and every value, as people get
-- it who write `USING gin (payload)`, and as an inverted index of PostgreSQL's relatives answers `@>` and key
-- existence alike. Its upkeep on every add and every pass is the price that this level is there to measure.
CREATE INDEX events_payload_idx ON "train_sim".events USING gin (payload);

--: postgres; *; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
--: cockroachdb; *; storage=default storage=hash-sharded claimIndex=status-updated archived=complete archiveDelete=cascade
--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
-- Look-ups of the reader: the newest events of a type, and the events under one authority.
CREATE INDEX events_event_type_created_at_idx ON "train_sim".events (event_type, created_at DESC);

--: postgres; *; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
--: cockroachdb; *; storage=default storage=hash-sharded claimIndex=status-updated archived=complete archiveDelete=cascade
--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
CREATE INDEX events_authority_id_idx ON "train_sim".events (authority_id);

--: postgres; jsonb jsonb-manual; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- History. The flat columns are plain here: the archive keeps what the event had when it left the queue.
CREATE TABLE "train_sim".events_archive (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL,
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

--: postgres; *; storage=default claimIndex=status-updated archived=complete
-- The queue, the same for every payload level: one row for each live event. Every pass changes status and updated_at,
-- which are indexed, so no update of this table is HOT. fillfactor and autovacuum are left at their defaults.
CREATE TABLE "train_sim".event_status (
  event_id   uuid        PRIMARY KEY REFERENCES "train_sim".events (id),
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
);

--: postgres; *; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
--: cockroachdb; *; storage=default storage=hash-sharded claimIndex=status-updated archived=complete archiveDelete=cascade
--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
-- Counts by status.
CREATE INDEX event_status_status_updated_at_idx ON "train_sim".event_status (status, updated_at);

--: postgres; *; storage=default archived=complete archiveDelete=cascade
-- The order of the claims. (status, updated_at) cannot give it: two statuses are two sorted runs, and the planner
-- reads and sorts the whole backlog for each claim. Claim of 100 out of 100 000 waiting events (PostgreSQL 18.4, two
-- cores): 0.6 ms with this index, 32 ms without. 620 ms without when written as a plain join of both tables.
-- An event is in one of the two partial indexes, so each pass maintains one of them.
-- Claims and predicates say IS TRUE, which (status, updated_at) cannot answer. Without it the planner took a bitmap of
-- that index for the few terminal rows after 12 of 16 ANALYZEs under load, since the partial one is small and bloated; a
-- bitmap scan does not mark the dead entries that it meets, so each archive met them all and took 17 to 29 ms, not 2.
CREATE INDEX event_status_workable_idx ON "train_sim".event_status (updated_at)
  WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE;

--: postgres; *; storage=default archiveDelete=cascade
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at)
  WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE;

--: postgres; *; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
--: cockroachdb; *; storage=default storage=hash-sharded claimIndex=status-updated archived=complete archiveDelete=cascade
--: dsql; text; storage=default claimIndex=status-updated archived=complete
--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
GRANT USAGE ON SCHEMA "train_sim" TO "pgb";

--: postgres; *; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
--: cockroachdb; *; storage=default storage=hash-sharded claimIndex=status-updated archived=complete archiveDelete=cascade
--: dsql; text; storage=default claimIndex=status-updated archived=complete
--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
GRANT SELECT, INSERT, UPDATE, DELETE ON "train_sim".events, "train_sim".event_status, "train_sim".events_archive TO "pgb";

--: postgres cockroachdb cloudberry; jsonb; claimIndex=status-updated
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-status-updated: created by train-sim and dropped by it';

--: postgres cockroachdb cloudberry; jsonb; archived=complete
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-complete: created by train-sim and dropped by it';

--: postgres; *; archived=complete
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at)
  WHERE (status IN ('COMPLETE')) IS TRUE;

--: postgres cockroachdb; jsonb; archiveDelete=cascade
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-cascade: created by train-sim and dropped by it';

--: postgres; *; archiveDelete=cascade
-- The queue, the same for every payload level: one row for each live event. Every pass changes status and updated_at,
-- which are indexed, so no update of this table is HOT. fillfactor and autovacuum are left at their defaults.
CREATE TABLE "train_sim".event_status (
  event_id   uuid        PRIMARY KEY REFERENCES "train_sim".events (id) ON DELETE CASCADE,
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
);

--: postgres cockroachdb cloudberry; jsonb-manual; storage=default
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-manual: created by train-sim and dropped by it';

--: postgres; jsonb-manual; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- Payload level `jsonb-manual`: the document is JSONB, the flat columns are written by the program, and nothing
-- indexes the document. Against `jsonb` it shows what generated columns and the inverted index cost.
CREATE TABLE "train_sim".events (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: postgres cockroachdb cloudberry; jsonb-manual; claimIndex=status-updated
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-manual-status-updated: created by train-sim and dropped by it';

--: postgres cockroachdb cloudberry; jsonb-manual; archived=complete
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-manual-complete: created by train-sim and dropped by it';

--: postgres cockroachdb; jsonb-manual; archiveDelete=cascade
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-manual-cascade: created by train-sim and dropped by it';

--: postgres cockroachdb cloudberry; text; storage=default
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text: created by train-sim and dropped by it';

--: postgres; text; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- Payload level `text`: the document is TEXT that the database never parses, the flat columns are written by the
-- program. Against `jsonb-manual` it shows what JSONB itself costs.
CREATE TABLE "train_sim".events (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload      text        NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: postgres; text text-generated; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- History. The flat columns are plain here: the archive keeps what the event had when it left the queue.
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
);

--: postgres cockroachdb cloudberry; text; claimIndex=status-updated
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-status-updated: created by train-sim and dropped by it';

--: postgres cockroachdb cloudberry; text; archived=complete
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-complete: created by train-sim and dropped by it';

--: postgres cockroachdb; text; archiveDelete=cascade
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-cascade: created by train-sim and dropped by it';

--: postgres cockroachdb cloudberry; text-generated; storage=default
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated: created by train-sim and dropped by it';

--: postgres; text-generated; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- Payload level `text-generated`: the document is TEXT, and the database parses it on every write to generate the
-- flat columns (each of the three expressions parses it anew). Against `text` it shows what that parsing costs.
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
);

--: postgres cockroachdb cloudberry; text-generated; claimIndex=status-updated
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated-status-updated: created by train-sim and dropped by it';

--: postgres cockroachdb cloudberry; text-generated; archived=complete
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated-complete: created by train-sim and dropped by it';

--: postgres cockroachdb; text-generated; archiveDelete=cascade
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated-cascade: created by train-sim and dropped by it';

--: cockroachdb; jsonb; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
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

--: cockroachdb; jsonb; storage=default storage=hash-sharded claimIndex=status-updated archived=complete archiveDelete=cascade
-- Indexes every key and every value of the document; it answers `@>`.
CREATE INVERTED INDEX events_payload_idx ON "train_sim".events (payload);

--: cockroachdb; jsonb jsonb-manual; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
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

--: cockroachdb; *; storage=default claimIndex=status-updated archived=complete
-- The queue, the same for every payload level: one row for each live event.
CREATE TABLE "train_sim".event_status (
  event_id   UUID        NOT NULL REFERENCES "train_sim".events (id),
  status     STRING      NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  attempts   INT4        NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id)
);

--: cockroachdb; *; storage=default storage=hash-sharded archived=complete archiveDelete=cascade
-- The order of the claims, as on PostgreSQL; what a claim answers with is stored in them, so that it reads one index.
CREATE INDEX event_status_workable_idx ON "train_sim".event_status (updated_at) STORING (status, attempts)
  WHERE status IN ('PENDING', 'PROCESSING');

--: cockroachdb; *; storage=default storage=hash-sharded archiveDelete=cascade
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at) STORING (status, attempts)
  WHERE status IN ('COMPLETE', 'FAILED');

--: cockroachdb; jsonb; storage=hash-sharded
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb, storage hash-sharded: created by train-sim and dropped by it';

--: cockroachdb; jsonb; storage=hash-sharded
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

--: cockroachdb; jsonb jsonb-manual; storage=hash-sharded
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

--: cockroachdb; *; storage=hash-sharded
-- The queue, the same for every payload level: one row for each live event.
CREATE TABLE "train_sim".event_status (
  event_id   UUID        NOT NULL REFERENCES "train_sim".events (id),
  status     STRING      NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  attempts   INT4        NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id) USING HASH
);

--: cockroachdb; *; archived=complete
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at) STORING (status, attempts)
  WHERE status IN ('COMPLETE');

--: cockroachdb; *; archiveDelete=cascade
-- The queue, the same for every payload level: one row for each live event.
CREATE TABLE "train_sim".event_status (
  event_id   UUID        NOT NULL REFERENCES "train_sim".events (id) ON DELETE CASCADE,
  status     STRING      NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  attempts   INT4        NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id)
);

--: cockroachdb; jsonb-manual; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- Payload level `jsonb-manual` on CockroachDB: the document is JSONB, the flat columns are written by the program, and nothing
-- indexes the document. Against `jsonb` it shows what computed columns and the inverted index cost.
CREATE TABLE "train_sim".events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      JSONB       NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: cockroachdb; jsonb-manual; storage=hash-sharded
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-manual, storage hash-sharded: created by train-sim and dropped by it';

--: cockroachdb; jsonb-manual; storage=hash-sharded
-- Payload level `jsonb-manual` on CockroachDB: the document is JSONB, the flat columns are written by the program, and nothing
-- indexes the document. Against `jsonb` it shows what computed columns and the inverted index cost.
CREATE TABLE "train_sim".events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      JSONB       NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  PRIMARY KEY (id) USING HASH,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: cockroachdb; text; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- Payload level `text` on CockroachDB: the document is a STRING that the database never parses, the flat columns are written
-- by the program. Against `jsonb-manual` it shows what JSONB itself costs.
CREATE TABLE "train_sim".events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      STRING      NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: cockroachdb; text text-generated; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- History. The flat columns are plain here: the archive keeps what the event had when it left the queue.
CREATE TABLE "train_sim".events_archive (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL,
  payload      STRING      NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  status       STRING      NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     INT4        NOT NULL,
  archived_at  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id)
);

--: cockroachdb; text; storage=hash-sharded
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text, storage hash-sharded: created by train-sim and dropped by it';

--: cockroachdb; text; storage=hash-sharded
-- Payload level `text` on CockroachDB: the document is a STRING that the database never parses, the flat columns are written
-- by the program. Against `jsonb-manual` it shows what JSONB itself costs.
CREATE TABLE "train_sim".events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      STRING      NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  PRIMARY KEY (id) USING HASH,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: cockroachdb; text text-generated; storage=hash-sharded
-- History. The flat columns are plain here: the archive keeps what the event had when it left the queue.
CREATE TABLE "train_sim".events_archive (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL,
  payload      STRING      NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  status       STRING      NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     INT4        NOT NULL,
  archived_at  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id) USING HASH
);

--: cockroachdb; text-generated; storage=default claimIndex=status-updated archived=complete archiveDelete=cascade
-- Payload level `text-generated` on CockroachDB: the document is a STRING, and the database parses it on every write to compute
-- the flat columns. Against `text` it shows what that parsing costs.
CREATE TABLE "train_sim".events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      STRING      NOT NULL,
  event_type   STRING      NOT NULL AS (payload::JSONB->>'eventType') STORED,
  authority_id UUID        NOT NULL AS ((payload::JSONB->>'authorityId')::UUID) STORED,
  train_id     STRING      NOT NULL AS (payload::JSONB#>>ARRAY['train', 'trainId']) STORED,
  PRIMARY KEY (id),
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: cockroachdb; text-generated; storage=hash-sharded
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated, storage hash-sharded: created by train-sim and dropped by it';

--: cockroachdb; text-generated; storage=hash-sharded
-- Payload level `text-generated` on CockroachDB: the document is a STRING, and the database parses it on every write to compute
-- the flat columns. Against `text` it shows what that parsing costs.
CREATE TABLE "train_sim".events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      STRING      NOT NULL,
  event_type   STRING      NOT NULL AS (payload::JSONB->>'eventType') STORED,
  authority_id UUID        NOT NULL AS ((payload::JSONB->>'authorityId')::UUID) STORED,
  train_id     STRING      NOT NULL AS (payload::JSONB#>>ARRAY['train', 'trainId']) STORED,
  PRIMARY KEY (id) USING HASH,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: dsql; text; storage=default
CREATE TABLE "train_sim"."train-sim namespace, version 1, payload text:" (id integer PRIMARY KEY);

--: dsql; text; storage=default claimIndex=status-updated archived=complete
-- Payload level `text` on Aurora DSQL, the one that it has: JSONB is no type of a column there, and no column is generated.
-- Keys are given with the table, indexes are made in the background afterwards, and no key refers to another table.
CREATE TABLE "train_sim".events (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload      text        NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

--: dsql; text; storage=default claimIndex=status-updated archived=complete
-- Look-ups of the reader: the newest events of a type, and the events under one authority. An index has no direction there.
CREATE INDEX ASYNC events_event_type_created_at_idx ON "train_sim".events (event_type, created_at);

--: dsql; text; storage=default claimIndex=status-updated archived=complete
CREATE INDEX ASYNC events_authority_id_idx ON "train_sim".events (authority_id);

--: dsql; text; storage=default claimIndex=status-updated archived=complete
-- History: the archive keeps what the event had when it left the queue.
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
);

--: dsql; text; storage=default claimIndex=status-updated archived=complete
-- The queue on Aurora DSQL: one row for each live event. There are no partial indexes, so one index by status and time
-- orders the claims.
CREATE TABLE "train_sim".event_status (
  event_id   uuid        PRIMARY KEY,
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
);

--: dsql; text; storage=default claimIndex=status-updated archived=complete
CREATE INDEX ASYNC event_status_status_updated_at_idx ON "train_sim".event_status (status, updated_at);

--: dsql; text; claimIndex=status-updated
CREATE TABLE "train_sim"."train-sim namespace, version 1, payload text-status-updated:" (id integer PRIMARY KEY);

--: dsql; text; archived=complete
CREATE TABLE "train_sim"."train-sim namespace, version 1, payload text-complete:" (id integer PRIMARY KEY);

--: cloudberry; jsonb; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
-- Payload level `jsonb` on Cloudberry: the document is JSONB, the flat columns are generated from it by the database, and the
-- whole document is searchable through a GIN index. Rows lie with their status row on one segment: both are distributed by key.
CREATE TABLE "train_sim".events (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL GENERATED ALWAYS AS (payload ->> 'eventType') STORED,
  authority_id uuid        NOT NULL GENERATED ALWAYS AS ((payload ->> 'authorityId')::uuid) STORED,
  train_id     text        NOT NULL GENERATED ALWAYS AS (payload #>> '{train,trainId}') STORED,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
)
DISTRIBUTED BY (id);

--: cloudberry; jsonb; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
CREATE INDEX events_payload_idx ON "train_sim".events USING gin (payload);

--: cloudberry; jsonb jsonb-manual; storage=default claimIndex=status-updated archived=complete
-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE "train_sim".events_archive (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL,
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
DISTRIBUTED BY (id);

--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
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

--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax archived=complete
-- The order of the claims, on each segment: see `schema/postgres/claim-indexes.sql`.
CREATE INDEX event_status_workable_idx ON "train_sim".event_status (updated_at)
  WHERE status IN ('PENDING', 'PROCESSING');

--: cloudberry; *; storage=default storage=ao-row storage=ao-column storage=pax
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at)
  WHERE status IN ('COMPLETE', 'FAILED');

--: cloudberry; jsonb; storage=ao-row
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb, storage ao-row: created by train-sim and dropped by it';

--: cloudberry; jsonb jsonb-manual; storage=ao-row
-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE "train_sim".events_archive (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL,
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
WITH (appendoptimized = true, orientation = row, compresstype = zstd, compresslevel = 1)
DISTRIBUTED BY (id);

--: cloudberry; jsonb; storage=ao-column
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb, storage ao-column: created by train-sim and dropped by it';

--: cloudberry; jsonb jsonb-manual; storage=ao-column
-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE "train_sim".events_archive (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL,
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
WITH (appendoptimized = true, orientation = column, compresstype = zstd, compresslevel = 1)
DISTRIBUTED BY (id);

--: cloudberry; jsonb; storage=pax
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb, storage pax: created by train-sim and dropped by it';

--: cloudberry; jsonb jsonb-manual; storage=pax
-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE "train_sim".events_archive (
  id           uuid        NOT NULL,
  created_at   timestamptz NOT NULL,
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
USING pax WITH (compresstype = zstd, compresslevel = 1, minmax_columns = 'archived_at,id')
DISTRIBUTED BY (id);

--: cloudberry; *; archived=complete
CREATE INDEX event_status_terminal_idx ON "train_sim".event_status (updated_at)
  WHERE status IN ('COMPLETE');

--: cloudberry; jsonb-manual; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
-- Payload level `jsonb-manual` on Cloudberry: the document is JSONB, the flat columns are written by the program, and nothing
-- indexes the document. Rows lie with their status row on one segment: both are distributed by key.
CREATE TABLE "train_sim".events (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload      jsonb       NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
)
DISTRIBUTED BY (id);

--: cloudberry; jsonb-manual; storage=ao-row
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-manual, storage ao-row: created by train-sim and dropped by it';

--: cloudberry; jsonb-manual; storage=ao-column
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-manual, storage ao-column: created by train-sim and dropped by it';

--: cloudberry; jsonb-manual; storage=pax
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload jsonb-manual, storage pax: created by train-sim and dropped by it';

--: cloudberry; text; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
-- Payload level `text` on Cloudberry: the document is TEXT that the database never parses, the flat columns are written by
-- the program. Rows lie with their status row on one segment: both are distributed by key.
CREATE TABLE "train_sim".events (
  id           uuid        PRIMARY KEY,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  payload      text        NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
)
DISTRIBUTED BY (id);

--: cloudberry; text text-generated; storage=default claimIndex=status-updated archived=complete
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

--: cloudberry; text; storage=ao-row
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text, storage ao-row: created by train-sim and dropped by it';

--: cloudberry; text text-generated; storage=ao-row
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

--: cloudberry; text; storage=ao-column
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text, storage ao-column: created by train-sim and dropped by it';

--: cloudberry; text text-generated; storage=ao-column
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

--: cloudberry; text; storage=pax
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text, storage pax: created by train-sim and dropped by it';

--: cloudberry; text text-generated; storage=pax
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

--: cloudberry; text-generated; storage=default storage=ao-row storage=ao-column storage=pax claimIndex=status-updated archived=complete
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

--: cloudberry; text-generated; storage=ao-row
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated, storage ao-row: created by train-sim and dropped by it';

--: cloudberry; text-generated; storage=ao-column
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated, storage ao-column: created by train-sim and dropped by it';

--: cloudberry; text-generated; storage=pax
COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, payload text-generated, storage pax: created by train-sim and dropped by it';
