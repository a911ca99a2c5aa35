// Embedded servers with a cache directory for this test: the first server stores its cluster, later servers start from it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { connectAdmin } from "../../database/postgres/admin.js";
import type { Endpoint, Auth } from "../../database/endpoint.js";
import { startPoolers } from "../../pools/managed.js";
import { pgbouncerKind } from "../../pools/pgbouncer/pgbouncer.js";
import { pgpoolKind } from "../../pools/pgpool/pgpool.js";
import { pgBouncerEnv } from "../../../test/support/pgbouncers.js";
import { poolerEnv } from "../../../test/support/poolers.js";
import { startEmbedded } from "./embedded.js";
import type { RunningTarget } from "../running-target.js";

let cacheHome: string;
const started: { stop(): Promise<void> }[] = [];

/** The cache is empty before the first test; the others use the cluster that the first keeps. */
beforeAll(async () => {
  cacheHome = await mkdtemp(join(tmpdir(), "cluster-test-"));
  vi.stubEnv("XDG_CACHE_HOME", cacheHome);
});
afterEach(async () => {
  for (const server of started.splice(0).reverse()) await server.stop();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(cacheHome, { recursive: true });
});

async function start(auth?: Auth): Promise<RunningTarget> {
  const server = await startEmbedded({}, { maxConnectionsNeeded: 10, ...(auth && { auth }) });
  started.push(server);
  return server;
}

const keptFiles = () =>
  readdirSync(join(cacheHome, "train-sim")).map((name) => join(cacheHome, "train-sim", name));

async function ask(endpoint: Endpoint, sql: string): Promise<unknown> {
  const admin = await connectAdmin(endpoint);
  try {
    return await admin.query(sql);
  } finally {
    await admin.close();
  }
}

it("embedded servers start from the first server's stored cluster, each with another password", async () => {
  const first = await start();
  const [file = "", ...others] = keptFiles();
  expect(others).toEqual([]);
  const before = readFileSync(file);
  await ask(first.admin, "CREATE TABLE of_the_first (n int)");
  const second = await start();
  const ids = [first, second].map(({ admin }) =>
    ask(admin, "SELECT system_identifier::text FROM pg_control_system()"),
  );
  expect(await ids[1]).toEqual(await ids[0]);
  expect(await ask(second.admin, "SELECT to_regclass('of_the_first') AS of_the_first")).toEqual([
    { of_the_first: null },
  ]);
  const wrong = { ...second.admin, password: first.admin.password ?? "" };
  await expect(ask(wrong, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  expect(readFileSync(file).equals(before)).toBe(true);
  for (const password of [first.admin.password ?? "", second.admin.password ?? "", "SCRAM-SHA-256$"])
    expect(before.includes(password)).toBe(false);
});

it("an embedded server makes and stores a new cluster if the stored cluster is damaged", async () => {
  await start();
  const [file = ""] = keptFiles();
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, whole.length / 2));
  const server = await start();
  expect(await ask(server.admin, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
  expect(readFileSync(file).length).toBeGreaterThan(whole.length / 2);
});

it("an embedded server refuses log-in without a password", async () => {
  const { admin } = await start();
  const rules = await ask(admin, "SELECT DISTINCT auth_method FROM pg_hba_file_rules");
  expect(rules).toEqual([{ auth_method: "scram-sha-256" }]);
  await expect(ask({ ...admin, password: "" }, "SELECT 1")).rejects.toThrow(/password/);
});

it("an embedded server with trust authentication and its poolers accept log-in without a password", async () => {
  const { admin, auth } = await start("trust");
  expect(await ask(admin, "SELECT DISTINCT auth_method FROM pg_hba_file_rules")).toEqual([
    { auth_method: "trust" },
  ]);
  const admitted = { size: 2, instances: 1, urls: [], maxClientConnections: 2, auth };
  const bouncer = { ...admitted, mode: "session", maxPreparedStatements: 0 } as const;
  const poolers = [
    await startPoolers(pgbouncerKind, bouncer, [admin], pgBouncerEnv()),
    await startPoolers(
      pgpoolKind,
      { ...admitted, strategy: "pgpool", reconnect: "never" },
      [admin],
      poolerEnv("pgpool"),
    ),
  ];
  started.push(...poolers);
  for (const endpoint of [admin, ...poolers.flatMap(({ endpoints }) => endpoints)])
    expect(await ask({ ...endpoint, password: "" }, "SELECT 1 AS n")).toEqual([{ n: 1 }]);
});
