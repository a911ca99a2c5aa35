// docker/ with the real programs: HAProxy checks and runs its file, PgBouncers read theirs, PostgreSQL accepts the settings
// of compose.yaml, and a query goes through all of them with TLS verified at every hop.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { messageOf } from "../../src/foundation/errors.js";
import { freePort } from "../../src/foundation/process/server-process.js";
import { parseConnectionUrl } from "../../src/database/postgres/endpoint/parse-url.js";
import { findHaproxy, waitUntilLogged } from "../support/docker-servers.js";
import {
  haproxyAddresses,
  makeCertificates,
  startDockerStack,
  startPooler,
  type Certificates,
  type DockerStack,
} from "../support/docker-stack.js";
import { DOCKER, readCompose } from "../support/docker-compose.js";
import { pgBouncerPath } from "../support/pgbouncers.js";

const run = promisify(execFile);
const CONFIG = join(DOCKER, "haproxy", "haproxy.cfg");
const SET_UP_MS = 180_000;

let haproxy: string;
let certificates: Certificates;
let stack: DockerStack;

beforeAll(async () => {
  haproxy = await findHaproxy();
  certificates = await makeCertificates();
  stack = await startDockerStack({ haproxy, pgbouncer: pgBouncerPath() }, certificates);
}, SET_UP_MS);

afterAll(async () => {
  await (stack as DockerStack | undefined)?.stop();
  await (certificates as Certificates | undefined)?.remove();
});

/** Runs `use` with one connection for each endpoint, and closes them. */
async function withConnections<T>(
  endpoints: readonly Parameters<typeof connectAdmin>[0][],
  use: (clients: readonly AdminClient[]) => Promise<T>,
): Promise<T> {
  const clients: AdminClient[] = [];
  try {
    for (const endpoint of endpoints) clients.push(await connectAdmin(endpoint));
    return await use(clients);
  } finally {
    for (const client of clients) await client.close();
  }
}

/** Answer of one PgBouncer's console. */
async function ask(index: number, command: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const endpoint = stack.consoles[index];
  if (!endpoint) throw new Error(`there is no PgBouncer ${index}`);
  const console = await connectAdmin(endpoint);
  try {
    return await console.query(command);
  } finally {
    await console.close();
  }
}

/** Runs a PgBouncer's committed health check on `port` as the user `identity`. Rejects if the check fails. */
async function healthCheck(port: number, identity: string): Promise<void> {
  const check = (await readCompose()).services["pgbouncer-1"]?.healthcheck?.test[1] ?? "exit 1";
  const command = check
    .replace(":6432", `:${port}`)
    .replace("/certs", certificates.directory)
    .replace("-verify_ip 127.0.0.1", identity);
  expect(command).toContain(identity);
  await run("sh", ["-c", command]);
}

describe("haproxy.cfg", () => {
  async function check(addresses: string): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "train-sim-haproxy-"));
    try {
      const file = join(directory, "addresses.cfg");
      await writeFile(file, addresses);
      const { stdout, stderr } = await run(haproxy, ["-c", "-V", "-f", file, "-f", CONFIG]);
      return stdout + stderr;
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  test("passes haproxy -c without a warning", async () => {
    const output = await check(haproxyAddresses(16_432, [17_001, 17_002]));
    expect(output).toContain("Configuration file is valid");
    expect(output).not.toMatch(/WARNING|ALERT/);
  });

  test("defaults to the services of compose.yaml", async () => {
    const failure = await run(haproxy, ["-c", "-f", CONFIG]).then(() => "valid", messageOf);
    expect(failure).toContain("pgbouncer-1");
    expect(failure).toContain("pgbouncer-2");
  });
});

describe("the stack on PostgreSQL", () => {
  test("answers a query through HAProxy, PgBouncer and PostgreSQL with TLS verified by name", async () => {
    const query = "SELECT current_user AS who, ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    await withConnections([stack.front], async ([client]) => {
      const rows = await client?.query(query);
      expect(rows).toMatchObject([{ who: "train_sim", ssl: true }]);
      expect(rows?.[0]?.["version"]).toMatch(/^TLSv1\.[23]$/);
    });
  });

  test("passes the health check of compose.yaml at each PgBouncer", async () => {
    for (const { port } of stack.consoles) await healthCheck(port, "-verify_ip 127.0.0.1");
  });

  test("shows clients a certificate for the name haproxy and for no other name", async () => {
    await healthCheck(stack.front.port, "-verify_hostname haproxy");
    await expect(healthCheck(stack.front.port, "-verify_hostname elsewhere")).rejects.toThrow(/mismatch/);
  });

  test("accepts a connection by a URL in the form that scenarios use", async () => {
    const ca = join(certificates.directory, "ca.crt");
    const address = `127.0.0.1:${stack.front.port}/train_sim`;
    const url = `postgresql://train_sim@${address}?sslmode=verify-full&sslrootcert=${ca}`;
    const endpoint = parseConnectionUrl(url, {}, { PGPASSWORD: certificates.password });
    expect(await withConnections([endpoint], async ([client]) => client?.query("SELECT 1 AS one"))).toEqual([
      { one: 1 },
    ]);
  });

  test.each(["front", "postgres"] as const)("refuses a client without TLS at %s", async (place) => {
    const { tls, ...plain } = stack[place];
    expect(tls).toBeDefined();
    await expect(connectAdmin(plain)).rejects.toThrow(/SSL|TLS|reject/i);
  });

  test.each(["front", "postgres"] as const)("refuses a wrong password at %s", async (place) => {
    await expect(connectAdmin({ ...stack[place], password: "wrong" })).rejects.toThrow(/password/);
  });

  test("is refused by a client that trusts another authority", async () => {
    const other = await makeCertificates();
    try {
      const tls = { mode: "verify-full" as const, ca: await other.read("ca.crt") };
      await expect(connectAdmin({ ...stack.front, tls })).rejects.toThrow(/certificate|signature/);
    } finally {
      await other.remove();
    }
  });

  test("has PgBouncers that log in only to servers of their authority", async () => {
    const other = await makeCertificates();
    const read = async (name: string) => (name === "ca.crt" ? other : certificates).read(name);
    const port = await freePort();
    const program = pgBouncerPath();
    const pooler = await startPooler(program, { ...certificates, read }, port, stack.postgres.port);
    try {
      // The client waits while PgBouncer tries again and again; stopping it ends the wait.
      const refused = expect(connectAdmin({ ...stack.front, port })).rejects.toThrow(/cannot connect/);
      await waitUntilLogged(pooler.process, /TLS handshake (error|failed).*certificate verify failed/);
      await pooler.process.stop([]);
      await refused;
    } finally {
      await pooler.stop();
      await other.remove();
    }
  });

  test("spreads connections evenly over both PgBouncers", async () => {
    const fourClients = Array.from({ length: 4 }, () => stack.front);
    await withConnections(fourClients, async (clients) => {
      for (const client of clients) await client.query("SELECT 1");
      for (const index of [0, 1]) {
        const pools = await ask(index, "SHOW POOLS");
        const pool = pools.find((row) => row["database"] === "train_sim");
        expect(Number(pool?.["cl_active"])).toBe(2);
      }
    });
  });

  test.each([0, 1])("PgBouncer %d runs with the settings of the committed file", async (index) => {
    const rows = await ask(index, "SHOW CONFIG");
    const config = new Map(rows.map((row) => [row["key"], row["value"]]));
    expect(Object.fromEntries(config) as unknown).toMatchObject({
      pool_mode: "transaction",
      default_pool_size: "32",
      max_prepared_statements: "200",
      max_client_conn: "4096",
      auth_type: "scram-sha-256",
      server_tls_sslmode: "verify-full",
      client_tls_sslmode: "require",
    });
  });

  test("lets no client administer a PgBouncer", async () => {
    await expect(ask(0, "PAUSE")).rejects.toThrow(/admin access needed/);
  });

  test("goes on with one PgBouncer when the other fails its health check", async () => {
    const [first] = stack.poolers;
    await first?.stop([{ signal: "SIGQUIT", patienceMs: 5000 }]);
    await waitUntilLogged(stack.haproxy, /Server pgbouncers\/pgbouncer-1 is DOWN/);
    const fourClients = Array.from({ length: 4 }, () => stack.front);
    await withConnections(fourClients, async (clients) => {
      for (const client of clients) expect(await client.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    });
  });
});
