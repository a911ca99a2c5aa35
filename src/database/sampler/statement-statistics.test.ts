import { expect, test } from "vitest";
import { namedStatements, statementsAdded, type StatementCount } from "./statement-statistics.js";

const count = (calls: number): StatementCount => ({
  ...{ calls, rows: calls * 2, totalMs: calls * 3 },
  ...{ blocksDirtied: calls * 4, walBytes: calls * 5 },
});

test("only what ran in between is left, with what it added", () => {
  const added = statementsAdded(
    new Map([
      ["1", count(5)],
      ["2", count(7)],
    ]),
    new Map([
      ["1", count(9)],
      ["2", count(7)],
      ["3", count(1)],
    ]),
  );
  expect(added).toEqual(
    new Map([
      ["1", count(4)],
      ["3", count(1)],
    ]),
  );
});

test("statistics that were reset tell nothing, however much was counted since", () => {
  const before = new Map([
    ["1", count(5)],
    ["2", count(7)],
  ]);
  const again = (one: StatementCount): ReadonlyMap<string, StatementCount> =>
    new Map([...before, ["1", one]]);
  expect(statementsAdded(before, again(count(2)))).toBeUndefined();
  expect(statementsAdded(before, again({ ...count(9), blocksDirtied: 3 }))).toBeUndefined();
  expect(statementsAdded(before, new Map([["1", count(9)]]))).toBeUndefined();
  expect(statementsAdded(before, again(count(9)))).toEqual(new Map([["1", count(4)]]));
});

test("statements of one name are one, those without a name none, most time first", () => {
  const added = new Map([
    ["1", count(1)],
    ["2", count(2)],
    ["3", count(9)],
    ["4", count(4)],
  ]);
  const texts = [
    ["1", "claim a"],
    ["2", "claim b"],
    ["3", "SELECT secret"],
    ["4", "add"],
  ] as const;
  const nameOf = (query: string): string | undefined => (/^(claim|add)/.exec(query) ?? [])[0];
  expect(namedStatements(added, texts, nameOf)).toEqual([
    { name: "add", query: "add", ...count(4) },
    { name: "claim", query: "claim b", ...count(3) },
  ]);
});
