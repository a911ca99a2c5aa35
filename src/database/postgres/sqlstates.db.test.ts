// Errors of a real server and a real network, caused one by one, and their classification.
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { generateSecret } from "../../foundation/prng.js";
import type { Endpoint } from "../endpoint.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { PgConnection } from "./connection.js";
import { classifyFailure } from "./sqlstates.js";
import { inTransaction } from "./transaction.js";

const endpoint = inject("adminEndpoint");
const schema = testNamespace("sqlstates");
const opened: PgConnection[] = [];
let admin: AdminClient;

async function open(to: Endpoint = endpoint, connectTimeoutMs = 10_000): Promise<PgConnection> {
  const connection = new PgConnection({
    endpoint: to,
    applicationName: "train-sim/test",
    prepared: false,
    connectTimeoutMs,
  });
  opened.push(connection);
  return connection.connect();
}

const run = (connection: PgConnection, text: string) => connection.execute({ name: "test.run", text }, []);

/** The classification of the rejection of `promise`. */
async function failureOf(promise: Promise<unknown>) {
  const error: unknown = await promise.then(
    () => expect.unreachable("it was expected to fail"),
    (reason: unknown) => reason,
  );
  return classifyFailure(error);
}

/** Resolves when the session is over. (`once` of node:events would reject at the first error.) */
const endOf = (connection: PgConnection) => new Promise<void>((resolve) => connection.once("end", resolve));

const backendOf = async (connection: PgConnection) =>
  Number((await run(connection, "SELECT pg_backend_pid() AS pid"))[0]?.[0]);

beforeAll(async () => {
  admin = await connectAdmin(endpoint);
  await admin.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.t (id int PRIMARY KEY, n int NOT NULL)`);
  await admin.query(`INSERT INTO ${schema}.t VALUES (1, 0), (2, 0)`);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((connection) => connection.end()));
});
afterAll(async () => {
  await admin.query(`DROP SCHEMA ${schema} CASCADE`);
  await admin.close();
});

describe("an error that leaves the session usable", () => {
  it("is retryable for a serialization failure", async () => {
    const [first, second] = [await open(), await open()];
    await first.control("begin", "BEGIN ISOLATION LEVEL REPEATABLE READ");
    await run(first, `SELECT n FROM ${schema}.t WHERE id = 1`);
    await run(second, `UPDATE ${schema}.t SET n = n + 1 WHERE id = 1`);
    const update = run(first, `UPDATE ${schema}.t SET n = n + 1 WHERE id = 1`);
    expect(await failureOf(update)).toEqual({ kind: "retry", sqlstate: "40001" });
    expect(first.isBroken).toBe(false);
  });

  it("is retryable for the victim of a deadlock", async () => {
    const clients = [await open(), await open()] as const;
    for (const [index, client] of clients.entries()) {
      await run(client, "SET deadlock_timeout = '10ms'");
      await client.control("begin", "BEGIN");
      await run(client, `UPDATE ${schema}.t SET n = 1 WHERE id = ${index + 1}`);
    }
    const crossed = clients.map((client, index) =>
      run(client, `UPDATE ${schema}.t SET n = 2 WHERE id = ${2 - index}`).then(
        async () => undefined,
        async (error: unknown) => {
          await client.control("rollback", "ROLLBACK");
          return classifyFailure(error);
        },
      ),
    );
    const victims = (await Promise.all(crossed)).filter((failure) => failure !== undefined);
    expect(victims[0]).toEqual({ kind: "retry", sqlstate: "40P01" });
  });

  it("is retryable for a lock that NOWAIT did not get", async () => {
    const [holder, other] = [await open(), await open()];
    await holder.control("begin", "BEGIN");
    await run(holder, `SELECT 1 FROM ${schema}.t WHERE id = 1 FOR UPDATE`);
    const attempt = run(other, `SELECT 1 FROM ${schema}.t WHERE id = 1 FOR UPDATE NOWAIT`);
    expect(await failureOf(attempt)).toEqual({ kind: "retry", sqlstate: "55P03" });
  });

  it.each([
    ["SELECT 1 FROM nowhere_at_all", "42P01"],
    [`INSERT INTO ${schema}.t VALUES (1, 1)`, "23505"],
    ["SELECT 1/0", "22012"],
    ["SELEC", "42601"],
  ])("is fatal for %s", async (text, sqlstate) => {
    const connection = await open();
    expect(await failureOf(run(connection, text))).toEqual({ kind: "fatal", sqlstate });
    expect(await run(connection, "SELECT 1 AS one")).toEqual([[1]]);
  });
});

describe("an error that ends the session", () => {
  it("causes a reconnect after pg_terminate_backend during a statement", async () => {
    const connection = await open();
    const pid = await backendOf(connection);
    const sleeping = failureOf(run(connection, "SELECT pg_sleep(60)"));
    await admin.query("SELECT pg_terminate_backend($1)", [pid]);
    expect(await sleeping).toEqual({ kind: "reconnect", sqlstate: "57P01" });
    expect(connection.isBroken).toBe(true);
    expect((await failureOf(run(connection, "SELECT 1"))).kind).toBe("reconnect");
  });

  it("causes a reconnect at the next statement if an idle session was ended", async () => {
    const connection = await open();
    const ended = endOf(connection);
    await admin.query("SELECT pg_terminate_backend($1)", [await backendOf(connection)]);
    await ended;
    expect(connection.isBroken).toBe(true);
    // The next statement reports the real cause, not that the driver found the connection unusable.
    const failure = await failureOf(run(connection, "SELECT 1"));
    expect(failure).toEqual({ kind: "reconnect", sqlstate: "57P01" });
  });

  it("leaves no commit in doubt if the session ended in the app delay before it", async () => {
    const connection = await open();
    const body = async (): Promise<void> => {
      const ended = endOf(connection);
      await admin.query("SELECT pg_terminate_backend($1)", [await backendOf(connection)]);
      await ended;
    };
    const failure = await failureOf(inTransaction(connection, "BEGIN", body));
    expect(failure).toEqual({ kind: "reconnect", sqlstate: "57P01" });
  });

  it.each([
    ["idle_in_transaction_session_timeout", "BEGIN", "25P03"],
    ["idle_session_timeout", "SELECT 1", "57P05"],
  ])("causes a reconnect after %s", async (setting, first, sqlstate) => {
    const connection = await open();
    const ended = endOf(connection);
    // One message, so that the session cannot time out between the two statements.
    await connection.query(`SET ${setting} = '5ms'; ${first}`);
    await ended;
    expect(await failureOf(run(connection, "SELECT 1"))).toEqual({ kind: "reconnect", sqlstate });
  });

  it("causes a reconnect if the role has no connection left", async () => {
    const role = testNamespace("role");
    const password = generateSecret();
    await admin.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 1 PASSWORD '${password}'`);
    try {
      const as = { ...endpoint, user: role, password };
      await open(as);
      expect(await failureOf(open(as))).toEqual({ kind: "reconnect", sqlstate: "53300" });
    } finally {
      await Promise.all(opened.splice(0).map((connection) => connection.end()));
      await admin.query(`DROP ROLE ${role}`);
    }
  });
});

describe("an error of the network", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** A loopback server that calls `onConnection` for every connection. */
  async function listen(onConnection: (socket: Socket) => void): Promise<Endpoint> {
    const server = createServer(onConnection).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    return { ...endpoint, port: (server.address() as AddressInfo).port };
  }

  it("causes a reconnect if nothing listens", async () => {
    const gone = await listen(() => undefined);
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect(await failureOf(open(gone))).toEqual({ kind: "reconnect", sqlstate: "ECONNREFUSED" });
  });

  it("causes a reconnect if the other side hangs up during the login", async () => {
    const rude = await listen((socket) => socket.destroy());
    const { kind, sqlstate } = await failureOf(open(rude));
    expect(kind).toBe("reconnect");
    expect(["08006", "ECONNRESET"]).toContain(sqlstate);
  });

  it("causes a reconnect if the other side resets the connection", async () => {
    const resetting = await listen((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await failureOf(open(resetting))).toEqual({ kind: "reconnect", sqlstate: "ECONNRESET" });
  });

  it("causes a reconnect if the other side accepts and never answers", async () => {
    const mute = await listen((socket) => socket.on("error", () => undefined));
    expect(await failureOf(open(mute, 20))).toEqual({ kind: "reconnect", sqlstate: "08001" });
  });

  it("is returned at once if the connection is closed while it is being opened", async () => {
    let arrive: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (arrive = resolve));
    const mute = await listen((socket) => {
      socket.on("error", () => undefined);
      arrive();
    });
    const connecting = failureOf(open(mute));
    await arrival;
    await opened.at(-1)?.end();
    expect(await connecting).toEqual({ kind: "reconnect", sqlstate: "08006" });
  });
});
