import { expect, it } from "vitest";
import { parametrisedSql, placeIn, statementsIn, substituteVariables, wordsOf } from "./sql-text.js";

const textsOf = (sql: string): string[] => statementsIn(sql).statements.map(parametrisedSql);

it.each([
  ["SELECT 1; ; SELECT 2 ;", ["SELECT 1", "SELECT 2"]],
  [
    "SELECT ';', E'\\';', \";\", U&'\\0041;'; SELECT 2",
    ["SELECT ';', E'\\';', \";\", U&'\\0041;'", "SELECT 2"],
  ],
  ["-- one; two\nSELECT 1 -- three;\n;", ["SELECT 1"]],
  ["/* a /* b; */ ; */ SELECT 1; /* c */", ["SELECT 1"]],
  [
    "DO $$ BEGIN PERFORM 1; END $$; SELECT $x$ $$; $x$",
    ["DO $$ BEGIN PERFORM 1; END $$", "SELECT $x$ $$; $x$"],
  ],
  [
    "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; SELECT 3",
    [
      "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END",
      "SELECT 3",
    ],
  ],
  [
    "CREATE RULE r AS ON INSERT TO a DO (SELECT 1; SELECT (2);); SELECT ')'; SELECT 3",
    ["CREATE RULE r AS ON INSERT TO a DO (SELECT 1; SELECT (2);)", "SELECT ')'", "SELECT 3"],
  ],
])("statementsIn splits %s where the server does", (sql, statements) => {
  expect(textsOf(sql)).toEqual(statements);
});

it("statementsIn finds variables outside casts, quotes, comments and assignments", () => {
  const [one] = statementsIn(
    "SELECT :a::int, ':b', \":c\", x := 1, $$ :d $$ /* :e */ -- :f\n, :a_1",
  ).statements;
  expect(one?.variables).toEqual(["a", "a_1"]);
  expect(parametrisedSql(one ?? { pieces: [] })).toBe(
    "SELECT $1::int, ':b', \":c\", x := 1, $$ :d $$ /* :e */ -- :f\n, $2",
  );
});

it("substituted puts values in unchanged", () => {
  const [one] = statementsIn("SELECT :a + :b").statements;
  expect(one && substituteVariables(one, (name) => (name === "a" ? "1" : "2"))).toBe("SELECT 1 + 2");
});

it("statementsIn gives the place of each statement and of a quote or comment that does not end", () => {
  const cut = statementsIn("SELECT 1;\n\n  SELECT 2;\nSELECT 'x", { line: 10, column: 5 });
  expect(cut.statements.map(({ place }) => place)).toEqual([
    { line: 10, column: 5 },
    { line: 12, column: 3 },
  ]);
  expect(cut.unended).toEqual({ what: "'", place: { line: 13, column: 8 } });
  expect(statementsIn("/* a").unended).toEqual({ what: "/*", place: { line: 1, column: 1 } });
  expect(placeIn("ab", 1)).toEqual({ line: 1, column: 2 });
});

it("wordsOf gives the words of a statement in upper case", () => {
  expect(wordsOf({ pieces: ["insert into t values (", ", 'update')"] })).toEqual([
    "INSERT",
    "INTO",
    "T",
    "VALUES",
  ]);
});
