-- The order of the claims, as on PostgreSQL; what a claim answers with is stored in them, so that it reads one index.
CREATE INDEX event_status_workable_idx ON {{namespace}}.event_status (updated_at) STORING (status, attempts)
  WHERE status IN ('PENDING', 'PROCESSING');
CREATE INDEX event_status_terminal_idx ON {{namespace}}.event_status (updated_at) STORING (status, attempts)
  WHERE status IN ({{archivedStatuses}});
