// The configuration of an Odyssey, the answers of its console, and the scenarios that are refused for it.
import { describe, expect, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import type { Endpoint } from "../../database/endpoint.js";
import { parseScenario } from "../../scenario/loader.js";
import { odysseyConf, type OdysseySettings } from "./odyssey-config.js";
import { readRoutes } from "./odyssey-console.js";
import { ownTransactions } from "./own-transactions.js";
import { startOdyssey } from "./start-odyssey.js";

const UPSTREAM: Endpoint = {
  ...{ scheme: "postgresql", host: "db", port: 5432 },
  ...{ database: "trains", user: "rail", password: "secret" },
};
const SETTINGS: OdysseySettings = {
  ...{ mode: "transaction", size: 8, instances: 1, preparedStatements: true, maxClientConnections: 300 },
};
const conf = (settings: Partial<OdysseySettings> = {}, upstream = UPSTREAM): string =>
  odysseyConf(
    { ...SETTINGS, ...settings },
    upstream,
    { client: "secret", admin: "admin" },
    {
      ...{ port: 6432, upstream: {} },
    },
  );
/** Lines of a block that begins with that line, and of the blocks in it. */
const blockOf = (text: string, head: string): string[] => text.slice(text.indexOf(`${head} {\n`)).split("\n");

describe("odyssey.conf", () => {
  it("contains the scenario's mode and size, and a backlog for every client", () => {
    const lines = conf().split("\n");
    for (const line of [
      ...['log_format "%l (%c) %m\\n"', 'host "[db]:5432"', 'database "trains" {', 'user "rail" {'],
      ...['pool "transaction"', "pool_size 8", "pool_reserve_prepared_statement yes", "backlog 300"],
      ...['authentication "scram-sha-256"', 'host "127.0.0.1"', "port 6432", 'tls "disable"'],
    ])
      expect(lines).toContain(line);
  });

  it("resets sessions in session mode only, unless the scenario says so", () => {
    expect(conf()).toContain("pool_discard no\n");
    expect(conf({ mode: "session" })).toContain("pool_discard yes\n");
    expect(conf({ settings: { pool_discard: "yes" } })).not.toContain("pool_discard no\n");
  });

  it("contains each setting of the scenario in its section", () => {
    const settings = { workers: "2", client_login_timeout: "5000", server_max_routing: "4" };
    const text = conf({ settings: { ...settings, pool_ttl: "60", quantiles: "0.99,0.5" } });
    expect(text.slice(0, text.indexOf("{"))).toContain("\nworkers 2\n");
    expect(blockOf(text, 'storage "server"').slice(0, 6)).toContain("server_max_routing 4");
    expect(blockOf(text, "listen")).toContain("client_login_timeout 5000");
    const user = blockOf(text, 'user "rail"').slice(0, 12);
    expect(user).toEqual(expect.arrayContaining(["pool_ttl 60", 'quantiles "0.99,0.5"']));
  });

  it("starts server connections with the schema in which names are looked up", () => {
    expect(conf({}, { ...UPSTREAM, searchPath: '"train_sim"' })).toContain('"search_path" "train_sim"\n');
  });

  it("lets clients in without a password if the server does", () => {
    expect(conf({ auth: "trust" })).toContain('authentication "none"\n');
  });

  it.each(['a"b', "a\nb", "a\\"])("refuses a value that its strings cannot hold: %j", (user) => {
    expect(() => conf({}, { ...UPSTREAM, user })).toThrow(UsageError);
  });

  it("names the socket of a server in a directory", () => {
    expect(conf({}, { ...UPSTREAM, host: "/run/pg" })).toContain('host "unix:///run/pg/.s.PGSQL.5432"');
  });
});

it.each([{ mode: "verify-full", ca: "pem" } as const, { mode: "require" } as const])(
  "Odyssey is not started before a server with TLS that it would not check: %j",
  async (tls) => {
    const start = startOdyssey({ path: "/nonexistent", version: "1.5.2" }, SETTINGS, { ...UPSTREAM, tls });
    await expect(start).rejects.toThrow(
      /with sslmode .*: it checks a server's certificate by its CA, and never/,
    );
  },
);

describe("the console of Odyssey", () => {
  const POOL = { database: "mine", user: "rail" };
  const databases = [
    { name: "console", database: "console", force_user: "admin", current_connections: 1, pool_size: 0 },
    { name: "trains", database: "mine", force_user: "rail", current_connections: 9, pool_size: 2 },
  ];
  const pools = [
    { database: "console", user: "admin", cl_active: 0, cl_waiting: 1, sv_active: 0, sv_idle: 0 },
    { database: "trains", user: "storage", cl_active: 2, cl_waiting: 3, sv_active: 2, sv_idle: 0 },
  ];
  const stats = [
    { database: "console", total_xact_count: 5, total_wait_time: 1, total_query_time: 1 },
    { database: "trains", total_xact_count: 70, total_wait_time: 4000, total_query_time: 90_000 },
  ];

  it("gives the clients of a route: connected ones and, from the sum of all, waiting ones", () => {
    expect(readRoutes(databases, pools, stats, POOL)).toEqual({
      ...{ clientsActive: 5, clientsWaiting: 4, serversActive: 2, serversIdle: 0 },
      ...{ transactions: 70, waitMs: 4, queryMs: 94 },
    });
  });

  it("gives a route by the server's name of its database if its rule is for any database", () => {
    const anyDatabase = databases.map((row) => ({ ...row, database: "default", force_user: "default" }));
    const reading = readRoutes(anyDatabase, pools, stats, { ...POOL, database: "trains" });
    expect(reading).toMatchObject({ clientsActive: 5, transactions: 70 });
  });

  it("gives no counts before the first client", () => {
    expect(readRoutes(databases.slice(0, 1), pools.slice(0, 1), stats.slice(0, 1), POOL)).toEqual({
      ...{ clientsActive: 0, clientsWaiting: 0, serversActive: 0, serversIdle: 0 },
    });
  });

  it("refuses an unexpected answer", () => {
    const odd = pools.map((row) => ({ ...row, sv_idle: "many" }));
    expect(() => readRoutes(databases, odd, stats, POOL)).toThrow(/no number in sv_idle, but "many"/);
  });
});

describe("the number of Odyssey's own transactions", () => {
  const count = (given: Partial<Parameters<typeof ownTransactions>[0]>) =>
    ownTransactions({ mode: "transaction", reconnect: "never", urls: [], ...given });
  const urls = [{ url: "postgresql://a@b/c" }];
  it.each([
    [{}, 0],
    [{ mode: "session" } as const, 0],
    [{ mode: "session", reconnect: "per-transaction" } as const, 2],
    [{ settings: { pool_discard: "yes" } }, 2],
    [{ urls }, 2],
    [{ urls, settings: { pool_discard: "no" } }, 0],
    [{ urls, settings: { pool_discard: "no", pool_smart_discard: "yes" } }, 2],
  ])("counts a reset and the client's name after it: %j", (given, number) => {
    expect(count(given)).toBe(number);
  });
});

describe("a scenario with Odyssey", () => {
  const load = (pool: string, more = "") =>
    parseScenario(`name: a\nclients: 16\npool: ${pool}\n${more}`, "a.yaml");

  it.each([
    ["{ strategy: odyssey, mode: statement }", /pool\.mode: Odyssey pools by session or by transaction/],
    ["{ strategy: odyssey, maxPreparedStatements: 1 }", /Odyssey follows all prepared statements or none/],
    ["{ strategy: odyssey, mode: session, size: 8 }", /48 clients need a size of at least 48, not 8/],
    [
      "{ strategy: odyssey, settings: { pool_size: 4 } }",
      /pool\.settings\.pool_size: is set by train-sim, from pool\.size/,
    ],
    [
      "{ strategy: odyssey, url: postgresql://a@b/c, login: password }",
      /is for Odysseys that train-sim starts/,
    ],
    [
      "{ strategy: odyssey, url: postgresql://a@b/c, settings: { workers: 2 } }",
      /for your own, settings can state pool_discard, pool_smart_discard, pool_discard_query/,
    ],
    ["{ strategy: pgpool, preparedStatements: true }", /belongs to strategy odyssey, not to pgpool/],
  ])("is refused with the reason: %s", (pool, reason) => {
    expect(() => load(pool)).toThrow(reason);
  });

  it("prepares statements through a managed Odyssey, and through an external one only if the scenario says so", () => {
    const prepares = (pool: string) => load(pool).treatments[0]?.settings.pool;
    expect(prepares("odyssey")).toMatchObject({ mode: "transaction", size: 20, preparedStatements: true });
    const external = "{ strategy: odyssey, url: postgresql://a@b/c }";
    expect(prepares(external)).toMatchObject({ preparedStatements: false });
  });

  it("may have every fault of a pooler, a pause only in transaction mode", () => {
    const withFault = (fault: string, mode = "transaction") =>
      load(`{ strategy: odyssey, mode: ${mode}, size: 64 }`, `faults: [{ at: 1s, for: 1s, kind: ${fault} }]`);
    for (const fault of ["pooler-kill", "pooler-restart", "pooler-pause", "process-stop, process: pooler"])
      expect(withFault(fault).treatments[0]?.settings.faults).toHaveLength(1);
    expect(() => withFault("pooler-pause", "session")).toThrow(
      /pooler-pause ends sessions instead of holding/,
    );
  });
});
