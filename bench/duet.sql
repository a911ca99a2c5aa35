-- workload: work
-- setting: rows = 2000
-- schema
CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL);
-- preload
INSERT INTO account SELECT g, 0 FROM generate_series(1, 1000) g;
-- name: pay
-- param: id = uniform(1, 1000)
UPDATE account SET balance = balance + 1 WHERE id = :id;
SELECT count(*) FROM generate_series(1, :rows);
