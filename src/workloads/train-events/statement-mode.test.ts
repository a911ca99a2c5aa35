import { expect, test } from "vitest";
import { scenarioProblems } from "../../../test/support/scenario-problems.js";

const problemsOf = (keys: string): string[] =>
  scenarioProblems(`name: x\npool: { strategy: pgbouncer, size: 9, mode: statement }\n${keys}`);
const SINGLE = "statementShape: single-statement";

test("statement mode accepts transactions of a single statement", () => {
  expect(problemsOf(SINGLE)).toEqual([]);
});

test.each([
  ["", "pool.mode: statement mode allows no transaction of several statements"],
  [`${SINGLE}\nisolation: serializable`, "isolation: statement mode allows no BEGIN"],
  [`${SINGLE}\nappDelay: 5ms`, "appDelay: a transaction of one statement has no middle to pause in"],
])('statement mode refuses "%s", and says why', (keys, words) => {
  expect(problemsOf(keys)).toEqual([expect.stringContaining(words)]);
});
