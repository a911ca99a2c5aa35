// Behaviour that only a connection for every transaction has: it is gone when the lease is back, so that no more
// connections exist than there are clients.
import type { Connection } from "../../database/sql.js";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { generateSecret } from "../../foundation/prng.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { createConnectionSource } from "../registry.js";

const endpoint = inject("adminEndpoint");
const user = testNamespace("role");
const password = generateSecret();
const CLIENTS = 3;
let admin: AdminClient;

beforeAll(async () => {
  admin = await connectAdmin(endpoint);
  await admin.query(`CREATE ROLE ${user} LOGIN CONNECTION LIMIT ${CLIENTS} PASSWORD '${password}'`);
});
afterAll(async () => {
  await admin.query(`DROP ROLE ${user}`);
  await admin.close();
});

describe("direct connections, one for every transaction", () => {
  it("never exceed the number of clients, on a server without room for more", async () => {
    const source = createConnectionSource({
      pool: { strategy: "direct", reconnect: "per-transaction" },
      endpoints: [{ ...endpoint, user, password }],
      clients: CLIENTS,
      firstClient: 0,
      clientsOfTrial: CLIENTS,
      workers: 1,
      workerIndex: 0,
      prepared: false,
      applicationName: "train-sim/test",
    });
    const pids = new Set<unknown>();
    const transactions = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let round = 0; round < 20; round++) {
        // Rejects with 53300 if the server still counts the client's previous connection.
        const lease = await source.acquire(client);
        const text = "SELECT pg_backend_pid() AS pid";
        pids.add((await (lease.connection as Connection).execute({ name: "test.pid", text }, []))[0]?.[0]);
        await lease.release(false);
      }
    });
    await Promise.all(transactions);
    expect(pids.size).toBe(CLIENTS * 20);
    await source.close();
  });
});
