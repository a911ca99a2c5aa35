// The contract of a database on real servers of MySQL and MariaDB: namespaces, evidence, faults' sessions, the server's answers.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { testNamespace } from "../../../test/support/namespace.js";
import { casesOf } from "../../../test/support/lanes.js";
import { useMySqlServer, type MySqlServerName } from "../../../test/support/mysql-servers.js";
import { createConnectionSource } from "../../pools/registry.js";
import { systemClock } from "../../foundation/clock.js";
import type { NamespaceSettings } from "../contract.js";
import { connectMySqlAdmin, type MySqlAdmin } from "./admin.js";
import type { MySqlTableSet } from "./namespaces.js";
import { MySqlSession } from "./session.js";
import { mysql } from "./mysql.js";
import { beginText, inTransaction } from "./transaction.js";

const TABLES: MySqlTableSet & NamespaceSettings["tables"] = {
  variant: "workload toys",
  names: ["toys"],
  statements: ["CREATE TABLE {{namespace}}.toys (id int PRIMARY KEY, n int NOT NULL, KEY by_n (n))"],
};
const LOAD = "train-sim/clients";
const tablesOf = (variant: string): readonly string[] => (variant === TABLES.variant ? TABLES.names : []);

describe.each<MySqlServerName>(casesOf(["mysql", "mariadb"], 1))("database %s", (dialect) => {
  const server = useMySqlServer(dialect);
  const { namespaces, sessions, evidence } = mysql;
  let admin: MySqlAdmin;
  beforeAll(async () => {
    admin = await connectMySqlAdmin(server().endpoint);
  });
  afterAll(() => admin.close());

  async function makeNamespace(): Promise<string> {
    const namespace = testNamespace("my");
    await namespaces.reset(admin, { namespace, tables: TABLES }, dialect, tablesOf);
    return namespace;
  }
  const drop = (namespace: string) => namespaces.drop(admin, namespace, dialect, tablesOf);
  const opened: MySqlSession[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((session) => session.end()));
  });
  async function load(namespace: string, prepared: boolean): Promise<MySqlSession> {
    const endpoint = namespaces.endpointIn(server().endpoint, namespace, dialect);
    const session = new MySqlSession({ endpoint, applicationName: LOAD, prepared });
    opened.push(session);
    return session.connect();
  }
  const text = (of: string, namespace: string) => ({ name: of, text: STATEMENTS(namespace)[of] ?? "" });
  const STATEMENTS = (namespace: string): Record<string, string> => ({
    insert: `INSERT INTO \`${namespace}\`.toys (id, n) VALUES (?, ?)`,
    update: `UPDATE \`${namespace}\`.toys SET n = n + 1 WHERE id = ?`,
    read: `SELECT n FROM \`${namespace}\`.toys WHERE id IN (?, ?) LIMIT 5`,
  });

  it("makes, marks, resets and drops a namespace, and touches no other", async () => {
    const namespace = await makeNamespace();
    expect(await namespaces.state(admin, namespace, dialect)).toEqual({ kind: "ours", run: undefined });
    await admin.query(`INSERT INTO \`${namespace}\`.toys VALUES (1, 1)`);
    const settings = { namespace, tables: TABLES };
    expect(await namespaces.apply(admin, settings, dialect)).toBe("unchanged");
    await namespaces.reset(admin, { ...settings, run: "abc" }, dialect, tablesOf);
    expect(await namespaces.state(admin, namespace, dialect)).toEqual({ kind: "ours", run: "abc" });
    expect(await admin.query(`SELECT * FROM \`${namespace}\`.toys`)).toEqual([]);
    await admin.query(`CREATE TABLE \`${namespace}\`.mine (id int)`);
    await expect(drop(namespace)).rejects.toThrow(
      "objects that train-sim did not make, so it is not dropped: mine",
    );
    await admin.query(`DROP TABLE \`${namespace}\`.mine`);
    expect(await drop(namespace)).toBe(true);
    expect(await drop(namespace)).toBe(false);
    const foreign = testNamespace("foreign");
    await admin.query(`CREATE DATABASE ${foreign}`);
    await expect(drop(foreign)).rejects.toThrow("was not made by train-sim, so it is not touched");
    await expect(namespaces.apply(admin, { ...settings, namespace: foreign }, dialect)).rejects.toThrow(
      "not touched",
    );
    expect(await namespaces.state(admin, foreign, dialect)).toEqual({ kind: "foreign" });
    await admin.query(`DROP DATABASE ${foreign}`);
  });

  it("claims a namespace for one run at a time, and takes a lost claim again", async () => {
    const namespace = await makeNamespace();
    const notes: string[] = [];
    const note = (words: string): void => void notes.push(words);
    const claim = () => namespaces.claim(server().endpoint, namespace, dialect, { note });
    const first = await claim();
    await expect(claim()).rejects.toThrow(`schema "${namespace}" is in use by another train-sim (process`);
    expect(await namespaces.isRunActive(admin, namespace, first.run ?? "")).toBe(true);
    const [row] = await admin.query(
      "SELECT processlist_id AS id FROM performance_schema.session_connect_attrs WHERE attr_value = ?",
      [`train-sim/claim/${first.run}`],
    );
    await admin.query(`KILL CONNECTION ${Number(row?.["id"])}`);
    await expect.poll(() => notes.join()).toContain("was lost");
    await first.confirm();
    await first.release();
    expect(await namespaces.isRunActive(admin, namespace, first.run ?? "")).toBe(false);
    await (await claim()).release();
    await drop(namespace);
  });

  it("counts statements and rows as the server's digests and tables do", async () => {
    const namespace = await makeNamespace();
    // MariaDB counts no executions of prepared statements.
    const session = await load(namespace, dialect === "mysql");
    const tables = namespaces.qualifiedNames(namespace, TABLES.names, dialect);
    const reader = evidence.reader({
      endpoint: server().endpoint,
      dialect,
      workload: { tables, loadNames: [LOAD], groups: [] },
      isOwnServer: false,
    });
    await session.execute(text("insert", namespace), [0, 0]);
    await reader.open();
    await reader.openWindow();
    const before = await reader.sample();
    const begin = beginText("read committed", "READ WRITE");
    for (let id = 1; id <= 10; id++)
      await inTransaction(session, begin, async () => {
        await session.execute(text("insert", namespace), [id, 0]);
        await session.execute(text("update", namespace), [id]);
        await session.execute(text("read", namespace), [id, 0]);
      });
    const after = await reader.sample();
    const { statements, scans } = await reader.closeWindow(
      Object.keys(STATEMENTS(namespace)).map((name) => text(name, namespace)),
    );
    expect(statements?.map(({ name, calls, rows }) => [name, calls, rows]).sort()).toEqual([
      ["insert", 10, 10],
      ["read", 10, 20],
      ["update", 10, 10],
    ]);
    const digests = await admin.query(
      `SELECT SUM(count_star) AS calls FROM performance_schema.events_statements_summary_by_digest
        WHERE digest_text LIKE ? AND digest_text NOT LIKE 'PREPARE%' AND digest_text LIKE '%INSERT%'`,
      [`%${namespace}%`],
    );
    // One more than in the window.
    expect(Number(digests[0]?.["calls"])).toBe(11);
    const added = (name: string): number => (after[name] ?? Number.NaN) - (before[name] ?? Number.NaN);
    expect(["inserted", "updated", "deleted"].map((kind) => added(`tuples.${kind}`))).toEqual([10, 10, 0]);
    expect(added("wal.bytes")).toBeGreaterThan(1_000);
    expect(added("statistics.began")).toBe(0);
    expect(after).toMatchObject({ "sessions.idle": 1, "sessions.active": 0, "foreign.active": 0 });
    expect(after["size.tableBytes"]).toBeGreaterThanOrEqual(16_384);
    expect(after["size.indexBytes"]).toBeGreaterThanOrEqual(16_384);
    for (const name of [
      "wal.checkpointAgeBytes",
      "undo.historyLength",
      "blocks.hit",
      "transactions.deadlocks",
    ])
      expect(after[name], name).toBeGreaterThanOrEqual(0);
    expect(scans?.some(({ name, scans: n }) => name === "toys.PRIMARY" && n >= 10)).toBe(true);
    expect(reader.skipped.map(({ source }) => source)).toEqual([evidence.foreignSources.transactions]);
    await reader.close();
    await drop(namespace);
  });

  it("counts a wait for a row lock, and the session that waits", async () => {
    const namespace = await makeNamespace();
    const [holder, waiter] = [await load(namespace, true), await load(namespace, true)];
    const reader = evidence.reader({
      endpoint: server().endpoint,
      dialect,
      workload: { tables: {}, loadNames: [LOAD], groups: [] },
      isOwnServer: false,
    });
    await holder.execute(text("insert", namespace), [1, 0]);
    const before = await reader.sample();
    await holder.control("begin", beginText("read committed", "READ WRITE"));
    await holder.execute(text("update", namespace), [1]);
    const waiting = waiter.execute(text("update", namespace), [1]);
    // InnoDB refreshes the view of transactions only if no session has read it for 0.1 s.
    await expect.poll(async () => (await reader.sample())["locks.blocked"], { interval: 200 }).toBe(1);
    await systemClock.sleep(200);
    expect(await sessions.readWorkingSessions(admin, dialect, [LOAD])).toMatchObject({ count: 1 });
    await holder.control("commit", "COMMIT");
    await waiting;
    const after = await reader.sample();
    expect((after["locks.rowWaits"] ?? 0) - (before["locks.rowWaits"] ?? 0)).toBe(1);
    await reader.close();
    await drop(namespace);
  });

  it("lists the load's sessions, ends them, and cancels their statements", async () => {
    const namespace = await makeNamespace();
    const session = await load(namespace, true);
    const pids = await sessions.listProcessIds(admin, [LOAD]);
    expect(pids).toEqual([session.processId]);
    const sleep = session.execute({ name: "sleep", text: "DO SLEEP(20)" }, []).then(
      () => "done",
      () => "failed",
    );
    await expect
      .poll(
        async () =>
          (await admin.query("SELECT 1 FROM information_schema.processlist WHERE info LIKE 'DO SLEEP%'"))
            .length,
      )
      .toBe(1);
    expect(await sessions.signal(admin, "cancel", pids)).toBe(1);
    await sleep;
    expect(session.isBroken).toBe(false);
    expect(await sessions.signal(admin, "terminate", pids)).toBe(1);
    await expect.poll(() => session.isBroken).toBe(true);
    await expect.poll(() => sessions.listProcessIds(admin, [LOAD])).toEqual([]);
    expect(await sessions.signal(admin, "terminate", pids)).toBe(0);
    await drop(namespace);
  });

  it("locks a table, holds a snapshot and uses up connections", async () => {
    const namespace = await makeNamespace();
    const { toys = "" } = namespaces.qualifiedNames(namespace, TABLES.names, dialect);
    const client = await load(namespace, true);
    const locker = await sessions.open(server().endpoint);
    await sessions.lockTable(locker, toys, "access exclusive");
    const insert = client.execute(text("insert", namespace), [1, 0]);
    await expect
      .poll(
        async () =>
          (await admin.query("SELECT 1 FROM information_schema.processlist WHERE state LIKE '%lock%'"))
            .length,
      )
      .toBeGreaterThan(0);
    await sessions.release(locker);
    await insert;
    const holder = await sessions.open(server().endpoint);
    await sessions.holdSnapshot(holder, toys);
    await client.execute(text("update", namespace), [1]);
    expect(await holder.query(`SELECT n FROM ${toys}`)).toEqual([{ n: 0 }]);
    await sessions.release(holder);
    const held = sessions.holdConnections(server().endpoint);
    await held.takeAll();
    expect(held.count).toBeGreaterThan(100);
    const refused = new MySqlSession({ endpoint: server().endpoint, applicationName: LOAD, prepared: false });
    // An administrator has one connection more.
    const spare = await connectMySqlAdmin(server().endpoint).catch(() => undefined);
    await expect(refused.connect()).rejects.toThrow("it has no connection left (1040");
    await held.releaseAll();
    await spare?.close();
    await drop(namespace);
  });

  it("reads product, version, settings and identity, and finds the process of a local server", async () => {
    const info = await mysql.server.info(admin);
    expect(info).toMatchObject({ dialect, product: dialect === "mysql" ? "MySQL" : "MariaDB" });
    expect(info.version).toMatch(dialect === "mysql" ? /^9\.\d+\.\d+$/ : /^10\.11\.\d+$/);
    expect(info.settings).toMatchObject({ innodb_flush_log_at_trx_commit: "1", max_connections: "150" });
    expect(info.connections.inUse).toBeGreaterThan(0);
    const identity = await mysql.server.identity(server().endpoint);
    expect(identity.systemIdentifier).toMatch(/.{8}/);
    expect(Math.abs((await mysql.server.clockMs(admin)) - Date.now())).toBeLessThan(5_000);
    expect(await mysql.server.serverProcessOf(admin)).toBe(server().process.pid);
  });

  it("finds the rights that an account lacks", async () => {
    await admin.query(
      `CREATE USER poor@'127.0.0.1' IDENTIFIED BY 'p'; GRANT ALL ON trains.* TO poor@'127.0.0.1'`,
    );
    const poor = { ...server().endpoint, user: "poor", password: "p" };
    const obstacles = await mysql.server.obstacles({
      admin: poor,
      servers: [poor],
      clientEndpoints: [],
      namespaces: ["train_sim"],
      loadConnections: 1,
      controlConnections: 1,
      tablesOf,
    });
    expect(obstacles.map(({ kind, words }) => [kind, words])).toEqual([
      ["unfit", `account poor@127.0.0.1 may not create database "train_sim"`],
    ]);
    await admin.query(obstacles[0]?.remedy ?? "");
    const [row] = await admin.query("SELECT COUNT(*) AS n FROM mysql.db WHERE user = 'poor'");
    expect(Number(row?.["n"])).toBe(2);
    await admin.query("DROP USER poor@'127.0.0.1'");
  });

  it("lends the connections of a pool in order of arrival, and replaces one that ended", async () => {
    const pool = createConnectionSource({
      pool: { strategy: "in-process", size: 1 },
      endpoints: [server().endpoint],
      ...{ clients: 4, firstClient: 0, clientsOfTrial: 4, workers: 1, workerIndex: 0 },
      ...{ prepared: true, applicationName: LOAD },
    });
    const first = await pool.acquire(0);
    const served: number[] = [];
    const waiting = [3, 1, 2].map(async (client) => {
      const lease = await pool.acquire(client);
      served.push(client);
      await lease.release(false);
    });
    await first.release(false);
    await Promise.all(waiting);
    expect(served).toEqual([3, 1, 2]);
    const { processId } = first.connection as MySqlSession;
    await admin.query(`KILL CONNECTION ${processId}`);
    await expect.poll(() => first.connection.isBroken).toBe(true);
    const next = await pool.acquire(0);
    expect((next.connection as MySqlSession).processId).not.toBe(processId);
    await next.release(false);
    await pool.close();
  });

  it("lends direct connections, and new ones for each transaction, from the pools", async () => {
    const source = (reconnect: "never" | "per-transaction") =>
      createConnectionSource({
        pool: { strategy: "direct", reconnect },
        endpoints: [server().endpoint],
        ...{ clients: 2, firstClient: 0, clientsOfTrial: 2, workers: 1, workerIndex: 0 },
        ...{ prepared: true, applicationName: LOAD },
      });
    for (const [reconnect, distinct] of [
      ["never", 1],
      ["per-transaction", 3],
    ] as const) {
      const pool = source(reconnect);
      await pool.openConnections();
      const ids = new Set<number | undefined>();
      for (let i = 0; i < 3; i++) {
        const lease = await pool.acquire(0);
        ids.add((lease.connection as MySqlSession).processId);
        await lease.release(false);
      }
      expect(ids.size).toBe(distinct);
      await pool.close();
    }
  });
});
