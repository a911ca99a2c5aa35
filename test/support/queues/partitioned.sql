-- A queue in the manner of pg-boss: one partition for each queue, made by a function, and states of an enum.
-- workload: partitioned
-- setting: queues = 3

-- schema
CREATE TYPE job_state AS ENUM ('created', 'retry', 'active', 'completed', 'failed');
CREATE TABLE queue (name text PRIMARY KEY, retry_limit int NOT NULL DEFAULT 2, partition text NOT NULL);
CREATE TABLE job (
  id uuid NOT NULL,
  name text NOT NULL REFERENCES queue,
  priority int NOT NULL DEFAULT 0,
  data jsonb,
  state job_state NOT NULL DEFAULT 'created',
  retry_count int NOT NULL DEFAULT 0,
  start_after timestamptz NOT NULL DEFAULT now(),
  completed_on timestamptz,
  PRIMARY KEY (name, id)
) PARTITION BY LIST (name);

CREATE FUNCTION create_queue(queue_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  part text := 'j_' || md5(queue_name);
BEGIN
  INSERT INTO queue (name, partition) VALUES (queue_name, part);
  EXECUTE format('CREATE TABLE %I (LIKE job INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
  EXECUTE format('CREATE INDEX ON %I (priority DESC, start_after) WHERE state < ''active''', part);
  EXECUTE format('ALTER TABLE job ATTACH PARTITION %I FOR VALUES IN (%L)', part, queue_name);
END $$;

-- A job that is over stays over.
CREATE FUNCTION keep_completed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state = 'completed' THEN RAISE EXCEPTION 'job % is completed', OLD.id; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_completed BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION keep_completed();

CREATE VIEW waiting AS SELECT name, count(*) AS jobs FROM job WHERE state < 'active' GROUP BY name;

-- preload
SELECT create_queue('queue-' || n) FROM generate_series(1, :queues) AS n;

-- name: send
-- param: id = uuid()
-- param: queue = uniform(1, :queues)
INSERT INTO job (id, name, data) VALUES (:id, 'queue-' || CAST(:queue AS int), '{"n": 1}');

-- name: work
-- param: queue = uniform(1, :queues)
-- returning: id as job, or end
WITH next AS (
  SELECT id FROM job
  WHERE name = 'queue-' || CAST(:queue AS int) AND state < 'active' AND start_after <= now()
  ORDER BY priority DESC, start_after
  LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE job SET state = 'active', retry_count = retry_count + 1
FROM next WHERE job.id = next.id AND job.name = 'queue-' || CAST(:queue AS int)
RETURNING job.id;
-- expect: rows = 1
UPDATE job SET state = 'completed', completed_on = now() WHERE id = CAST(:job AS uuid) AND state = 'active';

-- invariant: every job that was sent is there once
-- acknowledged: send.id
SELECT id FROM job;

-- invariant: no job is left active or was taken twice
SELECT NOT EXISTS (SELECT FROM job WHERE state = 'active' OR retry_count > 1);
