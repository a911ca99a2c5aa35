-- The queue, the same for every payload level: one row for each live event. Every pass changes status and updated_at,
-- which are indexed, so no update of this table is HOT. fillfactor and autovacuum are left at their defaults.
CREATE TABLE {{namespace}}.event_status (
  event_id   uuid        PRIMARY KEY REFERENCES {{namespace}}.events (id){{onDelete}},
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
);

-- Counts by status.
CREATE INDEX event_status_status_updated_at_idx ON {{namespace}}.event_status (status, updated_at);
