// More clients than server connections, through real PgBouncers of both versions: PgBouncer's statistics show the wait that
// a client sees as a slow BEGIN, and the source of evidence finds it there.
import { afterEach, describe, expect, inject, it } from "vitest";
import { monotonicMs } from "../../foundation/clock.js";
import { PgConnection } from "../../database/postgres/connection.js";
import type { Endpoint } from "../../database/endpoint.js";
import { casesOf } from "../../../test/support/lanes.js";
import {
  NEWEST_PGBOUNCER,
  PGBOUNCER_KINDS,
  pgBouncerEnv,
  type PgBouncerKind,
} from "../../../test/support/pgbouncers.js";
import { externalPooler } from "../../pools/managed.js";
import { pgbouncerKind } from "../../pools/pgbouncer/pgbouncer.js";
import { startPgBouncers } from "../../../test/support/pgbouncers.js";
import { HostSource } from "./host-evidence.js";
import { PoolerSource } from "./pooler-evidence.js";
import { WindowSums } from "./window-sums.js";
import type { RunningPooler } from "../../pools/running-pooler.js";

const CLIENTS = 16;
const TRANSACTIONS_EACH = 8;
const SLEEP_MS = 20;
/** Server connections of each of two PgBouncers. */
const SERVERS = 2;

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function pgBouncers(kind: PgBouncerKind): Promise<RunningPooler> {
  const pooler = await startPgBouncers(
    {
      mode: "transaction",
      size: 1,
      instances: SERVERS,
      maxPreparedStatements: 0,
      maxClientConnections: CLIENTS,
    },
    inject("adminEndpoint"),
    pgBouncerEnv(kind),
  );
  cleanUps.push(() => pooler.stop());
  return pooler;
}

async function connectClients({ endpoints }: RunningPooler): Promise<PgConnection[]> {
  const opened = Array.from({ length: CLIENTS }, (_, client) =>
    new PgConnection({
      endpoint: endpoints[client % endpoints.length] as Endpoint,
      applicationName: "train-sim/test",
      prepared: false,
    }).connect(),
  );
  const clients = await Promise.all(opened);
  cleanUps.push(async () => {
    await Promise.all(clients.map((client) => client.end()));
  });
  return clients;
}

/** Runs transactions that hold their server connection for a while; returns each client's time of BEGIN, in ms. */
async function load(clients: readonly PgConnection[]): Promise<number[]> {
  const begins: number[] = [];
  const work = clients.map(async (client) => {
    for (let i = 0; i < TRANSACTIONS_EACH; i++) {
      const startMs = monotonicMs();
      await client.control("begin", "BEGIN");
      begins.push(monotonicMs() - startMs);
      await client.query(`SELECT pg_sleep(${SLEEP_MS / 1000})`);
      await client.control("commit", "COMMIT");
    }
  });
  await Promise.all(work);
  return begins;
}

/** The evidence of a window that lasts as long as the work, sampled as often as the source answers. */
async function evidenceOf(source: PoolerSource, work: () => Promise<unknown>) {
  const sums = new WindowSums();
  await source.openWindow();
  sums.open(await source.sample(), monotonicMs());
  let hasEnded = false;
  const ended = work().finally(() => (hasEnded = true));
  while (!hasEnded) sums.sample(await source.sample(), monotonicMs());
  await ended;
  sums.close(await source.sample());
  return source.summary(sums).pooler;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, each) => sum + each, 0) / values.length;

describe.each(casesOf(PGBOUNCER_KINDS, 2))("PgBouncer %s with too few server connections", (kind) => {
  it("reports the wait that its clients see, over all instances, and has CPU time apart from the server's", async () => {
    const pooler = await pgBouncers(kind);
    const clients = await connectClients(pooler);
    const source = new PoolerSource(pooler);
    const host = new HostSource({ kind: "url" }, pooler);
    cleanUps.push(() => source.close());
    const begins: number[] = [];
    const evidence = await evidenceOf(source, async () => begins.push(...(await load(clients))));
    if (!evidence) throw new Error("no evidence of the pooler");

    expect(evidence.transactions).toBe(CLIENTS * TRANSACTIONS_EACH);
    expect(evidence.serversMax).toBe(SERVERS);
    expect(evidence.serversActive.max).toBe(SERVERS);
    expect(evidence.clientsWaiting?.max).toBeGreaterThan(SERVERS);
    expect(evidence.clientsWaiting?.max).toBeLessThanOrEqual(CLIENTS);
    expect(evidence.maxWaitMs).toBeGreaterThan(0);
    // The time of a client's BEGIN is that wait and a round trip.
    expect(evidence.waitMsPerTransaction).toBeLessThan(mean(begins) + 1);
    expect(evidence.waitMsPerTransaction).toBeGreaterThan(mean(begins) / 2);
    // The sleep is counted in full, and the wait is not counted twice.
    expect(evidence.queryMsPerTransaction).toBeGreaterThan(SLEEP_MS * 0.9);
    expect(source.skipped).toEqual([]);

    const reading = await host.sample();
    expect(reading["host.poolerCpuMs"]).toBeGreaterThanOrEqual(0);
    expect(reading).not.toHaveProperty("host.serverCpuMs");
    expect(host.skipped.map(({ source: name }) => name)).toEqual(["CPU of the server, disks"]);
  });
});

describe.each(casesOf([NEWEST_PGBOUNCER, "1.18", "1.24"] as const, 1))("PgBouncer %s", (kind) => {
  it("yields no sample while it is frozen, and samples afterwards", async () => {
    const pooler = await pgBouncers(kind);
    const source = new PoolerSource(pooler);
    cleanUps.push(() => source.close());
    await source.sample();
    const signal = (name: "SIGSTOP" | "SIGCONT"): void => {
      for (const pid of pooler.pids) process.kill(pid, name);
    };
    cleanUps.push(() => {
      signal("SIGCONT");
      return Promise.resolve();
    });
    signal("SIGSTOP");
    await expect(source.sample()).rejects.toThrow("no answer within 2 s");
    signal("SIGCONT");
    expect(await source.sample()).toHaveProperty(["pooler.clientsActive"]);
  });
});

describe("an external PgBouncer", () => {
  it("is listed as skipped if its console is unknown", async () => {
    const source = new PoolerSource(
      externalPooler(pgbouncerKind, {
        mode: "transaction",
        size: 1,
        instances: 1,
        maxPreparedStatements: 0,
        urls: [{ url: "postgresql://u@127.0.0.1:1/d", weight: 1 }],
      }),
    );
    await source.openWindow();
    expect(await source.sample()).toEqual({});
    expect(source.summary(new WindowSums())).toEqual({});
    expect(source.skipped[0]?.reason).toContain("pool.adminUrl");
  });

  it("is sampled through its console, and a further instance is listed as skipped", async () => {
    const { endpoints, consoles, ...pooler } = await pgBouncers(NEWEST_PGBOUNCER);
    const first = consoles.slice(0, 1);
    const source = new PoolerSource({
      ...pooler,
      endpoints,
      consoles: first,
      instances: [],
      statistics: (connectTimeoutMs) => pgbouncerKind.statistics(first, endpoints, connectTimeoutMs),
    });
    cleanUps.push(() => source.close());
    await source.openWindow();
    expect(await source.sample()).toMatchObject({ "pooler.clientsWaiting": 0 });
    expect(source.skipped[0]?.reason).toContain("1 of 2");
  });

  it("fails the sample after it stopped", async () => {
    const pooler = await pgBouncers(NEWEST_PGBOUNCER);
    const source = new PoolerSource(pooler);
    cleanUps.push(() => source.close());
    await source.sample();
    await pooler.stop();
    await expect(source.sample()).rejects.toThrow();
    await expect(source.sample()).rejects.toThrow(/cannot|refused|ECONN/i);
  });
});
