// Answers of PgBouncer 1.18 and 1.24, as they really came, read into numbers: pools, counters, sizes.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { readPools, readPoolSize, readStats } from "./pooler-statistics.js";
import type { SqlRow } from "../../database/sql.js";

const POOL = { database: "train_sim", user: "postgres" };

const pool = (row: SqlRow): SqlRow => ({
  database: "train_sim",
  user: "postgres",
  cl_active: 2,
  cl_waiting: 4,
  cl_active_cancel_req: 0,
  cl_waiting_cancel_req: 0,
  sv_active: 2,
  sv_active_cancel: 0,
  sv_being_canceled: 0,
  sv_idle: 0,
  sv_used: 0,
  sv_tested: 0,
  sv_login: 0,
  maxwait: 0,
  maxwait_us: 300_227,
  pool_mode: "transaction",
  ...row,
});
const CONSOLE_POOL = pool({
  database: "pgbouncer",
  user: "pgbouncer",
  cl_active: 1,
  cl_waiting: 0,
  sv_active: 0,
});

/**
 * Readings of each version before and after six clients on two server connections each ran a transaction of
 * `pg_sleep(0.5)`.
 */
const VERSIONS = {
  "1.18": {
    pools: [CONSOLE_POOL, pool({})],
    before: {
      database: "train_sim",
      total_xact_count: "6",
      total_query_count: "8",
      total_received: "74",
      total_sent: "140",
      total_xact_time: "0",
      total_query_time: "10913",
      total_wait_time: "85549",
      avg_xact_count: "4",
      avg_query_count: "5",
      avg_query_time: "1364",
      avg_wait_time: "62649",
    },
    after: {
      database: "train_sim",
      total_xact_count: "6",
      total_query_count: "18",
      total_received: "294",
      total_sent: "706",
      total_xact_time: "6058822",
      total_query_time: "6052934",
      total_wait_time: "3120780",
      avg_query_time: "336274",
      avg_wait_time: "1210259",
    },
    database: {
      name: "train_sim",
      host: "127.0.0.1",
      port: 39499,
      database: "postgres",
      force_user: null,
      pool_size: 2,
      min_pool_size: 0,
      reserve_pool: 0,
      pool_mode: null,
      max_connections: 0,
      current_connections: 2,
      paused: 0,
      disabled: 0,
    },
  },
  "1.24": {
    pools: [
      pool({ database: "pgbouncer", user: "pgbouncer", load_balance_hosts: null }),
      pool({ load_balance_hosts: null }),
    ],
    before: {
      database: "train_sim",
      total_server_assignment_count: "2",
      total_xact_count: "6",
      total_query_count: "8",
      total_received: "74",
      total_sent: "140",
      total_xact_time: "0",
      total_query_time: "8247",
      total_wait_time: "74588",
      total_client_parse_count: "0",
    },
    after: {
      database: "train_sim",
      total_server_assignment_count: "6",
      total_xact_count: "6",
      total_query_count: "18",
      total_received: "294",
      total_sent: "706",
      total_xact_time: "6048745",
      total_query_time: "6043959",
      total_wait_time: "3102978",
      total_bind_count: "0",
    },
    database: {
      name: "train_sim",
      host: "127.0.0.1",
      port: 39499,
      database: "postgres",
      force_user: null,
      pool_size: 2,
      min_pool_size: 0,
      reserve_pool_size: 0,
      server_lifetime: 3600,
      pool_mode: null,
      load_balance_hosts: null,
      max_connections: 0,
      current_connections: 2,
      paused: 0,
      disabled: 0,
    },
  },
} satisfies Record<string, { pools: SqlRow[]; before: SqlRow; after: SqlRow; database: SqlRow }>;

describe.each(Object.entries(VERSIONS))(
  "statistics of PgBouncer %s",
  (_, { pools, before, after, database }) => {
    it("contain waiting clients and their longest wait, of the pool under test alone", () => {
      expect(readPools(pools, POOL)).toEqual({
        clientsActive: 2,
        clientsWaiting: 4,
        maxWaitMs: 300.227,
        serversActive: 2,
        serversIdle: 0,
      });
    });

    it("contain waits and queries in milliseconds, with a query's wait in its time", () => {
      const [first, last] = [readStats([before], "train_sim"), readStats([after], "train_sim")];
      if (!first || !last) throw new Error("no counts");
      expect(last.transactions).toBe(6);
      // Three seconds of sleep, two at a time: two of six wait half a second, two a second.
      expect(last.waitMs - first.waitMs).toBeCloseTo(3_030, -2);
      expect(last.queryMs - first.queryMs).toBeCloseTo(6_040, -2);
    });

    it("contain the largest number of server connections of a pool", () => {
      expect(readPoolSize([database], "train_sim")).toBe(2);
      expect(readPoolSize([{ ...database, max_connections: 1 }], "train_sim")).toBe(1);
      expect(readPoolSize([database], "another")).toBeUndefined();
    });
  },
);

describe("readings of several pools", () => {
  it("add up the user's pools, or the database's pools if PgBouncer logs in as another user", () => {
    const others = [pool({ user: "someone" }), pool({ database: "another", cl_waiting: 100 })];
    expect(readPools([pool({}), ...others], POOL).clientsWaiting).toBe(4);
    expect(readPools([pool({ user: "fixed" }), ...others], POOL).clientsWaiting).toBe(8);
    expect(readPools([], POOL)).toMatchObject({ clientsWaiting: 0, maxWaitMs: 0 });
  });

  it("count long idle connections as free, and include seconds in the longest wait", () => {
    const row = pool({ sv_idle: 1, sv_used: 2, maxwait: 3, maxwait_us: 250_000 });
    expect(readPools([row], POOL)).toMatchObject({ serversIdle: 3, maxWaitMs: 3250 });
  });

  it("refuse an unexpected answer of the console", () => {
    expect(() => readPools([pool({ cl_waiting: null })], POOL)).toThrow(/no number in cl_waiting/);
    expect(() => readStats([{ database: "train_sim" }], "train_sim")).toThrow(/total_xact_count/);
  });
});

test("any text in a console's cells gives finite counts, or a refusal that names its column", () => {
  const columns = [
    ...Object.keys(CONSOLE_POOL),
    ...Object.keys(VERSIONS["1.18"].before),
    "name",
    "pool_size",
  ];
  const cell = fc.oneof(
    fc.anything(),
    fc.integer().map(String),
    fc.nat(),
    fc.constantFrom("", "1e999", "0x1f"),
  );
  const row = fc.dictionary(
    fc.constantFrom(...columns, "reserve_pool", "max_connections", "__proto__"),
    cell,
  );
  const mine = row.map((cells) => ({ ...cells, database: POOL.database, name: POOL.database }));
  fc.assert(
    fc.property(fc.array(mine, { maxLength: 3 }), (rows) => {
      const readers: (() => number[])[] = [
        () => Object.values<number>({ ...readPools(rows, POOL) }),
        () => Object.values<number>({ ...readStats(rows, POOL.database) }),
        () => [readPoolSize(rows, POOL.database) ?? 0],
      ];
      for (const read of readers) {
        let values: number[] = [];
        try {
          values = read();
        } catch (error) {
          expect((error as Error).message).toMatch(/^the console has no number in \w+, but /);
        }
        for (const value of values) expect(Number.isFinite(value) && value >= 0).toBe(true);
      }
    }),
  );
});
