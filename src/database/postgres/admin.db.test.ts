import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { messageOf, TargetError } from "../../foundation/errors.js";
import { generateSecret } from "../../foundation/prng.js";
import type { Endpoint } from "../endpoint.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { readServerInfo } from "./server-info.js";

const endpoint = inject("adminEndpoint");
let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(endpoint);
});
afterAll(() => admin.close());

/** The TargetError of a connection that cannot be opened; it must not contain the password. */
async function refusal(to: Endpoint): Promise<TargetError> {
  const error: unknown = await connectAdmin(to, { connectTimeoutMs: 5000 }).then(
    (client) => client.close(),
    (reason: unknown) => reason,
  );
  if (!(error instanceof TargetError))
    return expect.unreachable(`expected a TargetError, got ${String(error)}`);
  if (to.password) expect(error.message + error.hint).not.toContain(to.password);
  expect(error.message).toContain(`postgresql://${to.user}@${to.host}:${to.port}/${to.database}`);
  return error;
}

describe("connectAdmin", () => {
  it("runs single statements with values, and several statements without values", async () => {
    expect(await admin.query("SELECT $1::text[] AS list", [["a", "b"]])).toEqual([{ list: "{a,b}" }]);
    expect(await admin.query("SELECT 1 AS one; SELECT 2 AS two")).toEqual([{ two: 2 }]);
  });

  it("replaces a lost session for a waiting query, but opens none once the client is closed", async () => {
    const lost = await connectAdmin(endpoint, { reopensLostSession: true });
    const [{ pid } = {}] = await lost.query("SELECT pg_backend_pid() AS pid");
    await admin.query("SELECT pg_terminate_backend($1)", [pid]);
    await expect.poll(() => lost.query("SELECT 1 AS one").catch(() => [])).toEqual([{ one: 1 }]);
    await lost.close();
    await expect(lost.query("SELECT 1")).rejects.toThrow(/has been closed/);
  });

  it("returns the server's error of a statement", async () => {
    await expect(admin.query("SELECT 1 FROM nowhere")).rejects.toMatchObject({ code: "42P01" });
  });

  it("reports a refused password", async () => {
    const error = await refusal({ ...endpoint, password: "not-the-password" });
    expect(error.message).toContain('the password for user "postgres" was refused (28P01');
    expect(error.hint).toContain("PGPASSWORD");
  });

  it("reports a missing password", async () => {
    const { host, port, database, user } = endpoint;
    expect((await refusal({ scheme: "postgresql", host, port, database, user })).message).toContain(
      "asks for a password and none was given",
    );
  });

  it("reports a missing database", async () => {
    expect((await refusal({ ...endpoint, database: "nowhere" })).message).toContain(
      'there is no database "nowhere"',
    );
  });

  it("reports that nothing listens at the address", async () => {
    expect((await refusal({ ...endpoint, port: 1 })).message).toContain("nothing listens there");
    expect((await refusal({ ...endpoint, host: "/nowhere" })).message).toContain("nothing listens there");
  });

  it("reports of several servers the first failure that is not a standby's", async () => {
    const role = testNamespace("readonly");
    const password = generateSecret();
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    await admin.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
    const standby = { ...endpoint, user: role, password, takesWrites: true };
    const primary = { ...endpoint, database: "nowhere" };
    for (const [first, ...alternatives] of [
      [primary, standby, standby],
      [standby, primary, standby],
    ] as const) {
      const error = await connectAdmin({ ...first, alternatives }).catch((reason: unknown) => reason);
      expect(messageOf(error)).toContain('there is no database "nowhere"');
    }
    expect((await refusal(standby)).message).toContain("it takes no writes");
    await admin.query(`DROP ROLE ${role}`);
  });

  it("reports that the server has no TLS", async () => {
    const error = await refusal({ ...endpoint, tls: { mode: "require" } });
    expect(error.message).toContain("the server has no TLS");
  });

  it("reports that a role may not log in", async () => {
    const role = testNamespace("role");
    const password = generateSecret();
    await admin.query(`CREATE ROLE ${role} NOLOGIN PASSWORD '${password}'`);
    try {
      expect((await refusal({ ...endpoint, user: role, password })).message).toContain("may not log in");
    } finally {
      await admin.query(`DROP ROLE ${role}`);
    }
  });

  it("reports that the server ended the session", async () => {
    const victim = await connectAdmin(endpoint);
    const [row] = await victim.query("SELECT pg_backend_pid() AS pid");
    const sleeping = expect(victim.query("SELECT pg_sleep(60)")).rejects.toThrow(
      /^lost the connection to postgresql:.*terminating connection/,
    );
    await admin.query("SELECT pg_terminate_backend($1)", [row?.pid]);
    await sleeping;
    await victim.close();
  });
});

describe("readServerInfo", () => {
  it("returns product, version, changed settings and remaining connections", async () => {
    const info = await readServerInfo(admin);
    expect(info).toMatchObject({
      product: "PostgreSQL",
      version: expect.stringMatching(/^18\.\d+$/) as string,
    });
    expect(info.versionText).toMatch(/^PostgreSQL 18/);
    expect(info.settings).toMatchObject({ fsync: "off", jit: expect.any(String) as string });
    expect(info.settings.shared_buffers).toMatch(/^\d+(kB|MB|GB)$/);
    expect(info.connections.max).toBe(Number(info.settings.max_connections));
    expect(info.connections.inUse).toBeGreaterThanOrEqual(1);
  });

  it("leaves out paths, commands and settings that train-sim's session changed", async () => {
    const { settings } = await readServerInfo(admin);
    for (const name of [
      "data_directory",
      "hba_file",
      "application_name",
      "archive_command",
      "primary_conninfo",
    ]) {
      expect(settings).not.toHaveProperty(name);
    }
    expect(Object.values(settings).join("\n")).not.toMatch(/\/tmp\/|password/);
  });

  it("returns settings and connections to a role without any privilege", async () => {
    const role = testNamespace("role");
    const password = generateSecret();
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    try {
      const client = await connectAdmin({ ...endpoint, user: role, password });
      const info = await readServerInfo(client);
      await client.close();
      expect(info.connections.inUse).toBeGreaterThanOrEqual(2);
      expect(info.settings.max_connections).toBe(String(info.connections.max));
    } finally {
      await admin.query(`DROP ROLE ${role}`);
    }
  });
});
