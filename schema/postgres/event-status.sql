-- The queue, the same for every payload level: one row for each live event.
CREATE TABLE {{namespace}}.event_status (
  event_id   uuid        PRIMARY KEY REFERENCES {{namespace}}.events (id),
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
);

CREATE INDEX event_status_status_updated_at_idx ON {{namespace}}.event_status (status, updated_at);
CREATE INDEX event_status_workable_idx ON {{namespace}}.event_status (updated_at)
  WHERE status IN ('PENDING', 'PROCESSING');
CREATE INDEX event_status_terminal_idx ON {{namespace}}.event_status (updated_at)
  WHERE status IN ('COMPLETE', 'FAILED');
