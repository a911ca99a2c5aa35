// A password command on a real server with SCRAM, for connections of train-sim and of clients. PGPASSWORD has no
// effect.
import type { Connection } from "../database/sql.js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { connectAdmin } from "../database/postgres/admin.js";
import { createConnectionSource, type PoolSettings } from "../pools/registry.js";
import { startTarget } from "../targets/registry.js";

const { host, port, user, database, password = "" } = inject("adminEndpoint");
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-password-"));
  writeFileSync(join(directory, "token"), `${password}\n`, { mode: 0o600 });
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(directory, { recursive: true }));

const targetWith = (words: readonly string[]) =>
  startTarget(
    {
      kind: "url",
      urls: [{ url: `postgresql://${user}@${host}:${port}/${database}`, weight: 1 }],
      passwordCommand: { words, reuseMs: 60_000 },
    },
    { maxConnectionsNeeded: 4 },
  );

const POOLS: readonly PoolSettings[] = [
  { strategy: "direct", reconnect: "per-transaction" },
  { strategy: "pg-pool", size: 2 },
];

describe("a target with a password command", () => {
  it.each(POOLS)("admits train-sim, and clients with pool $strategy", async (pool) => {
    expect(password).not.toBe("");
    vi.stubEnv("PGPASSWORD", "not the password");
    const { admin, endpoints } = await targetWith(["cat", join(directory, "token")]);
    const client = await connectAdmin(admin);
    expect(await client.query("SELECT current_user AS who")).toEqual([{ who: user }]);
    await client.close();
    const source = createConnectionSource({
      pool,
      endpoints,
      clients: 2,
      firstClient: 0,
      clientsOfTrial: 2,
      workers: 1,
      workerIndex: 0,
      prepared: false,
      applicationName: "train-sim/password",
    });
    await source.openConnections();
    const lease = await source.acquire(1);
    const rows = await (lease.connection as Connection).execute(
      { name: "test.one", text: "SELECT 1 AS one" },
      [],
    );
    expect(rows).toEqual([[1]]);
    await lease.release(false);
    await source.close();
  });

  it("reports a refused password and a failed command differently, without the password", async () => {
    const wrong = await targetWith([process.execPath, "-e", "console.log('hunter2')"]);
    await expect(connectAdmin(wrong.admin)).rejects.toThrow(/the password for user .* was refused/);
    const failing = await targetWith(["/bin/sh", "-c", "echo no credentials >&2; exit 3"]);
    await expect(connectAdmin(failing.admin)).rejects.toThrow(
      "target.passwordCommand (/bin/sh) ended with exit code 3: no credentials",
    );
  });
});
