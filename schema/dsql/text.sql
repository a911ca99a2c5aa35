-- Payload level `text` on Aurora DSQL, the one that it has: JSONB is no type of a column there, and no column is generated.
-- Keys are given with the table, indexes are made in the background afterwards, and no key refers to another table.
CREATE TABLE {{namespace}}.events (
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

-- Look-ups of the reader: the newest events of a type, and the events under one authority. An index has no direction there.
CREATE INDEX ASYNC events_event_type_created_at_idx ON {{namespace}}.events (event_type, created_at);
CREATE INDEX ASYNC events_authority_id_idx ON {{namespace}}.events (authority_id);

-- History: the archive keeps what the event had when it left the queue.
CREATE TABLE {{namespace}}.events_archive (
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
