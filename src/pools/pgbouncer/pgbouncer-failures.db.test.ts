// Errors of real PgBouncers of several versions: how they are classified, and the message that a user reads.
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, describe, expect, inject, it } from "vitest";
import type { Endpoint } from "../../database/endpoint.js";
import { casesOf } from "../../../test/support/lanes.js";
import { NEWEST_PGBOUNCER, pgBouncerEnv, PGBOUNCER_KINDS } from "../../../test/support/pgbouncers.js";
import { startPgBouncers } from "../../../test/support/pgbouncers.js";
import { connectAdmin } from "../../database/postgres/admin.js";
import { PgConnection } from "../../database/postgres/connection.js";
import { classifyFailure } from "../../database/postgres/sqlstates.js";
import { asTransaction } from "../../database/postgres/transaction.js";
import type { RunningPooler } from "../running-pooler.js";
import { openConsole, withConsole } from "../console.js";
import { readVersion } from "./console.js";

const upstream = inject("adminEndpoint");
const poolers: RunningPooler[] = [];
const opened: PgConnection[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.end()));
  await Promise.all(poolers.splice(0).map((pooler) => pooler.stop()));
});

describe.each(casesOf(PGBOUNCER_KINDS, 2))("PgBouncer %s", (kind) => {
  /**
   * Starts a PgBouncer in transaction mode with one server connection; returns the endpoints of its clients and its
   * console.
   */
  async function start(before: Endpoint = upstream) {
    const pooler = await startPgBouncers(
      { mode: "transaction", size: 1, instances: 1, maxPreparedStatements: 0, maxClientConnections: 20 },
      before,
      pgBouncerEnv(kind),
    );
    poolers.push(pooler);
    const [endpoint] = pooler.endpoints;
    const [console] = pooler.consoles;
    if (!endpoint || !console) return expect.unreachable("a pooler has an endpoint and a console");
    return { pooler, endpoint, console };
  }

  async function open(endpoint: Endpoint): Promise<PgConnection> {
    const connection = new PgConnection({ endpoint, applicationName: "train-sim", prepared: false });
    opened.push(connection);
    return connection.connect();
  }

  /** Changes a setting of the running PgBouncer. */
  async function set(console: Endpoint, setting: string): Promise<void> {
    await withConsole(console, (client) => client.query(`SET ${setting}`));
  }

  const failureOf = (promise: Promise<unknown>) =>
    promise.then(() => expect.unreachable("it was expected to fail"), classifyFailure);
  const select = (connection: PgConnection) => connection.execute({ name: "test.one", text: "SELECT 1" }, []);

  it("reports its version and pools on its console", async () => {
    const { pooler, endpoint, console } = await start();
    await select(await open(endpoint));
    const client = await openConsole(console);
    expect(await readVersion(client)).toBe(pooler.version);
    const pools = await client.query("SHOW POOLS");
    expect(pools).toContainEqual(
      expect.objectContaining({
        database: endpoint.database,
        cl_active: 1,
        sv_idle: 1,
        pool_mode: "transaction",
      }),
    );
    await client.close();
    const server = await connectAdmin(upstream);
    await expect(readVersion(server)).rejects.toMatchObject({ code: "42704" });
    await server.close();
  });

  it("reconnects a client that got no server connection in time", async () => {
    const { endpoint, console } = await start();
    const [holder, waiter] = [await open(endpoint), await open(endpoint)];
    await holder.control("begin", "BEGIN");
    // Set only after the first server connection exists, which takes longer than this on a busy machine.
    await set(console, "query_wait_timeout = '0.01'");
    expect(await failureOf(select(waiter))).toEqual({ kind: "reconnect", sqlstate: "08P01" });
    expect(waiter.isBroken).toBe(true);
    await holder.control("commit", "COMMIT");
  });

  it("leaves a commit in doubt only if it passed the transaction on to the server", async () => {
    const { endpoint, console } = await start();
    const [holder, waiter] = [await open(endpoint), await open(endpoint)];
    await holder.control("begin", "BEGIN");
    // Set only after the first server connection exists, which takes longer than this on a busy machine.
    await set(console, "query_wait_timeout = '0.01'");
    const queued = failureOf(asTransaction(select(waiter), String));
    expect(await queued).toEqual({ kind: "reconnect", sqlstate: "08P01" });
    await holder.control("commit", "COMMIT");
    const suicide = { name: "test.end", text: "SELECT pg_terminate_backend(pg_backend_pid(), 10000)" };
    expect((await failureOf(asTransaction(holder.execute(suicide, []), String))).kind).toBe("in-doubt");
  });

  if (kind === NEWEST_PGBOUNCER)
    it("reconnects a client whose transaction exceeds transaction_timeout", async () => {
      const { endpoint, console } = await start();
      await set(console, "transaction_timeout = '0.01'");
      const connection = await open(endpoint);
      await connection.control("begin", "BEGIN");
      const sleep = { name: "test.sleep", text: "SELECT pg_sleep(60)" };
      expect(await failureOf(connection.execute(sleep, []))).toEqual({
        kind: "reconnect",
        sqlstate: "08P01",
      });
      expect(connection.isBroken).toBe(true);
    });

  it("reconnects a client that it refuses at max_client_conn", async () => {
    const { endpoint, console } = await start();
    await open(endpoint);
    await set(console, "max_client_conn = 1");
    const refused = open(endpoint);
    await expect(refused).rejects.toThrow("it has no connection left");
    expect((await failureOf(refused)).kind).toBe("reconnect");
  });

  it("reconnects a client while the server behind it is unreachable", async () => {
    const listener = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    const { endpoint, console } = await start({ ...upstream, port });
    await new Promise((resolve) => listener.close(resolve));
    await set(console, "client_login_timeout = '0.05'");
    const refused = open(endpoint);
    await expect(refused).rejects.toThrow("the pooler there cannot reach the database behind it");
    expect(await failureOf(refused)).toEqual({ kind: "reconnect", sqlstate: "08P01" });
  });

  it("reconnects a client when it is stopped during a statement", async () => {
    const { endpoint, pooler } = await start();
    const connection = await open(endpoint);
    const admin = await connectAdmin(upstream);
    const sleeping = failureOf(
      connection.execute({ name: "test.sleep", text: "SELECT pg_sleep(60) /* behind a pooler */" }, []),
    );
    const isAsleep = () =>
      admin.query(
        "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%behind a pooler%'",
      );
    let [asleep] = await isAsleep();
    while (!asleep) [asleep] = await isAsleep();
    await pooler.stop();
    expect((await sleeping).kind).toBe("reconnect");
    await admin.query("SELECT pg_terminate_backend($1)", [asleep.pid]);
    await admin.close();
  });

  it("refuses a missing database with a fatal error", async () => {
    const { endpoint } = await start();
    const refused = open({ ...endpoint, database: "nowhere" });
    await expect(refused).rejects.toThrow('there is no database "nowhere"');
    expect((await failureOf(refused)).kind).toBe("fatal");
  });

  it("refuses a wrong password with a fatal error, by itself or through the server behind it", async () => {
    const { endpoint } = await start();
    const byPooler = open({ ...endpoint, password: "wrong" });
    await expect(byPooler).rejects.toThrow("the password for user");
    expect((await failureOf(byPooler)).kind).toBe("fatal");
    const behind = await start({ ...upstream, password: "wrong" });
    const byServer = open(behind.endpoint);
    await expect(byServer).rejects.toThrow("the password for user");
    expect((await failureOf(byServer)).kind).toBe("fatal");
  });

  it("closes a console session that uses the extended protocol", async () => {
    const { console } = await start();
    const connection = await open(console);
    const ended = new Promise<void>((resolve) => connection.once("end", resolve));
    await connection.query("SHOW VERSION", [1]).catch(() => undefined);
    await ended;
    expect(connection.isBroken).toBe(true);
  });
});
