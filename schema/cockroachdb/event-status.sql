-- The queue, the same for every payload level: one row for each live event.
CREATE TABLE {{namespace}}.event_status (
  event_id   UUID        NOT NULL REFERENCES {{namespace}}.events (id){{onDelete}},
  status     STRING      NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  attempts   INT4        NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id){{sharding}}
);

-- Counts by status.
CREATE INDEX event_status_status_updated_at_idx ON {{namespace}}.event_status (status, updated_at);
