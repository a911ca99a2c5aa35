import { expect, it } from "vitest";
import { tableNames } from "./made.js";
import { statementsIn } from "./sql-text.js";

it.each([
  ["CREATE TABLE a (id int); CREATE UNLOGGED TABLE IF NOT EXISTS b(id int)", ["a", "b"]],
  ["CREATE /* a */ /* b */ TABLE -- c\n a (id int)", ["a"]],
  ['CREATE TABLE "a, b" (id int); CREATE VIEW v AS SELECT 1; CREATE TEMP TABLE t (id int)', ['"a, b"']],
  ["CREATE TABLE a (id int); ALTER TABLE IF EXISTS ONLY a RENAME TO b; ALTER TABLE b RENAME id TO n", ["b"]],
  ["CREATE TABLE a (); CREATE TABLE b (); CREATE TABLE c (); DROP TABLE IF EXISTS a, c CASCADE", ["b"]],
])("tableNames finds the tables that exist after %s", (sql, names) => {
  expect(tableNames(statementsIn(sql).statements)).toEqual(names);
});
