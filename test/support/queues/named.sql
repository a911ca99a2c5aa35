-- A queue in the manner of graphile-worker: everything is a function, jobs that are done are deleted, and inserts notify.
-- workload: named
-- setting: keys = 50

-- schema
CREATE DOMAIN task_name AS text CHECK (length(VALUE) BETWEEN 1 AND 128);
CREATE TABLE tasks (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, identifier task_name UNIQUE NOT NULL);
CREATE TABLE jobs (
  id uuid PRIMARY KEY,
  task_id int NOT NULL REFERENCES tasks,
  payload json NOT NULL DEFAULT '{}',
  priority smallint NOT NULL DEFAULT 0,
  run_at timestamptz NOT NULL DEFAULT now(),
  attempts smallint NOT NULL DEFAULT 0,
  max_attempts smallint NOT NULL DEFAULT 25,
  locked_by text,
  is_available boolean NOT NULL GENERATED ALWAYS AS (locked_by IS NULL AND attempts < max_attempts) STORED
);
CREATE INDEX ON jobs (priority, run_at) WHERE is_available;
CREATE TABLE done (id uuid PRIMARY KEY, attempts smallint NOT NULL);

CREATE FUNCTION add_job(job uuid, identifier task_name, payload json DEFAULT '{}') RETURNS jobs
LANGUAGE plpgsql AS $$
DECLARE
  made jobs;
BEGIN
  INSERT INTO tasks (identifier) VALUES (add_job.identifier) ON CONFLICT DO NOTHING;
  INSERT INTO jobs (id, task_id, payload)
    SELECT job, t.id, add_job.payload FROM tasks AS t WHERE t.identifier = add_job.identifier
    RETURNING * INTO made;
  RETURN made;
END $$;

CREATE FUNCTION get_job(worker text) RETURNS SETOF jobs LANGUAGE sql
BEGIN ATOMIC
  UPDATE jobs AS j SET locked_by = worker, attempts = j.attempts + 1
  WHERE j.id = (
    SELECT id FROM jobs WHERE is_available AND run_at <= now()
    ORDER BY priority, run_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING j.*;
END;

CREATE FUNCTION complete_job(worker text, job uuid) RETURNS SETOF uuid LANGUAGE sql AS $$
  WITH gone AS (DELETE FROM jobs WHERE id = job AND locked_by = worker RETURNING id, attempts)
  INSERT INTO done SELECT id, attempts FROM gone RETURNING id;
$$;

CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('jobs:insert', '{}');
  RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER INSERT ON jobs FOR EACH STATEMENT EXECUTE FUNCTION tell();

-- name: add
-- param: id = uuid()
-- param: task = uniform(1, :keys)
SELECT id FROM add_job(CAST(:id AS uuid), 'task-' || CAST(:task AS int));

-- name: work
-- returning: id as job, or end
SELECT id FROM get_job('worker-' || CAST(:client_id AS int));
-- expect: rows = 1
SELECT complete_job('worker-' || CAST(:client_id AS int), CAST(:job AS uuid));

-- invariant: every job that was added is waiting or done, once
-- acknowledged: add.id
SELECT id FROM jobs UNION ALL SELECT id FROM done;

-- invariant: no job is locked, and each that is done was tried once
SELECT NOT EXISTS (SELECT FROM jobs WHERE locked_by IS NOT NULL) AND NOT EXISTS (SELECT FROM done WHERE attempts <> 1);
