// Real Odysseys: the start and the end of their processes, log-in, statistics, a pause, their own transactions, the check
// of a running one, and whole runs.
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, expect, it } from "vitest";
import { fullIt } from "../../../test/support/lanes.js";
import { ownDatabase } from "../../../test/support/own-database.js";
import { poolerEnv } from "../../../test/support/poolers.js";
import { urlOf } from "../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../test/support/train-sim.js";
import { PoolerSource } from "../../engine/evidence/pooler-evidence.js";
import { APPLICATION_NAME } from "../../database/contract.js";
import type { Endpoint } from "../../database/endpoint.js";
import { connectAdmin } from "../../database/postgres/admin.js";
import { PgConnection } from "../../database/postgres/connection.js";
import { freePort } from "../../foundation/process/server-process.js";
import { startPoolers } from "../managed.js";
import type { RunningPooler } from "../running-pooler.js";
import { odysseyObstacles } from "./obstacles.js";
import { odysseyKind } from "./odyssey.js";
import type { OdysseySettings } from "./odyssey-config.js";
import { pause } from "./odyssey-console.js";
import { ownTransactions } from "./own-transactions.js";
import { startOdyssey } from "./start-odyssey.js";

const SETTINGS: OdysseySettings = {
  ...{ mode: "transaction", size: 2, instances: 1, preparedStatements: true, maxClientConnections: 20 },
};
const own = ownDatabase("odyssey");
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  const left = (await readdir(tmpdir())).filter((name) =>
    name.startsWith(`train-sim-odyssey-${process.pid}-`),
  );
  expect(left).toEqual([]);
});

interface Started {
  readonly pooler: RunningPooler;
  readonly endpoint: Endpoint;
  readonly console: Endpoint;
}

async function start(settings: Partial<OdysseySettings> = {}, upstream = own.endpoint): Promise<Started> {
  const all = { ...SETTINGS, ...settings };
  const pooler = await startPoolers(odysseyKind, all, [upstream], poolerEnv("odyssey"));
  closers.push(() => pooler.stop());
  const [[endpoint], [console]] = [pooler.endpoints, pooler.consoles];
  if (!endpoint || !console) return expect.unreachable("a pooler has an endpoint and a console");
  return { pooler, endpoint, console };
}

async function open(endpoint: Endpoint): Promise<PgConnection> {
  const connection = new PgConnection({ endpoint, applicationName: APPLICATION_NAME, prepared: true });
  closers.push(() => connection.end());
  return connection.connect();
}

const SELECT = { name: "test.select", text: "SELECT current_schema() AS name" };
async function transact(connection: PgConnection): Promise<unknown> {
  await connection.control("begin", "BEGIN");
  const rows = await connection.execute(SELECT, []);
  await connection.control("commit", "COMMIT");
  return rows[0]?.[0];
}

it("Odyssey stops at once while a client is connected", async () => {
  const { pooler, endpoint } = await start();
  expect(pooler.version).toMatch(/^1\.[5-9]/);
  await transact(await open(endpoint));
  await pooler.stop();
  await expect(open(endpoint)).rejects.toThrow(/nothing listens/);
});

it("Odyssey is reported when it ends on its own, and restarts on its port after being killed", async () => {
  const { pooler, endpoint } = await start();
  await pooler.instances[0]?.shutDown("kill");
  await expect(open(endpoint)).rejects.toThrow(/nothing listens/);
  await pooler.instances[0]?.start();
  await transact(await open(endpoint));
  process.kill(pooler.pids[0] ?? 0, "SIGKILL");
  await expect(pooler.lost).resolves.toMatch(/Odyssey at 127.0.0.1:\d+ ended on its own \(SIGKILL\)/);
});

it("Odyssey takes another port if the chosen one is in use", async () => {
  const ports = [own.endpoint.port, own.endpoint.port];
  const program = await odysseyKind.find(poolerEnv("odyssey"));
  const choosePort = async (): Promise<number> => ports.pop() ?? freePort();
  const instance = await startOdyssey(program, SETTINGS, own.endpoint, choosePort);
  closers.push(() => instance.stop());
  expect(ports).toEqual([]);
  await transact(await open(instance.client));
});

it("Odyssey takes settings of each section, and its refusal of one is shown", async () => {
  const accepted = { workers: "2", client_login_timeout: "5000", server_max_routing: "4" };
  const { endpoint } = await start({ settings: { ...accepted, server_lifetime: "60", pool_ttl: "60" } });
  await transact(await open(endpoint));
  await expect(start({ settings: { server_lifetimes: "60" } })).rejects.toThrow(
    /Odyssey 1\..* does not start: .*server_lifetimes/,
  );
});

it("Odyssey admits a client by the certificate for its name only, and its console by password", async () => {
  const { pooler, endpoint, console } = await start({ login: "certificate" });
  const other = await start({ login: "certificate" });
  const { tls, ...withoutTls } = endpoint;
  if (!tls) return expect.unreachable("a log-in by certificate is over TLS");
  const { cert, key, ...withoutCertificate } = tls;
  expect(cert?.length).not.toBe(key?.length);
  await transact(await open({ ...endpoint, password: "of no use" }));
  const refused = [
    withoutTls,
    { ...endpoint, tls: withoutCertificate },
    { ...endpoint, tls: other.endpoint.tls },
  ];
  for (const each of refused) await expect(open(each as Endpoint)).rejects.toThrow();
  await (await pooler.statistics(5_000)).close();
  await expect(connectAdmin({ ...console, password: "another" })).rejects.toThrow();
});

it("Odyssey reports clients, server connections, transactions and waits", async () => {
  const { pooler, endpoint } = await start({ size: 1 });
  const source = new PoolerSource(pooler);
  closers.push(() => source.close());
  const [holder, waiter] = [await open(endpoint), await open(endpoint)];
  const before = await source.sample();
  await holder.control("begin", "BEGIN");
  await holder.execute(SELECT, []);
  await waiter.control("begin", "BEGIN");
  const late = waiter.execute(SELECT, []);
  const busy = { "pooler.clientsActive": 1, "pooler.clientsWaiting": 1, "pooler.serversActive": 1 };
  await expect.poll(() => source.sample(), { timeout: 200_000 }).toMatchObject(busy);
  await holder.execute({ name: "test.sleep", text: "SELECT pg_sleep(0.02)" }, []);
  await holder.control("commit", "COMMIT");
  await late;
  await waiter.control("commit", "COMMIT");
  const after = await source.sample();
  const grown = (name: string): number => (after[`pooler.${name}`] ?? 0) - (before[`pooler.${name}`] ?? 0);
  expect(grown("transactions")).toBe(2);
  expect(grown("waitMs")).toBeGreaterThanOrEqual(20);
  expect(grown("queryMs")).toBeGreaterThanOrEqual(grown("waitMs") + 20);
  const statistics = await pooler.statistics(1_000);
  expect(await statistics.serversMax()).toBe(1);
  await statistics.close();
});

it("a paused Odyssey holds transactions back until it goes on", async () => {
  const { endpoint, console } = await start();
  const [holder, other] = [await open(endpoint), await open(endpoint)];
  await holder.control("begin", "BEGIN");
  await holder.execute(SELECT, []);
  const order: string[] = [];
  const paused = pause([console], new AbortController().signal).then((goOn) => {
    order.push("paused");
    return goOn;
  });
  await holder.execute(SELECT, []);
  order.push("commit");
  await holder.control("commit", "COMMIT");
  const goOn = await paused;
  const held = transact(other).then(() => order.push("held"));
  await connectAdmin(console).then((session) => session.close());
  order.push("on");
  await goOn();
  await held;
  expect(order).toEqual(["commit", "paused", "on", "held"]);
});

it.each([
  [{}, "never"],
  [{ settings: { pool_discard: "yes" } }, "never"],
  [{ preparedStatements: false, settings: { pool_discard: "yes" } }, "never"],
  [{ mode: "session" }, "per-transaction"],
] as const)(
  "Odyssey with %j adds the number of transactions that follows from it",
  async (changes, reconnect) => {
    const before = await own.countTransactions();
    const settings = { ...SETTINGS, size: 1, ...changes };
    const { pooler, endpoint } = await start(settings);
    const rounds = 20;
    let connection = await open(endpoint);
    for (let round = 0; round < rounds; round++) {
      await connection.control("begin", "BEGIN");
      await connection.query("SELECT 1");
      await connection.control("commit", "COMMIT");
      if (reconnect === "never") continue;
      await connection.end();
      connection = await open(endpoint);
    }
    await connection.end();
    await pooler.stop();
    const added = ownTransactions({ ...settings, reconnect, urls: [] });
    await expect
      .poll(async () => (await own.countTransactions()) - before, { timeout: 200_000 })
      .toBeGreaterThanOrEqual(rounds * (1 + added));
    // Tolerates one more assignment at either end, and a name that is set for the first client.
    expect((await own.countTransactions()) - before).toBeLessThanOrEqual(rounds * (1 + added) + 6);
  },
);

it("a reset of the session keeps the schema in which names are looked up", async () => {
  await own.admin.query("CREATE SCHEMA elsewhere");
  const upstream = { ...own.endpoint, searchPath: '"elsewhere"' };
  const { endpoint } = await start({ size: 1, settings: { pool_discard: "yes" } }, upstream);
  const connection = await open(endpoint);
  expect([await transact(connection), await transact(connection)]).toEqual(["elsewhere", "elsewhere"]);
});

it("a running Odyssey that differs from the scenario is an obstacle", async () => {
  const { pooler } = await start({ size: 3, preparedStatements: false });
  const obstacles = (mode: "session" | "transaction", size: number, preparedStatements = false) =>
    odysseyObstacles({ mode, size, preparedStatements }, pooler, true);
  expect(await obstacles("transaction", 3)).toEqual([]);
  expect(await obstacles("session", 3)).toMatchObject([
    { kind: "unfit", remedy: 'Set pool.mode: transaction, or give Odyssey pool "session".' },
  ]);
  expect(await obstacles("transaction", 20)).toMatchObject([
    { kind: "evidence", remedy: "Set pool.size: 3, or give Odyssey pool_size 20." },
  ]);
  expect(await obstacles("transaction", 3, true)).toMatchObject([
    { kind: "unfit", words: expect.stringMatching(/^pool\.preparedStatements is true, but/) as string },
  ]);
});

fullIt(
  "Odyssey carries whole trials, managed and as one of the user's own, and says which it was",
  async () => {
    const { endpoint, console } = await start({ size: 3 });
    const yaml = `name: odyssey
target: ${urlOf(own.endpoint)}
namespace: odyssey_runs
topology: cycle
actors: { cycle: { clients: 6 } }
trials: 1
trial: { warmUp: 0s, duration: 2s, drain: 5s }
factors:
  pool:
    - { strategy: odyssey, size: 3 }
    - { strategy: odyssey, size: 6, mode: session }
    - { strategy: odyssey, size: 3, preparedStatements: true, settings: { pool_discard: no }, url: "${urlOf(endpoint)}", adminUrl: "${urlOf(console)}" }
`;
    const out = scratchDirectory();
    const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out], {
      env: poolerEnv("odyssey"),
    });
    expect(ended.exitCode, ended.stderr).toBe(0);
    const { result } = onlyResultIn(out);
    expect(result.environment.versions["Odyssey"]).toMatch(/^1\.5/);
    expect(result.treatments).toHaveLength(3);
    for (const { trials } of result.treatments) {
      expect(trials[0]?.status).toBe("complete");
      expect(trials[0]?.database.pooler).toMatchObject({ product: "Odyssey" });
      expect(trials[0]?.diagnosis?.map(({ check }) => check)).not.toContain("foreign-transactions");
    }
  },
);

fullIt("Odyssey suffers the faults of a pooler, with its clients and without loss", async () => {
  const yaml = `name: odyssey-faults
target: ${urlOf(own.endpoint)}
namespace: odyssey_faults
topology: cycle
actors: { cycle: { clients: 4, load: { thinkTime: 20ms } } }
pool: { strategy: odyssey, size: 4, instances: 2 }
trials: 1
trial: { warmUp: 0s, duration: 15s, drain: 20s }
diagnosis: { ceiling: false }
faults:
  - { at: 1s, kind: pooler-restart, instance: 1, for: 500ms }
  - { at: 4s, kind: pooler-kill, for: 500ms }
  - { at: 7s, kind: process-stop, process: pooler, for: 500ms }
  - { at: 10s, kind: network-reset, between: pooler }
  - { at: 12s, kind: pooler-pause, for: 500ms }
`;
  const out = scratchDirectory();
  const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out], { env: poolerEnv("odyssey") });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial).toMatchObject({ status: "complete", integrity: { lost: 0, duplicated: 0 } });
  expect(trial?.faults?.map(({ words }) => words)).toEqual([
    "stopped Odyssey 1 and started it again",
    "killed 2 Odysseys and started them again",
    expect.stringMatching(/^stopped \d+ processes of Odyssey$/),
    expect.stringMatching(/^reset \d+ connections of Odyssey to the server$/),
    "paused 2 Odysseys",
  ]);
  expect(trial?.faults?.every(({ clearedAtSeconds }) => clearedAtSeconds !== null)).toBe(true);
});
