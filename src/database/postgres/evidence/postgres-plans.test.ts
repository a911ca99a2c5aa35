// Plans that PostgreSQL 18 explained, `test/support/explained.json`, each with its short form.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { planOf } from "./postgres-plans.js";

const file = new URL("../../../../test/support/explained.json", import.meta.url);
const EXPLAINED = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>;

const shortPlan = (explained: unknown): string => planOf([{ "QUERY PLAN": JSON.stringify(explained) }]);

it("the short form of a plan has steps, tables and indexes, with the first read on the left", () => {
  expect(Object.values(EXPLAINED).map(shortPlan)).toEqual([
    "Index Scan events_pkey > Update events",
    "(Index Scan events_pkey > LockRows > Limit, CTE Scan claimed, Index Scan events_pkey) > Nested Loop",
    "Seq Scan events > HashAggregate > Sort",
    "Seq Scan big > Aggregate",
    "(Function Scan unnest > Limit > Subquery Scan, Index Scan events_pkey) > Nested Loop > Delete events",
    "Bitmap Index Scan events_kind_idx > Bitmap Heap Scan events",
  ]);
});

it("the short form of a plan depends on its steps, not on conditions and aliases", () => {
  const text = JSON.stringify(EXPLAINED["SELECT count(*) FROM big WHERE n > $1"]);
  const like = (from: string, to: string): string => shortPlan(JSON.parse(text.replace(from, to)));
  expect(text).toContain('"Alias":"big"');
  expect(text).toContain("(n > $1)");
  expect(like('"Alias":"big"', '"Alias":"b"')).toBe("Seq Scan big > Aggregate");
  expect(like("(n > $1)", "(n > ($1 + 1))")).toBe("Seq Scan big > Aggregate");
  expect(like('"Relation Name":"big"', '"Relation Name":"bigger"')).toBe("Seq Scan bigger > Aggregate");
  const alone = '"Seq Scan","Parent Relationship":"Outer","Parallel Aware":false';
  expect(like(alone, '"Seq Scan","Parallel Aware":true')).toBe("Parallel Seq Scan big > Aggregate");
});

it("an answer without a plan is refused", () => {
  expect(() => planOf([])).toThrow("EXPLAIN answered without a plan");
});
