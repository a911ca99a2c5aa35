CREATE SCHEMA "train_sim";

CREATE TABLE "train_sim"."train-sim namespace, version 1, workload connections:" (id integer PRIMARY KEY);

CREATE TABLE "train_sim".pgbench_accounts (
  aid int PRIMARY KEY,
  bid int,
  abalance int,
  filler char(84)
);

CREATE TABLE "train_sim".test_tbl (
  id bigint,
  name varchar
);

SELECT abalance FROM "train_sim".pgbench_accounts WHERE aid = $1;

INSERT INTO "train_sim".test_tbl (id, name) VALUES ($1, 'some random name');

INSERT INTO "train_sim".pgbench_accounts (aid, bid, abalance, filler) SELECT n, (n - 1) / 100000 + 1, 0, '' FROM generate_series(1, 1000) AS n;

ANALYZE "train_sim".pgbench_accounts;

BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;

DECLARE portions NO SCROLL CURSOR FOR SELECT id, name FROM "train_sim".test_tbl;

FETCH 5000 FROM portions;

CLOSE portions;

COMMIT;
