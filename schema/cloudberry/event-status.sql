-- The queue, the same for every payload level and every level of storage: a heap, because its rows are locked and updated.
-- The foreign key is declared, and enforced by nobody.
CREATE TABLE {{namespace}}.event_status (
  event_id   uuid        PRIMARY KEY REFERENCES {{namespace}}.events (id){{onDelete}},
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
)
DISTRIBUTED BY (event_id);

-- Counts by status.
CREATE INDEX event_status_status_updated_at_idx ON {{namespace}}.event_status (status, updated_at);
