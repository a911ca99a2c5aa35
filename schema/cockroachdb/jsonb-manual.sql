-- Payload level `jsonb-manual` on CockroachDB: the document is JSONB, the flat columns are written by the program, and nothing
-- indexes the document. Against `jsonb` it shows what computed columns and the inverted index cost.
CREATE TABLE {{namespace}}.events (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  payload      JSONB       NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  PRIMARY KEY (id){{sharding}},
  CONSTRAINT events_event_type_check CHECK (event_type IN (
    'ROUTE_AUTHORIZATION', 'SIGNAL_CLEAR', 'SPEED_RESTRICTION', 'TRACK_OUT_OF_SERVICE', 'TRAIN_POSITION_UPDATE',
    'SWITCH_POSITION_CHANGE', 'WORK_ZONE_PROTECTION', 'CROSSING_FAILURE', 'POWER_OUTAGE', 'DISPATCH_NOTE'))
);

-- Look-ups of the reader: the newest events of a type, and the events under one authority.
CREATE INDEX events_event_type_created_at_idx ON {{namespace}}.events (event_type, created_at DESC);
CREATE INDEX events_authority_id_idx ON {{namespace}}.events (authority_id);

-- History. The flat columns are plain here: the archive keeps what the event had when it left the queue.
CREATE TABLE {{namespace}}.events_archive (
  id           UUID        NOT NULL,
  created_at   TIMESTAMPTZ NOT NULL,
  payload      JSONB       NOT NULL,
  event_type   STRING      NOT NULL,
  authority_id UUID        NOT NULL,
  train_id     STRING      NOT NULL,
  status       STRING      NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     INT4        NOT NULL,
  archived_at  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id){{sharding}}
);
