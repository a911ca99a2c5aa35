// The number of transactions that a real Pgpool-II adds for each client that comes and goes, as the server counts them.
import { expect, it } from "vitest";
import { ownDatabase } from "../../../test/support/own-database.js";
import { poolerEnv } from "../../../test/support/poolers.js";
import { PgConnection } from "../../database/postgres/connection.js";
import { APPLICATION_NAME } from "../../database/contract.js";
import { startPoolers } from "../managed.js";
import { pgpool, pgpoolKind } from "./pgpool.js";
import { settingsAt } from "./pgpool-console.js";

const ROUNDS = 25;
const POOL = { strategy: "pgpool", size: 1, instances: 1, urls: [] } as const;
const own = ownDatabase("pgpool_own");

it("Pgpool-II adds the transactions of its reset list when a client reconnects, and none for other clients", async () => {
  const before = await own.countTransactions();
  const settings = { ...POOL, reconnect: "per-transaction", maxClientConnections: 9 } as const;
  const pooler = await startPoolers(pgpoolKind, settings, [own.endpoint], poolerEnv("pgpool"));
  try {
    const [[endpoint], [console]] = [pooler.endpoints, pooler.consoles];
    if (!endpoint || !console) return expect.unreachable("a pooler has an endpoint and a console");
    for (let round = 0; round < ROUNDS; round++) {
      const connection = new PgConnection({ endpoint, applicationName: APPLICATION_NAME, prepared: false });
      const client = await connection.connect();
      await client.control("begin", "BEGIN");
      await client.control("commit", "COMMIT");
      await client.end();
    }
    const asked = await settingsAt(console);
    expect(asked["reset_query_list"]).toMatch(/DISCARD ALL/);
    const added = pgpool.ownTransactions(settings, asked);
    expect(added).toBe(2);
    expect(pgpool.ownTransactions({ reconnect: "never" }, asked)).toBe(0);
    await pooler.stop();
    // No server connection needs a new name for the first session.
    await expect
      .poll(async () => (await own.countTransactions()) - before, { timeout: 200_000 })
      .toBeGreaterThanOrEqual(ROUNDS * (1 + added) - 1);
    expect((await own.countTransactions()) - before).toBeLessThanOrEqual(ROUNDS * (1 + added) + 6);
  } finally {
    await pooler.stop();
  }
});
