CREATE SCHEMA "train_sim";

CREATE TABLE "train_sim"."train-sim namespace, version 1, workload accounts:" (id integer PRIMARY KEY);

CREATE TABLE "train_sim".pgbench_branches (
  bid int PRIMARY KEY,
  bbalance int,
  filler char(88)
);

CREATE TABLE "train_sim".pgbench_tellers (
  tid int PRIMARY KEY,
  bid int,
  tbalance int,
  filler char(84)
);

CREATE TABLE "train_sim".pgbench_accounts (
  aid int PRIMARY KEY,
  bid int,
  abalance int,
  filler char(84)
);

CREATE TABLE "train_sim".pgbench_history (
  id uuid PRIMARY KEY,
  tid int,
  bid int,
  aid int,
  delta int,
  mtime timestamp,
  filler char(22)
);

UPDATE "train_sim".pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2;

SELECT abalance FROM "train_sim".pgbench_accounts WHERE aid = $1;

UPDATE "train_sim".pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2;

SELECT tbalance FROM "train_sim".pgbench_tellers WHERE tid = $1;

UPDATE "train_sim".pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2;

SELECT bbalance FROM "train_sim".pgbench_branches WHERE bid = $1;

INSERT INTO "train_sim".pgbench_history (id, tid, bid, aid, delta, mtime)
VALUES ($1, $2, $3, $4, $5, CURRENT_TIMESTAMP);

SELECT 1 FROM "train_sim".pgbench_history WHERE id = $1;

INSERT INTO "train_sim".pgbench_branches (bid, bbalance, filler) SELECT n, 0, '' FROM generate_series(1, 1) AS n;

INSERT INTO "train_sim".pgbench_tellers (tid, bid, tbalance, filler) SELECT n, (n - 1) / 10 + 1, 0, '' FROM generate_series(1, 10) AS n;

INSERT INTO "train_sim".pgbench_accounts (aid, bid, abalance, filler) SELECT n, (n - 1) / 100000 + 1, 0, '' FROM generate_series(1, 1000) AS n;

ANALYZE "train_sim".pgbench_branches;

ANALYZE "train_sim".pgbench_tellers;

ANALYZE "train_sim".pgbench_accounts;

BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

DECLARE portions NO SCROLL CURSOR FOR SELECT id, tid, bid, aid, delta FROM "train_sim".pgbench_history;

FETCH 5000 FROM portions;

CLOSE portions;

WITH due AS (SELECT n AS id, true AS is_due FROM generate_series(1, 100000) AS n),
  present AS (SELECT aid AS id, count(*) AS copies, sum(abalance) AS balance FROM "train_sim".pgbench_accounts GROUP BY aid),
  booked AS (SELECT aid AS id, sum(delta) AS added FROM "train_sim".pgbench_history GROUP BY aid)
SELECT id, is_due AS "isDue", copies, balance, coalesce(added, 0) AS added, count(*) OVER () AS total
FROM due FULL JOIN present USING (id) FULL JOIN booked USING (id)
WHERE is_due IS NULL OR copies IS DISTINCT FROM 1 OR balance IS DISTINCT FROM coalesce(added, 0)
ORDER BY id LIMIT 20;

WITH due AS (SELECT n AS id, true AS is_due FROM generate_series(1, 10) AS n),
  present AS (SELECT tid AS id, count(*) AS copies, sum(tbalance) AS balance FROM "train_sim".pgbench_tellers GROUP BY tid),
  booked AS (SELECT tid AS id, sum(delta) AS added FROM "train_sim".pgbench_history GROUP BY tid)
SELECT id, is_due AS "isDue", copies, balance, coalesce(added, 0) AS added, count(*) OVER () AS total
FROM due FULL JOIN present USING (id) FULL JOIN booked USING (id)
WHERE is_due IS NULL OR copies IS DISTINCT FROM 1 OR balance IS DISTINCT FROM coalesce(added, 0)
ORDER BY id LIMIT 20;

WITH due AS (SELECT n AS id, true AS is_due FROM generate_series(1, 1) AS n),
  present AS (SELECT bid AS id, count(*) AS copies, sum(bbalance) AS balance FROM "train_sim".pgbench_branches GROUP BY bid),
  booked AS (SELECT bid AS id, sum(delta) AS added FROM "train_sim".pgbench_history GROUP BY bid)
SELECT id, is_due AS "isDue", copies, balance, coalesce(added, 0) AS added, count(*) OVER () AS total
FROM due FULL JOIN present USING (id) FULL JOIN booked USING (id)
WHERE is_due IS NULL OR copies IS DISTINCT FROM 1 OR balance IS DISTINCT FROM coalesce(added, 0)
ORDER BY id LIMIT 20;

COMMIT;
