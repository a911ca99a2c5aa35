// One suite of behaviours that every pool strategy must show, with real servers and real poolers, PgBouncer of two
// versions: the clients' code must not see which strategy it has. Limits of a strategy (no transaction of several
// statements in statement mode, no more clients than server connections in session mode) have separate tests.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "../database/endpoint.js";
import { ownDatabase } from "../../test/support/own-database.js";
import { SIZE, STRATEGIES } from "../../test/support/pool-strategies.js";
import { type AdminClient } from "../database/postgres/admin.js";
import { classifyFailure } from "../database/postgres/sqlstates.js";
import type { Failure } from "../database/contract.js";
import { startPoolers } from "./managed.js";
import { createConnectionSource, isManaged, poolerKindOf } from "./registry.js";
import type { SourceOptions } from "./source-options.js";
import type { ConnectionSource } from "../database/session.js";
import type { Connection, SqlRow, SqlValue, StatementRow } from "../database/sql.js";
import type { RunningPooler } from "./running-pooler.js";

/** Two databases of one server, so that its two endpoints can be distinguished. */
const [own, other] = [ownDatabase("pool"), ownDatabase("pool")];
const { database } = own.endpoint;
let admin: AdminClient;

beforeAll(async () => {
  admin = own.admin;
  await admin.query("CREATE TABLE counter (client int PRIMARY KEY, n int NOT NULL)");
});

let statements = 0;
/** Runs one statement of the workload under a unique statement name. */
const run = (
  connection: Connection,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<StatementRow[]> => connection.execute({ name: `test.${statements++}`, text }, values);

const ADD = {
  name: "counter.add",
  text: "INSERT INTO counter VALUES ($1, 1) ON CONFLICT (client) DO UPDATE SET n = counter.n + 1",
};

const backendOf = async (connection: Connection) =>
  Number((await run(connection, "SELECT pg_backend_pid() AS pid"))[0]?.[0]);

async function countersOf(client: AdminClient = admin): Promise<SqlRow[]> {
  return client.query("SELECT client, n FROM counter ORDER BY client");
}

/** The classification of the error with which `promise` rejects. */
const failureOf = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(() => expect.unreachable("it was expected to fail"), classifyFailure);

/** Asks the server repeatedly until the answer fits; resolves to that answer. */
async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
  }
}

async function sessions(application: string, of: string = database): Promise<number> {
  const [row] = await admin.query(
    "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = $1 AND datname = $2",
    [application, of],
  );
  return Number(row?.n);
}

describe.each(STRATEGIES)("$name", (strategy) => {
  const { pool, prepared, isShared, isSession, isStatementOnly } = strategy;
  const sources: ConnectionSource<Connection>[] = [];
  let applications = 0;
  let application = "";
  let pooler: RunningPooler | undefined;
  let endpoints: readonly Endpoint[];

  beforeAll(async () => {
    endpoints = [own.endpoint];
    if (!isManaged(pool)) return;
    const kind = poolerKindOf(pool);
    pooler = await startPoolers(kind, { ...pool, maxClientConnections: 50 }, endpoints, strategy.env?.());
    expect(pooler.supportsPreparedStatements || !prepared).toBe(true);
  });
  afterEach(async () => {
    await Promise.all(sources.splice(0).map((source) => source.close()));
    await admin.query("TRUNCATE counter");
  });
  afterAll(() => pooler?.stop());

  /** Opens the strategy for that many clients of one worker thread; on one endpoint unless `changes` names others. */
  function open(clients: number, changes: Partial<SourceOptions> = {}): ConnectionSource<Connection> {
    application = `train-sim/test-${applications++}`;
    const source = createConnectionSource({
      pool,
      endpoints: pooler ? pooler.endpoints.slice(0, 1) : endpoints,
      clients,
      firstClient: 0,
      clientsOfTrial: clients,
      workers: 1,
      workerIndex: 0,
      prepared,
      applicationName: application,
      ...changes,
    }) as ConnectionSource<Connection>;
    sources.push(source);
    return source;
  }

  /** Number of clients of each pooler, as its statistics say, without the session that asks. */
  async function clientsOf({ consoles, endpoints }: RunningPooler): Promise<number[]> {
    return Promise.all(
      consoles.map(async (console, index) => {
        if (!isManaged(pool)) throw new Error("a pooler of ours");
        const at = endpoints.slice(index, index + 1);
        const statistics = await poolerKindOf(pool).statistics([console], at, 1000);
        const { clientsActive, clientsWaiting = 0 } = await statistics.sample();
        await statistics.close();
        return clientsActive + clientsWaiting;
      }),
    );
  }

  /** Runs one transaction of that client, which commits. */
  async function add(source: ConnectionSource<Connection>, client: number): Promise<void> {
    const lease = await source.acquire(client);
    let isSuspect = true;
    try {
      if (!isStatementOnly) await lease.connection.control("begin", "BEGIN");
      await lease.connection.execute(ADD, [client]);
      if (!isStatementOnly) await lease.connection.control("commit", "COMMIT");
      isSuspect = false;
    } finally {
      await lease.release(isSuspect);
    }
  }

  it("commits a transaction", async () => {
    const source = open(1);
    await source.openConnections();
    await add(source, 0);
    await add(source, 0);
    expect(await countersOf()).toEqual([{ client: 0, n: 2 }]);
  });

  if (!isStatementOnly)
    it("rolls a transaction back", async () => {
      const source = open(1);
      const lease = await source.acquire(0);
      await lease.connection.control("begin", "BEGIN");
      await lease.connection.execute(ADD, [0]);
      await lease.connection.control("rollback", "ROLLBACK");
      await lease.release(false);
      expect(await countersOf()).toEqual([]);
    });

  if (isStatementOnly)
    it("refuses a transaction block with a fatal error in statement mode", async () => {
      const lease = await open(1).acquire(0);
      const failure = await failureOf(lease.connection.control("begin", "BEGIN"));
      expect(failure).toEqual({ kind: "fatal", sqlstate: "08P01" });
      await lease.release(true);
    });

  if (!isStatementOnly)
    it("gives concurrent transactions separate sessions", async () => {
      const source = open(2);
      const [first, second] = [await source.acquire(0), await source.acquire(1)];
      for (const { connection } of [first, second]) await connection.control("begin", "BEGIN");
      await first.connection.execute(ADD, [0]);
      expect(await run(second.connection, "SELECT count(*) AS n FROM counter")).toEqual([[0]]);
      expect(await backendOf(first.connection)).not.toBe(await backendOf(second.connection));
      await first.connection.control("commit", "COMMIT");
      expect(await run(second.connection, "SELECT count(*) AS n FROM counter")).toEqual([[1]]);
      await second.connection.control("commit", "COMMIT");
      await Promise.all([first.release(false), second.release(false)]);
    });

  it("gives a clean connection after an error", async () => {
    const source = open(1);
    for (let round = 0; round < 3; round++) {
      const lease = await source.acquire(0);
      if (!isStatementOnly) await lease.connection.control("begin", "BEGIN");
      const failure = await failureOf(run(lease.connection, "SELECT 1/0"));
      expect(failure).toEqual({ kind: "fatal", sqlstate: "22012" });
      // The transactor does the same: it rolls back if possible, and marks the lease suspect if not.
      if (round === 0 && !isStatementOnly) await lease.connection.control("rollback", "ROLLBACK");
      await lease.release(round > 0);
      await add(source, 0);
    }
    expect(await countersOf()).toEqual([{ client: 0, n: 3 }]);
  });

  it("replaces a connection whose backend was killed", async () => {
    const source = open(1);
    const lease = await source.acquire(0);
    if (!isStatementOnly) await lease.connection.control("begin", "BEGIN");
    const sleeping = failureOf(run(lease.connection, "SELECT pg_sleep(60) /* to be killed */"));
    const [victim] = await until(
      () =>
        admin.query(
          `SELECT pid FROM pg_stat_activity
            WHERE datname = $1 AND wait_event = 'PgSleep' AND query LIKE '%to be killed%'`,
          [database],
        ),
      (rows) => rows.length === 1,
    );
    await admin.query("SELECT pg_terminate_backend($1)", [victim?.pid]);
    expect((await sleeping).kind).toBe("reconnect");
    expect(lease.connection.isBroken).toBe(true);
    await lease.release(true);
    await add(source, 0);
    expect(await countersOf()).toEqual([{ client: 0, n: 1 }]);
  });

  it("recovers after every backend was killed between two transactions", async () => {
    const source = open(3);
    await source.openConnections();
    for (let client = 0; client < 3; client++) await add(source, client);
    await admin.query(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()",
      [database],
    );
    for (let client = 0; client < 3; client++) {
      // The transactor does the same: a client that had not noticed the loss reconnects and tries again.
      for (let isDone = false; !isDone;) {
        const failure = await add(source, client).then(() => undefined, classifyFailure);
        expect(failure?.kind ?? "reconnect").toBe("reconnect");
        isDone = failure === undefined;
      }
    }
    expect(await countersOf()).toEqual([0, 1, 2].map((client) => ({ client, n: 2 })));
  });

  it("serves every client under contention", async () => {
    // A client keeps its server connection in session mode: there can be no more clients than connections.
    const clients = isSession ? SIZE : 3 * SIZE;
    const source = open(clients);
    await source.openConnections();
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let round = 0; round < 5; round++) await add(source, client);
      }),
    );
    expect(await countersOf()).toEqual(Array.from({ length: clients }, (_, client) => ({ client, n: 5 })));
  });

  it('shows its role as application_name, and "train-sim" through a pooler', async () => {
    const lease = await open(1).acquire(0);
    const text = "SELECT application_name AS name FROM pg_stat_activity WHERE pid = pg_backend_pid()";
    expect(await run(lease.connection, text)).toEqual([[pooler ? "train-sim" : application]]);
    await lease.release(false);
  });

  it("prepares statements by name only if it supports them", async () => {
    const lease = await open(1).acquire(0);
    await lease.connection.execute(ADD, [0]);
    const text =
      "SELECT count(*) > 0 AS some FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO counter%'";
    expect(await run(lease.connection, text)).toEqual([[prepared]]);
    await lease.release(false);
  });

  if (isShared)
    it("lets a client wait while all connections are in use, and serves the client afterwards", async () => {
      const source = open(SIZE + 1);
      const holders = await Promise.all(
        Array.from({ length: SIZE }, async (_, client) => source.acquire(client)),
      );
      for (const { connection } of holders) {
        await connection.control("begin", "BEGIN");
        // Odyssey lends a server connection for the first statement, and answers BEGIN itself.
        await run(connection, "SELECT 1");
      }
      const served: string[] = [];
      const late = add(source, SIZE).then(() => served.push("late"));
      // Each statement is a round trip during which the late client could have used the connection.
      for (const { connection } of holders) await run(connection, "SELECT 1");
      served.push("holders");
      await holders[0]?.connection.control("commit", "COMMIT");
      await holders[0]?.release(false);
      await late;
      expect(served).toEqual(["holders", "late"]);
      for (const holder of holders.slice(1)) {
        await holder.connection.control("commit", "COMMIT");
        await holder.release(false);
      }
    });

  it("spreads clients evenly over the endpoints and over worker threads", async () => {
    const two = [own.endpoint, other.endpoint];
    const spread = { endpoints: pooler?.endpoints ?? two, applicationName: "train-sim/spread" };
    // Worker 0 has clients 0, 1, 2 and worker 1 has clients 3, 4, 5; a pool of 4 gives each two connections.
    const workers = [0, 3].map((firstClient, workerIndex) =>
      open(3, { ...spread, firstClient, clientsOfTrial: 6, workers: 2, workerIndex }),
    );
    const isShared = ["pg-pool", "in-process"].includes(pool.strategy);
    const expected = isShared ? [2, 2] : [3, 3];
    const leases = await Promise.all(
      workers.flatMap((source) =>
        Array.from({ length: isShared ? 2 : 3 }, async (_, client) => source.acquire(client)),
      ),
    );
    const counts = pooler
      ? await clientsOf(pooler)
      : await Promise.all(two.map((each) => sessions("train-sim/spread", each.database)));
    expect(counts).toEqual(expected);
    for (const lease of leases) await lease.release(false);
  });

  it("connects all clients of a worker to the worker's endpoint if it has one", async () => {
    const two = pooler?.endpoints ?? [own.endpoint, other.endpoint];
    const source = open(2, { endpoints: two, homeEndpoint: 1 });
    const leases = await Promise.all([0, 1].map(async (client) => source.acquire(client)));
    expect([0, 1].map((client) => source.endpointOf(client))).toEqual([1, 1]);
    expect(source.contacts.map(({ connects }) => connects > 0)).toEqual([false, true]);
    for (const lease of leases) await lease.release(false);
  });

  it("leaves no connection after it is closed", async () => {
    const source = open(3);
    await source.openConnections();
    await add(source, 0);
    await source.close();
    if (pooler) {
      const left = pooler;
      await until(
        () => clientsOf(left),
        (clients) => clients.every((each) => each === 0),
      );
    } else {
      await until(
        () => sessions(application),
        (count) => count === 0,
      );
    }
    await expect(source.acquire(0)).rejects.toThrow("the pool is closed");
  });

  it("closes while a statement runs and a client waits for a connection", async () => {
    const source = open(SIZE + 1);
    const clients = isSession ? SIZE : SIZE + 1;
    const outcomes = Array.from({ length: clients }, async (_, client) => {
      const lease = await source.acquire(client);
      try {
        await run(lease.connection, "SELECT pg_sleep(60) /* until closed */");
      } finally {
        await lease.release(true);
      }
    }).map(failureOf);
    await until(
      () =>
        admin.query("SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'PgSleep'", [
          database,
        ]),
      (rows) => rows.length >= SIZE,
    );
    await source.close();
    for (const { kind } of await Promise.all(outcomes)) expect(kind).not.toBe("retry");
    // A pooler closes a server connection whose client is gone; direct connections have to be ended by hand.
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'PgSleep'",
      [database],
    );
  });

  it("refuses an unreachable endpoint with the reason", async () => {
    const gone = { ...own.endpoint, port: 1 };
    const source = open(2, { endpoints: [gone] });
    if ("reconnect" in pool && pool.reconnect === "per-transaction") await source.openConnections();
    else
      await expect(source.openConnections()).rejects.toThrow(
        /cannot connect to .*:1\/.*nothing listens there/,
      );
    expect(await failureOf(Promise.resolve(source.acquire(0)))).toEqual({
      kind: "reconnect",
      sqlstate: "ECONNREFUSED",
    });
  });
});
