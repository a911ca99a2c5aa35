import { expect, test } from "vitest";
import {
  namedStatements,
  addedStatementCounts,
  type StatementCount,
  type StatementHistory,
  type StatementReading,
} from "./statement-statistics.js";

const count = (calls: number): StatementCount => ({
  calls,
  rows: calls * 2,
  totalMs: calls * 3,
  blocksDirtied: calls * 4,
  walBytes: calls * 5,
});

const readingOf = (
  counts: Readonly<Record<string, StatementCount>>,
  history?: StatementHistory,
): StatementReading => ({ counts: new Map(Object.entries(counts)), history });

const FIRST = { since: "monday", discards: 3 };

test("only statements that ran between two readings remain, with their differences", () => {
  const added = addedStatementCounts(
    readingOf({ 1: count(5), 2: count(7) }),
    readingOf({ 1: count(9), 2: count(7), 3: count(1) }),
  );
  expect(added?.counts).toEqual(
    new Map([
      ["1", count(4)],
      ["3", count(1)],
    ]),
  );
  expect(added?.isWhole).toBe(true);
});

test.each([undefined, FIRST])(
  "readings before and after a reset %j have no difference, however much was counted since",
  (history) => {
    const before = { 1: count(5), 2: count(7) };
    const addedTo = (after: Record<string, StatementCount>) =>
      addedStatementCounts(readingOf(before, history), readingOf(after, history));
    expect(addedTo({ ...before, 1: count(2) })).toBeUndefined();
    expect(addedTo({ ...before, 1: { ...count(9), blocksDirtied: 3 } })).toBeUndefined();
    expect(addedTo({ 1: count(9) })).toBeUndefined();
    expect(addedTo({ ...before, 1: count(9) })?.counts).toEqual(new Map([["1", count(4)]]));
  },
);

test("readings have no difference if the database reports a reset, even if every count is higher", () => {
  const after = readingOf({ 1: count(9) }, { since: "tuesday", discards: 9 });
  expect(addedStatementCounts(readingOf({ 1: count(5) }, FIRST), after)).toBeUndefined();
});

test("a discarded entry loses only its own counts, and the difference is marked as incomplete", () => {
  const before = readingOf({ own: count(5), stranger: count(7), again: count(8) }, FIRST);
  const after = readingOf({ own: count(9), again: count(2) }, { ...FIRST, discards: 4 });
  expect(addedStatementCounts(before, after)).toEqual({
    counts: new Map([
      ["own", count(4)],
      ["again", count(2)],
    ]),
    isWhole: false,
  });
});

test("statements with the same name are added up, unnamed ones are left out, and most time comes first", () => {
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
