// Several endpoints of one real server, each behind its separate network: clients move to another endpoint when theirs goes
// away, whether it broke their connections or takes no new ones, and return when it is back.
import type { Connection } from "../database/sql.js";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { systemClock } from "../foundation/clock.js";
import { Prng } from "../foundation/prng.js";
import { TcpProxy } from "../faults/means/tcp-proxy.js";
import { createConnectionSource, type PoolSettings } from "./registry.js";
import type { ConnectionSource } from "../database/session.js";

const endpoint = inject("adminEndpoint");
const CLIENTS = 8;
/** Shares of 8 clients, or of a pool of 8: 4, 2, 2. */
const WEIGHTS = [2, 1, 1];
const POOLS: readonly [string, PoolSettings][] = [
  ["direct", { strategy: "direct", reconnect: "never" }],
  ["direct per transaction", { strategy: "direct", reconnect: "per-transaction" }],
  ["pg-pool", { strategy: "pg-pool", size: 8 }],
];

let proxies: TcpProxy[];
let source: ConnectionSource<Connection>;

beforeAll(async () => {
  const upstream = { host: endpoint.host, port: endpoint.port };
  proxies = await Promise.all(WEIGHTS.map((_, i) => TcpProxy.open(upstream, systemClock, new Prng(i + 1))));
});
afterEach(async () => {
  await source.close();
  for (const proxy of proxies) await proxy.clear();
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.close();
});

/** Runs a transaction of every client, repeated until it succeeds; resolves to the endpoint of each. */
async function everyone(): Promise<number[]> {
  const leases = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (;;) {
        try {
          const lease = await source.acquire(client);
          const at = source.endpointOf(client);
          const isDone = await lease.connection.execute({ name: "test.one", text: "SELECT 1" }, []).then(
            () => true,
            () => false,
          );
          if (isDone) return { lease, at };
          await lease.release(true);
        } catch {
          // The connection was refused: the next attempt goes to another endpoint.
        }
      }
    }),
  );
  for (const { lease } of leases) await lease.release(false);
  return WEIGHTS.map((_, number) => leases.filter(({ at }) => at === number).length);
}

async function untilSpread(expected: readonly number[]): Promise<void> {
  const deadlineMs = systemClock.nowMs() + 300_000;
  for (;;) {
    const spread = await everyone();
    if (spread.join() === expected.join()) return;
    if (systemClock.nowMs() > deadlineMs) throw new Error(`clients are at ${spread.join()}`);
    await systemClock.sleep(20);
  }
}

describe.each(POOLS)("%s", (_, pool) => {
  it("moves clients to other endpoints when theirs is cut off, and back when it returns", async () => {
    source = createConnectionSource({
      pool,
      endpoints: proxies.map((proxy, i) => ({
        ...endpoint,
        host: "127.0.0.1",
        port: proxy.port,
        weight: WEIGHTS[i] ?? 1,
      })),
      clients: CLIENTS,
      firstClient: 0,
      clientsOfTrial: CLIENTS,
      workers: 1,
      workerIndex: 0,
      prepared: true,
      applicationName: "train-sim/endpoints",
    }) as ConnectionSource<Connection>;
    await source.openConnections();
    expect(await everyone()).toEqual([4, 2, 2]);

    await proxies[0]?.apply({ kind: "refuse", drop: true });
    const [first = 0, second = 0, third = 0] = await everyone();
    expect([first, second + third]).toEqual([0, CLIENTS]);
    const [cut, ...others] = source.contacts;
    expect((cut?.lost ?? 0) + (cut?.refused ?? 0)).toBeGreaterThan(0);
    for (const { lost, refused } of others) expect({ lost, refused }).toEqual({ lost: 0, refused: 0 });

    await proxies[0]?.clear();
    await untilSpread([4, 2, 2]);
    expect(source.contacts[0]?.connects).toBeGreaterThan(cut?.refused ?? 0);
  });
});
