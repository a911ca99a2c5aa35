import { expect, test } from "vitest";
import { ISOLATION_LEVELS } from "../../src/database/levels.js";
import { LOCKINGS, PAYLOADS, STATEMENT_SHAPES } from "../../src/workloads/train-events/settings.js";
import { combinations, pairsOf, pairwise, product } from "./combinations.js";

const WORKLOAD = {
  payload: PAYLOADS,
  statementShape: STATEMENT_SHAPES,
  locking: LOCKINGS,
  isolation: ISOLATION_LEVELS,
  prepared: [true, false],
};

test.each([
  { levels: WORKLOAD, most: 20 },
  { levels: { one: [1, 2, 3], other: [1, 2, 3] }, most: 9 },
  { levels: { a: [0, 1], b: [0, 1], c: [0, 1], d: [0, 1], e: [0, 1], f: [0, 1] }, most: 8 },
])("pairwise rows hold every pair of levels in at most $most rows", ({ levels, most }) => {
  const rows = pairwise<Record<string, readonly unknown[]>>(levels);
  const pairs = new Set(rows.flatMap(pairsOf));
  expect(pairs).toEqual(new Set(product<Record<string, readonly unknown[]>>(levels).flatMap(pairsOf)));
  expect(rows.length).toBeLessThanOrEqual(most);
  expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length);
});

test("pairs of two factors are their product, and the product of one factor is its levels", () => {
  expect(pairwise({ one: ["a", "b"], other: [1, 2] })).toHaveLength(4);
  expect(product({ one: ["a", "b"] })).toEqual([{ one: "a" }, { one: "b" }]);
});

test("combinations of factors are pairwise unless all tests are requested", () => {
  expect(combinations(WORKLOAD)).toEqual(pairwise(WORKLOAD));
  expect(product(WORKLOAD)).toHaveLength(288);
});
