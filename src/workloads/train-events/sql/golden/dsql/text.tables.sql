-- storage: default
CREATE SCHEMA "train_sim";

-- storage: default
CREATE TABLE "train_sim"."train-sim namespace, version 1, payload text:" (id integer PRIMARY KEY);

-- storage: default
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

-- storage: default
-- Look-ups of the reader: the newest events of a type, and the events under one authority. An index has no direction there.
CREATE INDEX ASYNC events_event_type_created_at_idx ON "train_sim".events (event_type, created_at);

-- storage: default
CREATE INDEX ASYNC events_authority_id_idx ON "train_sim".events (authority_id);

-- storage: default
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

-- storage: default
-- The queue on Aurora DSQL: one row for each live event. There are no partial indexes, so one index by status and time
-- orders the claims.
CREATE TABLE "train_sim".event_status (
  event_id   uuid        PRIMARY KEY,
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
);

-- storage: default
CREATE INDEX ASYNC event_status_status_updated_at_idx ON "train_sim".event_status (status, updated_at);

-- storage: default
GRANT USAGE ON SCHEMA "train_sim" TO "pgb";

-- storage: default
GRANT SELECT, INSERT, UPDATE, DELETE ON "train_sim".events, "train_sim".event_status, "train_sim".events_archive TO "pgb";

-- claimIndex: status-updated
CREATE TABLE "train_sim"."train-sim namespace, version 1, payload text-status-updated:" (id integer PRIMARY KEY);

-- archived: complete
CREATE TABLE "train_sim"."train-sim namespace, version 1, payload text-complete:" (id integer PRIMARY KEY);
