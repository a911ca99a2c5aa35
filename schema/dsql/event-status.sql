-- The queue on Aurora DSQL: one row for each live event. There are no partial indexes, so one index by status and time
-- orders the claims.
CREATE TABLE {{namespace}}.event_status (
  event_id   uuid        PRIMARY KEY,
  status     text        NOT NULL DEFAULT 'PENDING'
             CHECK (status IN ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts   integer     NOT NULL DEFAULT 0
);

CREATE INDEX ASYNC event_status_status_updated_at_idx ON {{namespace}}.event_status (status, updated_at);
