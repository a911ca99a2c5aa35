-- The order of the claims, on each segment: see `schema/postgres/claim-indexes.sql`.
CREATE INDEX event_status_workable_idx ON {{namespace}}.event_status (updated_at)
  WHERE status IN ('PENDING', 'PROCESSING');
CREATE INDEX event_status_terminal_idx ON {{namespace}}.event_status (updated_at)
  WHERE status IN ({{archivedStatuses}});
