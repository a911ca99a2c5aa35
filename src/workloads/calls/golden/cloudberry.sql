CREATE SCHEMA "train_sim";

COMMENT ON SCHEMA "train_sim" IS 'train-sim namespace, version 1, calls five: created by train-sim and dropped by it';

CREATE TABLE "train_sim".cell_towers (
  cell_tower_id int PRIMARY KEY,
  tower_name text,
  region text
)
DISTRIBUTED REPLICATED;

CREATE TABLE "train_sim".rate_plans (
  rate_plan_id int PRIMARY KEY,
  plan_name text
)
DISTRIBUTED REPLICATED;

CREATE TABLE "train_sim".termination_reasons (
  termination_code int PRIMARY KEY,
  reason text
)
DISTRIBUTED REPLICATED;

CREATE TABLE "train_sim".cdr (
  call_id text,
  call_timestamp timestamp,
  call_date date,
  call_hour int,
  caller_number text,
  callee_number text,
  duration_seconds int,
  cell_tower_id int,
  call_type text,
  network_type text,
  bytes_transferred bigint,
  termination_code int,
  billing_amount numeric,
  rate_plan_id int,
  is_roaming boolean,
  signal_quality int
)
DISTRIBUTED BY (call_id);

CREATE INDEX cdr_call_timestamp ON "train_sim".cdr (call_timestamp);

CREATE INDEX cdr_caller_number ON "train_sim".cdr (caller_number);

CREATE INDEX cdr_callee_number ON "train_sim".cdr (callee_number);

CREATE INDEX cdr_cell_tower_id ON "train_sim".cdr (cell_tower_id);

CREATE INDEX cdr_call_date ON "train_sim".cdr (call_date);

CREATE INDEX cdr_call_timestamp ON "train_sim".cdr USING brin (call_timestamp);

-- storage: unlogged

CREATE UNLOGGED TABLE "train_sim".cdr (
  call_id text,
  call_timestamp timestamp,
  call_date date,
  call_hour int,
  caller_number text,
  callee_number text,
  duration_seconds int,
  cell_tower_id int,
  call_type text,
  network_type text,
  bytes_transferred bigint,
  termination_code int,
  billing_amount numeric,
  rate_plan_id int,
  is_roaming boolean,
  signal_quality int
)
DISTRIBUTED BY (call_id);

-- storage: partitioned

CREATE TABLE "train_sim".cdr (
  call_id text,
  call_timestamp timestamp,
  call_date date,
  call_hour int,
  caller_number text,
  callee_number text,
  duration_seconds int,
  cell_tower_id int,
  call_type text,
  network_type text,
  bytes_transferred bigint,
  termination_code int,
  billing_amount numeric,
  rate_plan_id int,
  is_roaming boolean,
  signal_quality int
) PARTITION BY RANGE (call_timestamp)
DISTRIBUTED BY (call_id);

CREATE TABLE "train_sim".cdr_00 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 00:00:00') TO ('2025-01-01 01:00:00');

CREATE TABLE "train_sim".cdr_01 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 01:00:00') TO ('2025-01-01 02:00:00');

CREATE TABLE "train_sim".cdr_02 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 02:00:00') TO ('2025-01-01 03:00:00');

CREATE TABLE "train_sim".cdr_03 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 03:00:00') TO ('2025-01-01 04:00:00');

CREATE TABLE "train_sim".cdr_04 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 04:00:00') TO ('2025-01-01 05:00:00');

CREATE TABLE "train_sim".cdr_05 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 05:00:00') TO ('2025-01-01 06:00:00');

CREATE TABLE "train_sim".cdr_06 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 06:00:00') TO ('2025-01-01 07:00:00');

CREATE TABLE "train_sim".cdr_07 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 07:00:00') TO ('2025-01-01 08:00:00');

CREATE TABLE "train_sim".cdr_08 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 08:00:00') TO ('2025-01-01 09:00:00');

CREATE TABLE "train_sim".cdr_09 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 09:00:00') TO ('2025-01-01 10:00:00');

CREATE TABLE "train_sim".cdr_10 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 10:00:00') TO ('2025-01-01 11:00:00');

CREATE TABLE "train_sim".cdr_11 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 11:00:00') TO ('2025-01-01 12:00:00');

CREATE TABLE "train_sim".cdr_12 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 12:00:00') TO ('2025-01-01 13:00:00');

CREATE TABLE "train_sim".cdr_13 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 13:00:00') TO ('2025-01-01 14:00:00');

CREATE TABLE "train_sim".cdr_14 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 14:00:00') TO ('2025-01-01 15:00:00');

CREATE TABLE "train_sim".cdr_15 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 15:00:00') TO ('2025-01-01 16:00:00');

CREATE TABLE "train_sim".cdr_16 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 16:00:00') TO ('2025-01-01 17:00:00');

CREATE TABLE "train_sim".cdr_17 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 17:00:00') TO ('2025-01-01 18:00:00');

CREATE TABLE "train_sim".cdr_18 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 18:00:00') TO ('2025-01-01 19:00:00');

CREATE TABLE "train_sim".cdr_19 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 19:00:00') TO ('2025-01-01 20:00:00');

CREATE TABLE "train_sim".cdr_20 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 20:00:00') TO ('2025-01-01 21:00:00');

CREATE TABLE "train_sim".cdr_21 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 21:00:00') TO ('2025-01-01 22:00:00');

CREATE TABLE "train_sim".cdr_22 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 22:00:00') TO ('2025-01-01 23:00:00');

CREATE TABLE "train_sim".cdr_23 PARTITION OF "train_sim".cdr
  FOR VALUES FROM ('2025-01-01 23:00:00') TO ('2025-01-01 24:00:00');

CREATE TABLE "train_sim".cdr_later PARTITION OF "train_sim".cdr DEFAULT;

-- storage: ao-row

CREATE TABLE "train_sim".cdr (
  call_id text,
  call_timestamp timestamp,
  call_date date,
  call_hour int,
  caller_number text,
  callee_number text,
  duration_seconds int,
  cell_tower_id int,
  call_type text,
  network_type text,
  bytes_transferred bigint,
  termination_code int,
  billing_amount numeric,
  rate_plan_id int,
  is_roaming boolean,
  signal_quality int
)
WITH (appendoptimized = true, orientation = row, compresstype = zstd, compresslevel = 5)
DISTRIBUTED BY (call_id);

-- storage: ao-column

CREATE TABLE "train_sim".cdr (
  call_id text,
  call_timestamp timestamp,
  call_date date,
  call_hour int,
  caller_number text,
  callee_number text,
  duration_seconds int,
  cell_tower_id int,
  call_type text,
  network_type text,
  bytes_transferred bigint,
  termination_code int,
  billing_amount numeric,
  rate_plan_id int,
  is_roaming boolean,
  signal_quality int
)
WITH (appendoptimized = true, orientation = column, compresstype = zstd, compresslevel = 5)
DISTRIBUTED BY (call_id);

-- storage: pax

CREATE TABLE "train_sim".cdr (
  call_id text,
  call_timestamp timestamp,
  call_date date,
  call_hour int,
  caller_number text,
  callee_number text,
  duration_seconds int,
  cell_tower_id int,
  call_type text,
  network_type text,
  bytes_transferred bigint,
  termination_code int,
  billing_amount numeric,
  rate_plan_id int,
  is_roaming boolean,
  signal_quality int
)
USING pax WITH (
  storage_format = 'porc',
  compresstype = zstd, compresslevel = 5,
  minmax_columns = 'call_date,call_hour,caller_number,callee_number,duration_seconds,cell_tower_id,call_type,termination_code,billing_amount',
  bloomfilter_columns = 'call_id,caller_number,callee_number',
  cluster_type = 'zorder',
  cluster_columns = 'call_date,cell_tower_id'
)
DISTRIBUTED BY (call_id);

-- storage: pax-no-cluster

CREATE TABLE "train_sim".cdr (
  call_id text,
  call_timestamp timestamp,
  call_date date,
  call_hour int,
  caller_number text,
  callee_number text,
  duration_seconds int,
  cell_tower_id int,
  call_type text,
  network_type text,
  bytes_transferred bigint,
  termination_code int,
  billing_amount numeric,
  rate_plan_id int,
  is_roaming boolean,
  signal_quality int
)
USING pax WITH (
  storage_format = 'porc',
  compresstype = zstd, compresslevel = 5,
  minmax_columns = 'call_date,call_hour,caller_number,callee_number,duration_seconds,cell_tower_id,call_type,termination_code,billing_amount',
  bloomfilter_columns = 'call_id,caller_number,callee_number'
)
DISTRIBUTED BY (call_id);

CLUSTER "train_sim".cdr;

-- load.copy
COPY "train_sim".cdr (call_id, call_timestamp, call_date, call_hour, caller_number, callee_number, duration_seconds, cell_tower_id, call_type, network_type, bytes_transferred, termination_code, billing_amount, rate_plan_id, is_roaming, signal_quality) FROM STDIN;

-- load.insert
INSERT INTO "train_sim".cdr (call_id, call_timestamp, call_date, call_hour, caller_number, callee_number, duration_seconds, cell_tower_id, call_type, network_type, bytes_transferred, termination_code, billing_amount, rate_plan_id, is_roaming, signal_quality)
SELECT * FROM unnest($1::text[], $2::timestamp[], $3::date[], $4::int[], $5::text[], $6::text[], $7::int[], $8::int[], $9::text[], $10::text[], $11::bigint[], $12::int[], $13::numeric[], $14::int[], $15::boolean[], $16::int[]);

-- load.settle
SELECT 1 FROM "train_sim".cdr WHERE call_id = $1 LIMIT 1;

-- probe.last-hour
SELECT count(*), avg(duration_seconds), sum(billing_amount) FROM "train_sim".cdr
WHERE call_timestamp > (SELECT max(call_timestamp) FROM "train_sim".cdr) - interval '1 hour';

-- probe.caller
SELECT call_id, callee_number, duration_seconds FROM "train_sim".cdr
WHERE caller_number = $1 ORDER BY call_timestamp DESC LIMIT 100;

-- probe.time-and-tower
SELECT count(*), sum(bytes_transferred) FROM "train_sim".cdr
WHERE call_timestamp >= $1 AND call_timestamp < $2 AND cell_tower_id = $3;

-- probe.top-towers
SELECT tower_name, calls, seconds
FROM (SELECT cell_tower_id, count(*) AS calls, sum(duration_seconds) AS seconds FROM "train_sim".cdr
  GROUP BY cell_tower_id ORDER BY calls DESC, cell_tower_id LIMIT 10) AS busiest
JOIN "train_sim".cell_towers USING (cell_tower_id) ORDER BY calls DESC, cell_tower_id;

-- probe.plans-and-reasons
SELECT plan_name, reason, count(*) AS calls, sum(billing_amount) AS amount
FROM "train_sim".cdr JOIN "train_sim".rate_plans USING (rate_plan_id) JOIN "train_sim".termination_reasons USING (termination_code)
WHERE call_timestamp > (SELECT max(call_timestamp) FROM "train_sim".cdr) - interval '1 hour'
GROUP BY plan_name, reason ORDER BY calls DESC, plan_name, reason LIMIT 10;

-- audit
SELECT substring(call_id FROM '^c([0-9]{1,9})-')::int AS batch, count(*) AS rows,
  sum(('x' || left(md5(concat_ws('|', quote_nullable(call_id), extract(epoch FROM call_timestamp), extract(epoch FROM call_date), call_hour, quote_nullable(caller_number), quote_nullable(callee_number), duration_seconds, cell_tower_id, quote_nullable(call_type), quote_nullable(network_type), coalesce(bytes_transferred::text, ''), termination_code, billing_amount, rate_plan_id, is_roaming, signal_quality)), 8))::bit(32)::bigint) AS sum
FROM "train_sim".cdr GROUP BY 1;

-- audit
SELECT key, sum(greatest(made - found, 0)) AS made, sum(greatest(found - made, 0)) AS found
FROM (SELECT cell_tower_id AS key, count(*) FILTER (WHERE is_made) AS made, count(*) FILTER (WHERE NOT is_made) AS found
  FROM (SELECT true AS is_made, made.* FROM (SELECT n, 'tower ' || n, 'region ' || n % 50 FROM generate_series(1, 10000) AS n) AS made (cell_tower_id, tower_name, region)
    UNION ALL SELECT false, cell_tower_id, tower_name, region FROM "train_sim".cell_towers) AS rows_of_both
  GROUP BY cell_tower_id, tower_name, region) AS counted
WHERE made <> found GROUP BY key ORDER BY key;

-- audit
SELECT key, sum(greatest(made - found, 0)) AS made, sum(greatest(found - made, 0)) AS found
FROM (SELECT rate_plan_id AS key, count(*) FILTER (WHERE is_made) AS made, count(*) FILTER (WHERE NOT is_made) AS found
  FROM (SELECT true AS is_made, made.* FROM (SELECT n, 'plan ' || n FROM generate_series(1, 50) AS n) AS made (rate_plan_id, plan_name)
    UNION ALL SELECT false, rate_plan_id, plan_name FROM "train_sim".rate_plans) AS rows_of_both
  GROUP BY rate_plan_id, plan_name) AS counted
WHERE made <> found GROUP BY key ORDER BY key;

-- audit
SELECT key, sum(greatest(made - found, 0)) AS made, sum(greatest(found - made, 0)) AS found
FROM (SELECT termination_code AS key, count(*) FILTER (WHERE is_made) AS made, count(*) FILTER (WHERE NOT is_made) AS found
  FROM (SELECT true AS is_made, made.* FROM (SELECT n, 'reason ' || n FROM generate_series(1, 20) AS n) AS made (termination_code, reason)
    UNION ALL SELECT false, termination_code, reason FROM "train_sim".termination_reasons) AS rows_of_both
  GROUP BY termination_code, reason) AS counted
WHERE made <> found GROUP BY key ORDER BY key;

-- audit
SELECT sum(pg_total_relation_size(c.oid)) AS bytes
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
WHERE nspname = $1 AND relkind = 'r' AND relname ~ '^cdr(_|$)';
