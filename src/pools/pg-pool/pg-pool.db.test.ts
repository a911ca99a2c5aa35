// What is particular to the shared pool: its queue, its share of the size, and that it stays as large as it was.
import type { Connection } from "../../database/sql.js";
import { afterEach, describe, expect, inject, it } from "vitest";
import { UsageError } from "../../foundation/errors.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { connectAdmin } from "../../database/postgres/admin.js";
import { createConnectionSource } from "../registry.js";
import type { SourceOptions } from "../source-options.js";
import type { ConnectionSource, Lease } from "../../database/session.js";

const endpoint = inject("adminEndpoint");
const sources: ConnectionSource<Connection>[] = [];

function open(size: number, changes: Partial<SourceOptions> = {}): ConnectionSource<Connection> {
  const source = createConnectionSource({
    pool: { strategy: "pg-pool", size },
    endpoints: [endpoint],
    clients: 10,
    firstClient: 0,
    clientsOfTrial: 10,
    workers: 1,
    workerIndex: 0,
    prepared: false,
    applicationName: "train-sim/test",
    ...changes,
  }) as ConnectionSource<Connection>;
  sources.push(source);
  return source;
}

async function sessions(application: string): Promise<number> {
  const admin = await connectAdmin(endpoint);
  const [row] = await admin.query("SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = $1", [
    application,
  ]);
  await admin.close();
  return Number(row?.n);
}

afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
});

describe("pg-pool", () => {
  it("serves waiting clients in order of arrival", async () => {
    const source = open(1);
    const first = await source.acquire(0);
    const served: number[] = [];
    const waiting = [3, 1, 4, 2].map(async (client) => {
      const lease = await source.acquire(client);
      served.push(client);
      await lease.release(false);
    });
    await first.release(false);
    await Promise.all(waiting);
    expect(served).toEqual([3, 1, 4, 2]);
  });

  it("warms each worker's share of the size, with the remainder in the first workers", async () => {
    const application = `train-sim/${testNamespace("share")}`;
    const shares: number[] = [];
    for (const [workerIndex, clients] of [10, 10, 2].entries()) {
      const source = open(8, { workers: 3, workerIndex, clients, applicationName: application });
      await source.openConnections();
      shares.push(await sessions(application));
    }
    expect(shares).toEqual([3, 6, 8]);
  });

  it("closes a connection that is released as suspect, and serves others with a new one", async () => {
    const source = open(1);
    const pid = async (lease: Lease<Connection>) =>
      (
        await lease.connection.execute({ name: "test.pid", text: "SELECT pg_backend_pid() AS pid" }, [])
      )[0]?.[0];
    const first = await source.acquire(0);
    const firstPid = await pid(first);
    await first.release(false);
    const second = await source.acquire(1);
    expect(await pid(second)).toBe(firstPid);
    await second.release(true);
    const third = await source.acquire(2);
    expect(await pid(third)).not.toBe(firstPid);
    await third.release(false);
  });

  it("rejects a waiting client when it is closed, also while a connection is still in use", async () => {
    const source = open(1);
    await source.acquire(0);
    const waiting = expect(source.acquire(1)).rejects.toThrow("the pool was closed");
    await source.close();
    await source.close();
    await waiting;
  });

  it("refuses a size that leaves a worker without a connection", () => {
    expect(() => open(2, { workers: 3, workerIndex: 2 })).toThrow(UsageError);
  });
});
