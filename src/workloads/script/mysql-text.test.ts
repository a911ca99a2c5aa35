// Statements of MySQL and MariaDB are cut as their server cuts them.
import { describe, expect, it } from "vitest";
import { readSqlFile } from "../sql-file/read-sql-file.js";
import { sqlLiteral } from "./machine.js";
import { tableNames } from "./made.js";
import { statementProblem } from "./statement-rules.js";
import { parametrisedSql, statementsIn } from "./sql-text.js";

const cut = (text: string) => statementsIn(text, undefined, "mysql");
const sent = (text: string): string[] => cut(text).statements.map((each) => parametrisedSql(each));

describe("SQL of MySQL", () => {
  it.each([
    ["SELECT :a, :b, :a", ["SELECT ?, ?, ?"]],
    [String.raw`SELECT 'it\'s; :a', :a`, [String.raw`SELECT 'it\'s; :a', ?`]],
    [String.raw`SELECT "a\"; :a"; SELECT :a`, [String.raw`SELECT "a\"; :a"`, "SELECT ?"]],
    ["SELECT `a;:b` FROM `c``;d`; SELECT 2", ["SELECT `a;:b` FROM `c``;d`", "SELECT 2"]],
    ["SELECT 1 # one; :a\n, 2; SELECT 3", ["SELECT 1 # one; :a\n, 2", "SELECT 3"]],
    ["SELECT 5--3, :a -- end; :b", ["SELECT 5--3, ?"]],
    ["SELECT 1 /* a /* b; */, 2", ["SELECT 1 /* a /* b; */, 2"]],
    ["SELECT $$a; SELECT :b", ["SELECT $$a", "SELECT ?"]],
    ["SET @a := 1; SELECT @a", ["SET @a := 1", "SELECT @a"]],
  ])("cuts %s at its semicolons and variables", (text, statements) => {
    expect(sent(text)).toEqual(statements);
  });

  it("keeps the body of a routine together", () => {
    const routine = `CREATE DEFINER = CURRENT_USER PROCEDURE pay(a int)
BEGIN
  IF a > 0 THEN UPDATE t SET n = CASE WHEN a = 1 THEN 1 ELSE 2 END; END IF;
  WHILE a > 0 DO SET a = a - 1; END WHILE;
END`;
    expect(sent(`${routine};\nSELECT 1`)).toEqual([routine, "SELECT 1"]);
  });

  it("keeps BEGIN, END and IF of other statements apart", () => {
    expect(sent("SELECT IF(a, 1, 2) FROM t; SELECT CASE a WHEN 1 THEN 2 END; SELECT 1")).toHaveLength(3);
  });

  it.each([
    [String.raw`SELECT 'a\'`, "'"],
    ["SELECT `a", "`"],
    ["SELECT 1 /* a", "/*"],
  ])("names the quote of %s that does not end", (text, what) => {
    expect(cut(text).unended?.what).toBe(what);
  });

  it.each([
    ["DELIMITER //", "DELIMITER is a command of the program mysql"],
    ["CREATE TABLE b (id int)", "commits the transaction that it is in"],
    ["USE other", "USE OTHER outlives its transaction"],
    ["SET GLOBAL max_connections = 9", "SET GLOBAL outlives"],
    ["DROP DATABASE other", "DROP DATABASE"],
    ["COMMIT", "one transaction already"],
  ])("refuses %s in a transaction", (text, message) => {
    const [statement] = cut(text).statements;
    expect(statement && statementProblem(statement, true)).toContain(message);
  });

  it("refuses DDL in another schema, named with backticks", () => {
    const [statement] = cut("CREATE TABLE `other`.`account` (id int)").statements;
    expect(statement && statementProblem(statement, false)).toContain("write `account`");
  });

  it("knows the tables that quoted statements make", () => {
    const { statements } = cut("CREATE TABLE account (a text DEFAULT 'it\\'s; '); CREATE TABLE b (id int)");
    expect(tableNames(statements)).toEqual(["account", "b"]);
  });

  it("escapes the text of a setting", () => {
    expect(sqlLiteral("it's a \\ $", "mysql")).toBe(String.raw`'it''s a \\ $'`);
  });
});

it("a file for MySQL is read with its comments and quotes, and changes nothing for PostgreSQL", () => {
  const file = `-- schema
CREATE TABLE note (id int AUTO_INCREMENT PRIMARY KEY, body varchar(99) DEFAULT 'it\\'s'); # the only one
-- name: write
-- param: body = 'x'
INSERT INTO note (body) VALUES (:body);
`;
  const read = readSqlFile(file, "note.sql", "mysql");
  expect("program" in read && read.program.schema).toHaveLength(1);
  expect("program" in read && read.program.syntax).toBe("mysql");
  expect("problems" in readSqlFile(file, "note.sql")).toBe(true);
});
