import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Program } from "../script/program.js";
import { readSqlFile } from "./read-sql-file.js";

const BANK = readFileSync(new URL("../../../scenarios/bank.sql", import.meta.url), "utf8");

function programOf(text: string): Program {
  const read = readSqlFile(text, "my-file.sql");
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.program;
}

/** Problems as `line:column message`. */
function problemsOf(text: string): string[] {
  const read = readSqlFile(text, "x.sql");
  return "problems" in read
    ? read.problems.map(({ place, message }) => `${place.line}:${place.column} ${message}`)
    : [];
}

it("reads settings, tables, transactions and invariants of bank.sql", () => {
  const bank = programOf(BANK);
  expect(bank).toMatchObject({ name: "bank", settings: [{ name: "accounts", value: 1000 }] });
  expect(bank.schema).toHaveLength(2);
  expect(bank.preload.map(({ variables }) => variables)).toEqual([["accounts"]]);
  expect(bank.transactions).toMatchObject([
    { name: "pay", weight: 9, isReadOnly: false, isWhole: true },
    { name: "look", weight: 1, isReadOnly: true },
  ]);
  expect(bank.transactions[0]?.parameters.map(({ variable }) => variable)).toEqual([
    "id",
    "src",
    "dst",
    "amount",
  ]);
  expect(bank.transactions[0]?.steps).toMatchObject([
    { variables: ["id", "src", "dst", "amount"] },
    { variables: ["amount", "src"], expect: { operator: "=", rows: 1 } },
    { variables: ["amount", "dst"], expect: { operator: "=", rows: 1 } },
  ]);
  expect(bank.invariants.map(({ name, acknowledged }) => [name, acknowledged])).toEqual([
    ["money is conserved", undefined],
    ["every acknowledged payment is there", { transaction: "pay", variable: "id" }],
    ["balances are what the transfers made them", undefined],
  ]);
});

it("reads variants, each with its own schema and preload, up to the next transaction", () => {
  const { schema, preload, variants, transactions } = programOf(
    "-- schema\nCREATE TABLE t (a int);\n-- variant: none\n-- variant: partial\n-- schema\nCREATE INDEX ON t (a) WHERE a > 1;\n" +
      "-- preload\nINSERT INTO t VALUES (1);\n-- name: look\nSELECT a FROM t",
  );
  expect([schema.length, preload.length, transactions.length]).toEqual([1, 0, 1]);
  expect(variants?.map((each) => [each.name, each.schema.length, each.preload.length])).toEqual([
    ["none", 0, 0],
    ["partial", 1, 1],
  ]);
});

it("reads `or end`, `counts: rows` and a name that begins with a digit", () => {
  const { transactions } = programOf(
    "-- name: 06-claim\n-- returning: id as job, or end\nSELECT 1 AS id;\n-- returning: or end\n-- counts: rows\nUPDATE t SET a = 1 WHERE id = :job",
  );
  expect(transactions).toMatchObject([
    {
      name: "06-claim",
      steps: [
        { bindings: [{ column: "id", variable: "job" }], orEnd: true },
        { bindings: [], orEnd: true, countsRows: true },
      ],
    },
  ]);
});

it("reads commits and pauses: a part of several statements, or whose answer is looked at, has a BEGIN", () => {
  const [claim, look] = programOf(`-- name: claim
-- param: pause = 3
-- returning: id as job, or end
UPDATE jobs SET state = 'taken' RETURNING id;
-- commit
-- sleep: 5ms
UPDATE jobs SET state = 'done' WHERE id = :job;
-- sleep: :pause ms
INSERT INTO log VALUES (:job);
-- commit
DELETE FROM jobs;
-- name: look
SELECT 1;
-- sleep: 1s
`).transactions;
  const kinds = (steps = claim?.steps ?? []): string[] =>
    steps.map((step) => ("does" in step ? step.does : step.kind));
  expect(claim?.isWhole).toBe(false);
  expect(kinds()).toEqual([
    ...["begin", "sql", "commit", "sleep", "begin", "sql", "sleep", "sql", "commit", "sql"],
  ]);
  expect(claim?.steps[3]).toMatchObject({ forMs: { kind: "constant", value: 5 } });
  expect(look?.isWhole).toBe(true);
  expect(kinds(look?.steps)).toEqual(["sql", "sleep"]);
});

it("refuses acknowledged ids that an empty poll may have written", () => {
  const text = (order: string): string =>
    `-- name: a\n-- param: id = uuid()\n${order}\n-- invariant: i\n-- acknowledged: a.id\nSELECT id FROM t`;
  const write = "INSERT INTO t VALUES (:id);";
  const claim = "-- returning: or end\nDELETE FROM jobs;";
  expect(problemsOf(text(`${claim}\n${write}`))).toEqual([]);
  expect(problemsOf(text(`${write}\n${claim}`))).toEqual([
    expect.stringContaining("a uses id above a statement that may end it") as string,
  ]);
});

it("names a workload after its file, and reads settings of every type", () => {
  const { name, settings } = programOf(
    "-- setting: a = 1.5\n-- setting: b = true\n-- setting: c = 'x y'\n-- setting: d = plain\n-- name: t\nSELECT 1",
  );
  expect(name).toBe("my-file");
  expect(settings.map(({ value }) => value)).toEqual([1.5, true, "x y", "plain"]);
});

it.each([
  ["bank.v2.sql", "bank-v2"],
  ["dir/my bank.sql", "my-bank"],
  ["b\u00e4nk.sql", "b-nk"],
  ["2026-payments.SQL", "payments"],
  ["\u9280.sql", "own"],
  [`${"a".repeat(80)}.sql`, "a".repeat(63)],
])("names the workload of file %s %s", (file, name) => {
  expect(readSqlFile("-- name: t\nSELECT 1", file)).toMatchObject({ program: { name } });
});

it("names foreign syntax of sqlc and pg_dump, with its remedy", () => {
  expect(problemsOf("-- name: GetOrders :many\nSELECT 1")).toEqual([
    expect.stringContaining(":many belongs to sqlc; write name: GetOrders"),
  ]);
  const inTransaction = "-- name: t\nSELECT pg_catalog.set_config('search_path', '', false)";
  expect(problemsOf(inTransaction)).toEqual([
    expect.stringContaining("set_config of search_path hides the tables of the workload; remove it"),
  ]);
});

it("lets a later statement use columns that an earlier statement returned", () => {
  const [transaction] = programOf(
    "-- name: t\n-- returning: balance as b, id\nSELECT id, balance FROM account;\nUPDATE account SET balance = :b WHERE id = :id;",
  ).transactions;
  expect(transaction?.steps).toMatchObject([
    {
      bindings: [
        { column: "balance", variable: "b" },
        { column: "id", variable: "id" },
      ],
    },
    { variables: ["b", "id"], bindings: [] },
  ]);
});

it("accepts DDL in the workload's schema, temporary tables and text that resembles DDL", () => {
  const all = [
    "CREATE TEMP TABLE s AS SELECT c.a FROM t c",
    "DROP TABLE pg_temp.s",
    "ALTER TABLE t ADD b text DEFAULT 'drop schema public'",
    "CREATE VIEW v AS SELECT t.a FROM t",
    "CREATE INDEX ON t ((lower(b)))",
    "INSERT INTO t (b) VALUES ('DROP TABLE other.x')",
  ];
  expect(problemsOf(`-- name: t\n${all.join(";\n")}`)).toEqual([]);
});

it("ignores text that resembles a directive in strings, function bodies and sentences", () => {
  const { transactions } = programOf(
    "-- name of what follows\n-- schema of the bank\n-- name: t\nSELECT '-- name: x', $$\n-- name: y\n$$ -- note: z\n;",
  );
  expect(transactions).toHaveLength(1);
  expect(transactions[0]?.steps).toHaveLength(1);
});

describe("reading a file of SQL", () => {
  const T = "-- name: t\n";
  it.each([
    ["", ["1:1 no transaction; write -- name: above its statements"]],
    ["SELECT 1", ["1:1 a statement above every section", "1:1 no transaction"]],
    [`${T}SELECT :x;\n  SELECT :y`, ["2:1 x has no value", "3:3 y has no value"]],
    [`${T}-- returning: a as b\nSELECT :b`, ["3:1 b is used before it is returned"]],
    [`${T}-- param: n = uniform(1, :m)\nSELECT :n`, ["2:15 m is no setting and no param above this one"]],
    [`${T}-- param: n = uniform(1, \nSELECT 1`, ["2:"]],
    [`${T}-- param: n = unifrom(1, 2)\nSELECT 1`, ["2:15 "]],
    [`${T}-- param: n = 1\n-- param: n = 2\nSELECT 1`, ["3:1 n has a value already"]],
    [`${T}SELECT 1;\n${T}SELECT 2`, ["3:1 two transactions t"]],
    [`${T}BEGIN; SELECT 1; COMMIT`, ["2:1 BEGIN", "2:18 COMMIT"]],
    [`-- schema\nDROP SCHEMA public CASCADE;\n${T}SELECT 1`, ["2:1 DROP SCHEMA reaches beyond"]],
    [`-- schema\nCREATE TABLE other.x (a int);\n${T}SELECT 1`, ["2:1 other.x names a schema"]],
    [
      `-- schema\nCREATE SCHEMA a;\nCREATE TABLE a.x (); CREATE TABLE public.y ();\n${T}SELECT 1`,
      ["3:22 the dump makes a and public", "3:22 public.y names a schema"],
    ],
    [`-- schema\nCOPY public.x (a) FROM stdin;\n1\tit's\n\\.\n${T}SELECT 1`, ["2:1 COPY takes data"]],
    [`-- schema\n\\i other.sql\n${T}SELECT 1`, ["2:1 \\i is a command of psql"]],
    [`-- schema\nDROP TABLE IF EXISTS a, other.x CASCADE;\n${T}SELECT 1`, ["2:1 other.x names a schema"]],
    [`-- schema\nALTER TABLE x SET SCHEMA other;\n${T}SELECT 1`, ["2:1 SET SCHEMA reaches beyond"]],
    [`${T}TRUNCATE "other"."x"`, ['2:1 "other"."x" names a schema']],
    [
      `${T}DO $$ BEGIN EXECUTE 'drop /* */ schema public CASCADE'; END $$`,
      ["2:1 DROP SCHEMA reaches beyond"],
    ],
    [`-- preload\nDO 'BEGIN DROP TABLE other.x; END';\n${T}SELECT 1`, ["2:1 other.x names a schema"]],
    [`-- schema\nCREATE TABLE x (a int DEFAULT :n);\n${T}SELECT 1`, ["2:1 n is no setting"]],
    [`${T}-- wieght: 2\nSELECT 1`, ["2:1 wieght is not known; did you mean weight?"]],
    [`${T}-- weight: -1\nSELECT 1`, ["2:1 weight -1"]],
    [`${T}-- expect: row = 1\nSELECT 1`, ["2:1 expected expect: rows = 1"]],
    [`${T}SELECT 1;\n-- expect: rows = 1`, ["3:1 expect, returning and counts stand above their statement"]],
    [
      `${T}SELECT 1;\n-- expect: rows = 1\n-- name: u\nSELECT 2`,
      ["3:1 expect, returning and counts stand above their statement"],
    ],
    [
      `${T}SELECT 1;\n-- returning: a\n-- invariant: i\nSELECT true`,
      ["3:1 expect, returning and counts stand above their statement"],
    ],
    [`${T}SELECT 'x`, ["2:8 ' begins here and does not end", "1:1 t has no statement"]],
    ["-- weight: 2\n-- name: t\nSELECT 1", ["1:1 weight belongs below a name"]],
    [
      `${T}SELECT 1;\n-- invariant: i\nSELECT 1; SELECT 2`,
      ["3:1 invariant i has 2 statements; it takes one"],
    ],
    [`${T}SELECT 1;\n-- invariant: i\n-- acknowledged: u.id\nSELECT 1`, ["4:1 there is no transaction u"]],
    [
      `${T}SELECT 1;\n-- invariant: i\n-- acknowledged: t.id\nSELECT 1`,
      ["4:1 t has no param and returns no id"],
    ],
    [
      "-- setting: a\n-- setting: b = 1\n-- setting: b = 2\n-- name: t\nSELECT 1",
      ["1:1 expected setting", "3:1 two settings b"],
    ],
    [`${T}-- commit\nSELECT 1`, ["2:1 commit stands above all statements"]],
    [
      `${T}SELECT 1;\n-- commit\n-- commit\nSELECT 2`,
      ["4:1 commit stands above all statements, or above another"],
    ],
    [`${T}SELECT 1;\n-- commit`, ["3:1 commit stands below all statements"]],
    [`${T}-- sleep: 5ms\nSELECT 1`, ["2:1 sleep stands above all statements; use thinkTime"]],
    [`${T}SELECT 1;\n-- sleep: 5`, ["3:1 expected sleep: a number with us, ms or s"]],
    [`${T}SELECT 1;\n-- sleep: :n ms`, ["3:1 n has no value"]],
    [`${T}SELECT 1;\n-- expect: rows = 1\n-- commit\nSELECT 2`, ["3:1 expect, returning and counts stand"]],
    [`${T}SELECT 1;\n-- commit\n-- returning: or end\nSELECT 2`, ["5:1 or end stands below a commit"]],
    ["-- schema\n-- commit\n-- name: t\nSELECT 1", ["2:1 commit belongs below a name"]],
  ])("names each problem of %j with its place", (text, problems) => {
    const found = problemsOf(text);
    expect(found).toHaveLength(problems.length);
    for (const [i, problem] of problems.entries()) expect(found[i]).toContain(problem);
  });

  it("accepts 10 000 parameters, and refuses more than the protocol allows", () => {
    const sum = (count: number): string => `${T}-- param: n = 1\nSELECT ${Array(count).fill(":n").join("+")}`;
    expect(problemsOf(sum(10_000))).toEqual([]);
    expect(problemsOf(sum(65_536))).toEqual(["3:1 65536 parameters; a statement takes at most 65535"]);
  });
});
