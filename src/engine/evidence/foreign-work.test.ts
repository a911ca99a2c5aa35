// Work of others, from counters and samples: the part deducted for train-sim itself, and the part stated as
// unknown.
import { workloadOf } from "../../workloads/registry.js";
import { describe, expect, it } from "vitest";
import { foreignNotAssessed, foreignWorkOf } from "./foreign-work.js";
import { WindowSums } from "./window-sums.js";

const SOURCES = { sessions: "sessions of others", transactions: "their counts", logins: "their logins" };

const NOTHING = {
  "transactions.commits": 0,
  "transactions.rollbacks": 0,
  "transactions.logins": 0,
  "transactions.elsewhere": 0,
  "transactions.control": 0,
};

function windowOf(last: Record<string, number>, first: Record<string, number> = NOTHING): WindowSums {
  const sums = new WindowSums();
  sums.open(first, 0);
  sums.sample(last, 10_000);
  sums.close(last);
  return sums;
}

const done = {
  workload: workloadOf({}),
  operations: {},
  clientCpuSeconds: undefined,
  serverTransactions: 1000,
};
const SPAN = { seconds: 10, windowSeconds: 10 };

describe("transactions of others", () => {
  it("include other databases, and exclude train-sim's share in the load's database", () => {
    // 1000 of the load, 100 that may be counted late, 85 of control work and 20 of control work that may be late.
    const ours = {
      ...NOTHING,
      "transactions.control": 85,
      "transactions.commits": 1200,
      "transactions.rollbacks": 45,
      "transactions.logins": 40,
    };
    expect(foreignWorkOf(windowOf(ours), done, SPAN)).toEqual({
      transactions: 0,
      transactionsHere: 0,
      transactionRatio: 0,
    });
    const more = { ...ours, "transactions.commits": 1700, "transactions.elsewhere": 500 };
    expect(foreignWorkOf(windowOf(more), done, SPAN)).toEqual({
      transactions: 1000,
      transactionsHere: 500,
      transactionRatio: 0.5,
    });
  });

  it("exclude transactions that a pooler adds to each transaction of the load", () => {
    const reset = { ...NOTHING, "transactions.commits": 2000 };
    expect(foreignWorkOf(windowOf(reset), done, SPAN)).toMatchObject({ transactionsHere: 880 });
    const seen = foreignWorkOf(windowOf(reset), { ...done, poolerTransactions: 1 }, SPAN);
    expect(seen).toMatchObject({ transactions: 0, transactionsHere: 0, transactionRatio: 0 });
  });

  it("exclude late counts of the warm-up if the load ended no transaction", () => {
    const late = { ...NOTHING, "transactions.commits": 400, "transactions.elsewhere": 20 };
    expect(foreignWorkOf(windowOf(late), { ...done, serverTransactions: 0 }, SPAN)).toEqual({
      transactions: 20,
      transactionRatio: 1,
    });
    expect(
      foreignNotAssessed({ foreign: { transactions: 20 } }, { serverTransactions: 0 }, SOURCES)[0],
    ).toEqual({
      what: "transactions of others on the server, in the load's database",
      reason: "no transaction of the load ended in the window",
    });
  });

  it("are absent if a counter is missing", () => {
    const { "transactions.logins": _, ...old } = NOTHING;
    expect(foreignWorkOf(windowOf(old, old), done, SPAN)).toEqual({ transactions: 0, transactionRatio: 0 });
    expect(foreignWorkOf(windowOf({}, {}), done, SPAN)).toBeUndefined();
  });

  it("exclude the load's transactions between the window's end and the last reading", () => {
    const longer = { ...NOTHING, "transactions.commits": 1420 };
    expect(foreignWorkOf(windowOf(longer), done, SPAN)).toMatchObject({ transactionsHere: 300 });
    const seen = foreignWorkOf(windowOf(longer), done, { seconds: 13, windowSeconds: 10 });
    expect(seen).toMatchObject({ transactionsHere: 0 });
  });
});

describe("work of others that was not assessed", () => {
  it("is the load's database if the pooler does not count its transactions", () => {
    const poolerTransactions = "PgBouncer does not count";
    const seen = { ...NOTHING, "transactions.commits": 2000, "transactions.elsewhere": 5 };
    const foreign = foreignWorkOf(windowOf(seen), { ...done, poolerTransactions }, SPAN);
    expect(foreign).toEqual({ transactions: 5, transactionRatio: 5 / 1005 });
    expect(
      foreignNotAssessed({ ...(foreign && { foreign }) }, { ...done, poolerTransactions }, SOURCES)[0],
    ).toEqual({
      what: "transactions of others on the server, in the load's database",
      reason: poolerTransactions,
    });
  });

  const active = { mean: 0, max: 0 };
  const sampling = { samples: 9, missed: 0, meanMs: 1 };

  it("is empty if everything was read", () => {
    const foreign = {
      transactions: 1,
      transactionsHere: 0,
      sessionsActive: active,
      sessionsActiveHere: active,
    };
    expect(foreignNotAssessed({ foreign, sampling }, { serverTransactions: 9 }, SOURCES)).toEqual([]);
  });

  it("names the server's reason", () => {
    const skipped = [{ source: SOURCES.sessions, reason: "GRANT pg_monitor" }];
    expect(
      foreignNotAssessed(
        { foreign: { transactions: 1, transactionsHere: 0 }, sampling, skipped },
        { serverTransactions: 9 },
        SOURCES,
      ),
    ).toEqual([{ what: "sessions of others on the server", reason: "GRANT pg_monitor" }]);
    expect(
      foreignNotAssessed({}, { serverTransactions: 9 }, SOURCES).map(
        ({ what, reason }) => `${what}: ${reason}`,
      ),
    ).toEqual([
      "transactions of others on the server: the server did not show them",
      "sessions of others on the server: there were no samples",
    ]);
  });

  it("states that the server restarted, without names of counters", () => {
    const skipped = [{ source: "counters", reason: "these have no total: wal.fsyncs" }];
    const foreign = { sessionsActive: active, sessionsActiveHere: active };
    expect(foreignNotAssessed({ foreign, sampling, skipped }, { serverTransactions: 9 }, SOURCES)).toEqual([
      {
        what: "transactions of others on the server",
        reason: "the server's counters restarted from 0 in the window (a restart or a reset)",
      },
    ]);
  });

  it("is the load's database alone if a pooler hides the names of its sessions", () => {
    const foreign = { transactions: 1, transactionsHere: 0, sessionsActive: active };
    expect(foreignNotAssessed({ foreign, sampling }, { serverTransactions: 9 }, SOURCES)).toEqual([
      {
        what: "sessions of others on the server, in the load's database",
        reason: expect.stringMatching(/a pooler/) as string,
      },
    ]);
  });
});
