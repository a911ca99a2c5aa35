import { expect, it } from "vitest";
import type { PoolSettings } from "../../pools/registry.js";
import { readSqlFile } from "../sql-file/read-sql-file.js";
import { sessionObjections } from "./session-state.js";

function objectionsTo(sql: string, pool: object): string[] {
  const read = readSqlFile(sql, "x.sql");
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return sessionObjections(read.program, "x.sql", pool as PoolSettings).map(({ words }) => words);
}

const POOLER = { strategy: "pgbouncer", mode: "transaction", size: 2, urls: [] };

it("objects to each kind of state that a statement leaves in a session of a pooler, once", () => {
  const sql = `-- schema
CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_lock(1) $$;
-- name: a
SELECT pg_try_advisory_lock_shared(1);
CREATE TEMP TABLE t (id int);
CREATE TEMPORARY TABLE u (id int);
SELECT set_config('work_mem', '8MB', false);
DECLARE c CURSOR WITH HOLD FOR SELECT 1;
`;
  expect(objectionsTo(sql, POOLER)).toEqual([
    "pgbouncer gives a session to another client after each transaction; " +
      "x.sql:2:1 takes an advisory lock of its session: use pg_advisory_xact_lock; " +
      "x.sql:5:1 makes a temporary table that stays in its session: write ON COMMIT DROP; " +
      "x.sql:7:1 sets a parameter of its session: use SET LOCAL, or set_config with true; " +
      "x.sql:8:1 leaves a prepared statement or a cursor in its session: use prepared: true, or a cursor of the transaction",
  ]);
  expect(objectionsTo(sql, { strategy: "pg-pool", size: 2 })).toHaveLength(1);
  expect(objectionsTo(sql, { ...POOLER, mode: "session" })).toEqual([]);
  expect(objectionsTo(sql, { strategy: "direct", reconnect: "never" })).toEqual([]);
});

it("has no objection to state that ends with its transaction", () => {
  const sql = `-- name: a
SELECT pg_advisory_xact_lock(1), pg_try_advisory_xact_lock(2);
CREATE TEMP TABLE t (id int) ON COMMIT DROP;
SET LOCAL work_mem = '8MB';
SELECT set_config('work_mem', '8MB', true);
UPDATE t SET id = 1;
`;
  expect(objectionsTo(sql, POOLER)).toEqual([]);
});
