import { expect, it } from "vitest";
import { canonicalText, statementsBetween } from "./digests.js";

// Texts of statements with their digests by MySQL 9.7 and MariaDB 10.11.
it.each([
  ["INSERT INTO `t` (id, v, d) VALUES (?, ?, ?)", "INSERT INTO `t` ( `id` , `v` , `d` ) VALUES (...)"],
  ["INSERT INTO t (id, v) VALUES (?, ?), (?, ?)", "INSERT INTO `t` ( ID , `v` ) VALUES (...) , (...) "],
  [
    "SELECT v, JSON_EXTRACT(d, '$.a') FROM trains.t WHERE id IN (?, ?) AND v > 5 LIMIT ?",
    "SELECT `v` , `JSON_EXTRACT` ( `d` , ? ) FROM `trains` . `t` WHERE ID IN (...) AND `v` > ? LIMIT ? ",
  ],
  ["UPDATE t -- one more\nSET v = v + 1 WHERE id = ?", "UPDATE `t` SET `v` = `v` + ? WHERE `id` = ?"],
])("has one form for a statement and its digest: %s", (text, digest) => {
  expect(canonicalText(text)).toBe(canonicalText(digest));
});

const count = (query: string, calls: number) => ({ query, calls, rows: calls, totalMs: calls });
const STATEMENTS = [{ name: "read", text: "SELECT v FROM t WHERE id = ?" }];
const DIGEST = "SELECT `v` FROM `t` WHERE `id` = ?";

it("adds executions of a prepared statement to its calls as text, and leaves preparations out", () => {
  const before = new Map([["a", count(DIGEST, 1)]]);
  const after = new Map([
    ["a", count(DIGEST, 3)],
    ["b", count(`EXECUTE ${DIGEST}`, 5)],
    ["c", count(`PREPARE ${DIGEST}`, 1)],
  ]);
  expect(statementsBetween(before, after, STATEMENTS)).toMatchObject([{ name: "read", calls: 7 }]);
});

it("finds no difference if the counts began again", () => {
  expect(
    statementsBetween(new Map([["a", count(DIGEST, 3)]]), new Map([["a", count(DIGEST, 1)]]), STATEMENTS),
  ).toBeUndefined();
});

it("names a statement whose digest the server cut", () => {
  const cut = new Map([["a", count("SELECT `v` FROM `t` ...", 2)]]);
  expect(statementsBetween(new Map(), cut, STATEMENTS)).toMatchObject([{ name: "read", calls: 2 }]);
});
