-- Payload level `jsonb`: the document is JSONB, the flat columns are generated from it by the database, and the
-- whole document is searchable through an inverted index.
--
-- The casts used here are immutable (a cast to an enum would not be), so event_type is text with a CHECK.
CREATE TABLE {{namespace}}.events (
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

-- The default operator class (jsonb_ops), not jsonb_path_ops: it indexes every key and every value, as people get
-- it who write `USING gin (payload)`, and as an inverted index of PostgreSQL's relatives answers `@>` and key
-- existence alike. Its upkeep on every add and every pass is the price that this level is there to measure.
CREATE INDEX events_payload_idx ON {{namespace}}.events USING gin (payload);

-- Look-ups of the reader: the newest events of a type, and the events under one authority.
CREATE INDEX events_event_type_created_at_idx ON {{namespace}}.events (event_type, created_at DESC);
CREATE INDEX events_authority_id_idx ON {{namespace}}.events (authority_id);

-- History. The flat columns are plain here: the archive keeps what the event had when it left the queue.
CREATE TABLE {{namespace}}.events_archive (
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
