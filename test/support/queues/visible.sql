-- A queue in the manner of pgmq: a table and an archive for each queue, made by a function, and messages that are invisible for
-- a while after they were read.
-- workload: visible

-- schema
CREATE TYPE message_record AS (msg_id bigint, read_ct int, vt timestamptz, message jsonb);
CREATE TABLE meta (queue_name varchar UNIQUE NOT NULL, created_at timestamptz NOT NULL DEFAULT now());

CREATE FUNCTION "create"(queue text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I (msg_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    read_ct int NOT NULL DEFAULT 0, vt timestamptz NOT NULL, message jsonb)', 'q_' || queue);
  EXECUTE format('CREATE TABLE %I (msg_id bigint PRIMARY KEY, read_ct int NOT NULL,
    archived_at timestamptz NOT NULL DEFAULT now(), message jsonb)', 'a_' || queue);
  EXECUTE format('CREATE INDEX ON %I (vt)', 'q_' || queue);
  INSERT INTO meta VALUES (queue);
END $$;

CREATE FUNCTION send(queue text, message jsonb, delay int DEFAULT 0) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'INSERT INTO %I (vt, message) VALUES (clock_timestamp() + %L, $1) RETURNING msg_id',
    'q_' || queue, make_interval(secs => delay)) USING message;
END $$;

CREATE FUNCTION read(queue text, vt int, qty int) RETURNS SETOF message_record LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH next AS (
      SELECT msg_id FROM %1$I WHERE vt <= clock_timestamp() ORDER BY msg_id LIMIT $1 FOR UPDATE SKIP LOCKED
    )
    UPDATE %1$I AS m SET vt = clock_timestamp() + $2, read_ct = read_ct + 1
    FROM next WHERE m.msg_id = next.msg_id
    RETURNING m.msg_id, m.read_ct, m.vt, m.message
  $q$, 'q_' || queue) USING qty, make_interval(secs => vt);
END $$;

CREATE FUNCTION archive(queue text, msg bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH gone AS (DELETE FROM %I WHERE msg_id = $1 RETURNING msg_id, read_ct, message)
    INSERT INTO %I (msg_id, read_ct, message) SELECT msg_id, read_ct, message FROM gone RETURNING msg_id
  $q$, 'q_' || queue, 'a_' || queue) USING msg;
END $$;

SELECT "create"('orders');

-- name: send
-- param: id = uuid()
SELECT send('orders', jsonb_build_object('id', CAST(:id AS text)));

-- name: work
-- returning: msg_id as msg, or end
SELECT msg_id FROM read('orders', 30, 1);
-- expect: rows = 1
SELECT archive('orders', CAST(:msg AS bigint));

-- invariant: every message that was sent is in the queue or in the archive, once
-- acknowledged: send.id
SELECT message->>'id' FROM q_orders UNION ALL SELECT message->>'id' FROM a_orders;

-- invariant: each message of the archive was read once
SELECT coalesce(bool_and(read_ct = 1), true) FROM a_orders;
