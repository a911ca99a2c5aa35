import { expect, it } from "vitest";
import type { StatementCalls } from "./calls.js";
import { callsBetween } from "./calls.js";
import { transactionsInCounts } from "./transactions.js";

const call = (text: string, calls: number, since = ""): StatementCalls => ({
  text,
  calls,
  totalMs: calls,
  since,
});

const textsOf = (all: readonly StatementCalls[]): string[][] =>
  transactionsInCounts(all, 60).transactions.map(({ statements }) =>
    statements.map(({ statement }) => statement.pieces.join("?")),
  );

it("puts statements into one transaction if they and COMMIT were called equally often, as first seen", () =>
  expect(
    textsOf([
      call("BEGIN", 1000, "01"),
      call("UPDATE b", 1000, "03"),
      call("UPDATE a", 999, "02"),
      call("COMMIT", 1000, "04"),
      call("SELECT c", 500, "05"),
    ]),
  ).toEqual([["UPDATE a", "UPDATE b"], ["SELECT c"]]));

it("leaves out a statement of equal calls that was first seen outside of the first transaction", () =>
  expect(
    textsOf([
      call("BEGIN", 100, "01"),
      call("UPDATE a", 100, "02"),
      call("UPDATE b", 100, "03"),
      call("COMMIT", 100, "04"),
      call("SELECT c", 100, "05"),
    ]),
  ).toEqual([["UPDATE a", "UPDATE b"], ["SELECT c"]]));

it("finds two kinds of transactions whose calls add up to the commits", () =>
  expect(
    textsOf([
      call("UPDATE a", 300),
      call("UPDATE b", 300),
      call("INSERT c", 100),
      call("DELETE d", 100),
      call("COMMIT", 400),
    ]),
  ).toEqual([
    ["UPDATE a", "UPDATE b"],
    ["INSERT c", "DELETE d"],
  ]));

it("says that transactions are not learnt if no counts add up to the commits", () => {
  const { transactions, missing } = transactionsInCounts(
    [call("UPDATE a", 300), call("UPDATE b", 200), call("COMMIT", 400)],
    60,
  );
  expect(transactions).toHaveLength(2);
  expect(missing).toEqual([expect.stringContaining("the statements of 400 transactions with BEGIN")]);
});

it("says that BEGIN is counted too rarely if statements share more calls, as with prepared BEGIN", () =>
  expect(
    transactionsInCounts(
      [call("BEGIN", 4), call("INSERT INTO a", 900), call("UPDATE b", 900), call("COMMIT", 4)],
      60,
    ).missing,
  ).toEqual([expect.stringContaining("BEGIN was counted 4 times, and 2 statements share 900 calls")]));

it("leaves out train-sim's own statements, and counts hidden calls", () =>
  expect(
    transactionsInCounts(
      [
        call("SELECT /* train-sim */ a FROM pg_class", 9),
        call("SAVEPOINT train_sim_learn", 9),
        call("SET LOCAL lock_timeout = '2s'", 9),
        call("<insufficient privilege>", 1000),
      ],
      60,
    ),
  ).toMatchObject({
    transactions: [],
    hiddenCalls: 1000,
    missing: [expect.stringContaining("1 000 calls")],
  }));

it("counts statements that cannot be learnt, by their kind", () =>
  expect(
    transactionsInCounts(
      [
        call("SET x TO $1", 3),
        call("SELECT * FROM pg_class", 2),
        call("<insufficient privilege>", 1000),
        call("SELECT 1", 1),
      ],
      60,
    ).missing,
  ).toEqual([
    "1 000 calls of other roles: their texts are hidden; GRANT pg_read_all_stats to this role",
    "SET: 3 calls",
    "catalogue queries: 2 calls",
  ]));

it("takes the calls of an interval, also if the statistics were reset within it", () => {
  const counts = (calls: number): Map<string, StatementCalls> => new Map([["1", call("SELECT 1", calls)]]);
  expect(callsBetween(counts(10), counts(15)).map(({ calls }) => calls)).toEqual([5]);
  expect(callsBetween(counts(10), counts(4)).map(({ calls }) => calls)).toEqual([4]);
  expect(callsBetween(counts(10), counts(10))).toEqual([]);
});
