// docker/cockroachdb/ with the real programs: HAProxy checks and runs its file and asks nodes for their health, PgBouncers
// read theirs, and a query goes through both with TLS verified at every hop. PostgreSQL stands in for the nodes, so the
// tests show nothing about CockroachDB's behaviour.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import { messageOf } from "../../src/foundation/errors.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { freePort } from "../../src/foundation/process/server-process.js";
import {
  makeCockroachCertificates,
  nodeAddresses,
  poolerAddresses,
  startCockroachStack,
  startPgBouncer,
  type CockroachCertificates,
  type CockroachStack,
} from "../support/cockroachdb-stack.js";
import { DOCKER_COCKROACHDB, readCompose } from "../support/docker-compose.js";
import { findHaproxy, waitUntilLogged, startCommittedHaproxy } from "../support/docker-servers.js";
import { pgBouncerPath } from "../support/pgbouncers.js";

const run = promisify(execFile);
const CONFIG = join(DOCKER_COCKROACHDB, "haproxy.cfg");
const SET_UP_MS = 180_000;

let haproxy: string;
let certificates: CockroachCertificates;
let stack: CockroachStack;

beforeAll(async () => {
  haproxy = await findHaproxy();
  certificates = await makeCockroachCertificates();
  stack = await startCockroachStack({ haproxy, pgbouncer: pgBouncerPath() }, certificates);
}, SET_UP_MS);

afterAll(async () => {
  await (stack as CockroachStack | undefined)?.stop();
  await (certificates as CockroachCertificates | undefined)?.remove();
});

function pooler(index: number): Endpoint {
  const endpoint = stack.poolers[index];
  if (!endpoint) throw new Error(`there is no PgBouncer ${index}`);
  return endpoint;
}

async function whoAmI(endpoint: Endpoint): Promise<unknown> {
  const client = await connectAdmin(endpoint);
  try {
    return (
      await client.query("SELECT current_user AS who, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    )[0];
  } finally {
    await client.close();
  }
}

/** Answer of one PgBouncer's console. */
async function ask(index: number, command: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const console = await connectAdmin({ ...pooler(index), database: "pgbouncer" });
  try {
    return await console.query(command);
  } finally {
    await console.close();
  }
}

describe("haproxy.cfg", () => {
  /** Output of `haproxy -c` for the committed file, with `variables` read before it. */
  async function check(variables: string): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "train-sim-haproxy-"));
    try {
      const file = join(directory, "addresses.cfg");
      await writeFile(file, variables);
      return await run(haproxy, ["-c", "-V", "-f", file, "-f", CONFIG]).then(
        ({ stdout, stderr }) => stdout + stderr,
        messageOf,
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  }
  const authority = () => join(certificates.directory, "certs", "public", "ca.crt");

  test("passes haproxy -c without a warning", async () => {
    const output = await check(nodeAddresses(16_257, 17_257, [18_001, 18_002, 18_003], authority()));
    expect(output).toContain("Configuration file is valid");
    expect(output).not.toMatch(/WARNING|ALERT/);
  });

  test("defaults to the nodes of compose.yaml and the authority in its volume", async () => {
    expect(await check("global\n")).toContain("/certs/ca.crt");
    const output = await check(`global\n  setenv NODES_CA "${authority()}"\n`);
    for (const node of ["cockroach-1", "cockroach-2", "cockroach-3"]) expect(output).toContain(`'${node}'`);
  });
});

describe("the stack on CockroachDB", () => {
  test("answers a query through PgBouncer, HAProxy and a node with TLS verified by name", async () => {
    for (const endpoint of stack.poolers) expect(await whoAmI(endpoint)).toEqual({ who: "pgb", ssl: true });
  });

  test("answers a direct client through HAProxy with a node's certificate", async () => {
    expect(await whoAmI(stack.front)).toEqual({ who: "pgb", ssl: true });
    const elsewhere = {
      ...stack.front,
      tls: { ...stack.front.tls, mode: "verify-full" as const, serverName: "x" },
    };
    await expect(connectAdmin(elsewhere)).rejects.toThrow(/altnames|certificate/);
  });

  test("checks every node's readiness at /health", async () => {
    for (const { asked } of stack.health) {
      // HAProxy does not check all nodes at once, so the test waits until each was checked.
      await expect.poll(() => [...asked], { timeout: 200_000 }).toEqual(["GET /health?ready=1"]);
    }
  });

  test("has PgBouncer certificates that clients of nodes do not trust", async () => {
    const { tls } = stack.front;
    await expect(connectAdmin({ ...pooler(0), tls: { ...tls, mode: "verify-full" } })).rejects.toThrow(
      /certificate|signature|altnames/,
    );
  });

  test("passes the health check of compose.yaml at each PgBouncer", async () => {
    const check = (await readCompose(DOCKER_COCKROACHDB)).services["pgbouncer-1"]?.healthcheck?.test[1];
    for (const { port } of stack.poolers) {
      const command = (check ?? "exit 1")
        .replace(":6432", `:${port}`)
        .replace("/certs", join(certificates.directory, "certs", "pgbouncer"));
      expect(command).toContain(certificates.directory);
      await run("sh", ["-c", command]);
    }
  });

  test("refuses a client without TLS and a client with a wrong password", async () => {
    for (const endpoint of [pooler(0), stack.front]) {
      const { tls, ...plain } = endpoint;
      expect(tls).toBeDefined();
      await expect(connectAdmin(plain)).rejects.toThrow(/SSL|TLS|no encryption/i);
      await expect(connectAdmin({ ...endpoint, password: "wrong" })).rejects.toThrow(/password/);
    }
  });

  test("has PgBouncers that log in only to nodes of their authority", async () => {
    const other = await makeCockroachCertificates();
    const read = async (name: string) => (name === "pgbouncer/ca.crt" ? other : certificates).read(name);
    const port = await freePort();
    const { process, stop } = await startPgBouncer(pgBouncerPath(), { read }, port, stack.front.port);
    try {
      // PgBouncer retries its server connection and the client waits. Stopping PgBouncer ends the client's wait.
      const refused = expect(connectAdmin({ ...pooler(0), port })).rejects.toThrow(/cannot connect/);
      await waitUntilLogged(process, /TLS handshake (error|failed).*certificate verify failed/);
      await process.stop([]);
      await refused;
    } finally {
      await stop();
      await other.remove();
    }
  });

  test.each([0, 1, 2])("PgBouncer %d runs with the settings of the committed file", async (index) => {
    const config = new Map((await ask(index, "SHOW CONFIG")).map((row) => [row["key"], row["value"]]));
    expect(Object.fromEntries(config) as unknown).toMatchObject({
      pool_mode: "transaction",
      default_pool_size: "22",
      max_prepared_statements: "200",
      max_client_conn: "4096",
      auth_type: "scram-sha-256",
      server_tls_sslmode: "verify-full",
      client_tls_sslmode: "require",
    });
    await expect(ask(index, "PAUSE")).rejects.toThrow(/admin access needed/);
  });

  test("takes a draining node out of rotation, keeps its connections, and goes on with other nodes", async () => {
    const [first] = stack.health;
    const { front } = stack;
    const before = await Promise.all([0, 1, 2].map(async () => connectAdmin(front)));
    try {
      first?.drain();
      await waitUntilLogged(stack.haproxy, /Server nodes\/cockroach-1 is DOWN/);
      expect(await stack.haproxy.log()).toMatch(/nodes\/cockroach-1 failed, .*code: 503/);
      for (const client of before) expect(await client.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      expect(await whoAmI(front)).toEqual({ who: "pgb", ssl: true });
      expect(await whoAmI(pooler(0))).toEqual({ who: "pgb", ssl: true });
    } finally {
      for (const client of before) await client.close();
    }
  });

  test("answers a query through the HAProxy in front of the PgBouncers, whose page shows each of them", async () => {
    const cfg = join(DOCKER_COCKROACHDB, "haproxy-pgbouncers.cfg");
    const [port, statisticsPort] = [await freePort(), await freePort()];
    const addresses = poolerAddresses(
      port,
      statisticsPort,
      stack.poolers.map((each) => each.port),
    );
    const started = await startCommittedHaproxy(haproxy, port, { cfg, addresses });
    try {
      const { tls } = pooler(0);
      const front = { ...pooler(0), port, ...(tls && { tls: { ...tls, serverName: "haproxy-pgbouncers" } }) };
      expect(await whoAmI(front)).toEqual({ who: "pgb", ssl: true });
      const page = `http://127.0.0.1:${statisticsPort}/`;
      expect(await (await fetch(page)).text()).toContain("pgbouncer-3");
      const csv = async () => (await (await fetch(`${page};csv`)).text()).split("\n");
      for (const name of ["pgbouncer-1", "pgbouncer-2", "pgbouncer-3"])
        await expect
          .poll(async () => (await csv()).find((line) => line.startsWith(`pgbouncers,${name},`)), {
            timeout: 200_000,
          })
          .toMatch(/,UP,/);
    } finally {
      await started.stop();
    }
  });

  test("treats a node with another authority's certificate as unavailable", async () => {
    // Another server on a node's HTTP port has another authority's certificate with the same names.
    const other = await makeCockroachCertificates();
    try {
      const port = await freePort();
      const ca = join(other.directory, "certs", "public", "ca.crt");
      const started = await startCommittedHaproxy(haproxy, port, {
        cfg: CONFIG,
        addresses: nodeAddresses(
          port,
          stack.front.port,
          stack.health.map((each) => each.port),
          ca,
        ),
      });
      try {
        await waitUntilLogged(started.process, /backend nodes has no server available/i);
        expect(await started.process.log()).toMatch(
          /nodes\/cockroach-2 failed, reason: Layer6 invalid response/,
        );
      } finally {
        await started.stop();
      }
    } finally {
      await other.remove();
    }
  });
});
