-- Payload level `text-generated` on Cloudberry: the document is TEXT, and the database parses it on every write to generate
-- the flat columns. Rows lie with their status row on one segment: both are distributed by key.
CREATE TABLE {{namespace}}.events (
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

-- Look-ups of the reader: the newest events of a type, and the events under one authority.
CREATE INDEX events_event_type_created_at_idx ON {{namespace}}.events (event_type, created_at DESC);
CREATE INDEX events_authority_id_idx ON {{namespace}}.events (authority_id);

-- History, which is only ever added to: `storage` says how. The flat columns are plain here.
CREATE TABLE {{namespace}}.events_archive (
  id           uuid       {{archiveKey}},
  created_at   timestamptz NOT NULL,
  payload      text        NOT NULL,
  event_type   text        NOT NULL,
  authority_id uuid        NOT NULL,
  train_id     text        NOT NULL,
  status       text        NOT NULL CHECK (status IN ('COMPLETE', 'FAILED')),
  attempts     integer     NOT NULL,
  archived_at  timestamptz NOT NULL DEFAULT clock_timestamp()
)
{{archiveStorage}}DISTRIBUTED BY (id);
