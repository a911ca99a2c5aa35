// Managed PgBouncers from the outside: several versions, every mode, and the messages if they cannot be started.
import { once } from "node:events";
import { mkdtemp, readdir, readlink, rm, writeFile, chmod } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { TargetError, UsageError } from "../../foundation/errors.js";
import type { Endpoint, TlsSettings } from "../../database/endpoint.js";
import { casesOf } from "../../../test/support/lanes.js";
import {
  NEWEST_PGBOUNCER,
  PGBOUNCER_KINDS,
  pgBouncerEnv,
  pgBouncerPath,
} from "../../../test/support/pgbouncers.js";
import { startPgBouncers } from "../../../test/support/pgbouncers.js";
import { connectAdmin } from "../../database/postgres/admin.js";
import { pgbouncerKind } from "./pgbouncer.js";
import type { PgBouncerSettings } from "./pgbouncer-config.js";
import { startPgBouncer } from "./start-pgbouncer.js";
import { freePort } from "../../foundation/process/server-process.js";
import { POOL_MODES } from "../keys.js";
import type { RunningPooler } from "../running-pooler.js";

const SETTINGS: PgBouncerSettings = {
  mode: "transaction",
  size: 4,
  instances: 1,
  maxPreparedStatements: 100,
  maxClientConnections: 20,
};

/** A name that needs escapes, also in a certificate. */
const AWKWARD = 'O="lab", CN=postgres + é';
const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const findPgBouncer = pgbouncerKind.find;
const started: RunningPooler[] = [];
async function start(
  settings: Partial<PgBouncerSettings>,
  upstream: Endpoint = inject("adminEndpoint"),
  env: NodeJS.ProcessEnv = pgBouncerEnv(),
): Promise<RunningPooler> {
  const pooler = await startPgBouncers({ ...SETTINGS, ...settings }, upstream, env);
  started.push(pooler);
  return pooler;
}

const ownDirectories = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`train-sim-pgbouncer-${process.pid}-`));

let scratch = "";
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), "pgbouncer-test-"));
  await chmod(scratch, 0o755);
});
afterEach(async () => {
  for (const pooler of started.splice(0)) await pooler.stop();
  await rm(scratch, { recursive: true });
  expect(await ownDirectories()).toEqual([]);
});

/** Opens a session up to the server's first answer, and returns the answer's type: `R` asks for a log-in, `E` refuses. */
async function openSession(endpoint: Endpoint): Promise<{ socket: Socket; answer: string }> {
  const fields = Buffer.from(
    `\0\x03\0\0user\0${endpoint.user}\0database\0${endpoint.database}\0\0`,
    "latin1",
  );
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  const socket = connect(endpoint.port, endpoint.host);
  socket.write(Buffer.concat([length, fields]));
  const [answer] = (await once(socket, "data")) as [Buffer];
  return { socket, answer: answer.subarray(0, 1).toString("latin1") };
}

async function firstAnswer(endpoint: Endpoint): Promise<string> {
  const { socket, answer } = await openSession(endpoint);
  socket.destroy();
  return answer;
}

async function isListening(endpoint: Endpoint): Promise<boolean> {
  const socket = connect(endpoint.port, endpoint.host);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe.each(casesOf(PGBOUNCER_KINDS, 2))("PgBouncer %s", (kind) => {
  it.each(POOL_MODES)("starts, answers and stops in %s mode", async (mode) => {
    const pooler = await start({ mode, instances: 2 }, inject("adminEndpoint"), pgBouncerEnv(kind));
    expect(pooler.endpoints).toHaveLength(2);
    expect(pooler.version?.startsWith(`${kind}.`)).toBe(true);
    for (const endpoint of [...pooler.endpoints, ...pooler.consoles])
      expect(await firstAnswer(endpoint)).toBe("R");
    expect(pooler.consoles.map(({ database }) => database)).toEqual(["pgbouncer", "pgbouncer"]);
    expect(pooler.supportsPreparedStatements).toBe(mode === "session" || kind !== "1.18");
    await pooler.stop();
    expect(await Promise.all(pooler.endpoints.map(isListening))).toEqual([false, false]);
  });

  it("stops at once while a client is connected", async () => {
    const pooler = await start({}, inject("adminEndpoint"), pgBouncerEnv(kind));
    const [endpoint] = pooler.endpoints as [Endpoint];
    // PgBouncer sees a client only once that client has sent something (TCP_DEFER_ACCEPT).
    const { socket } = await openSession(endpoint);
    const closed = once(socket, "close");
    await pooler.stop();
    await closed;
    expect(await isListening(endpoint)).toBe(false);
  });

  it("admits a client by the certificate for its name only", async () => {
    const upstream = { ...inject("adminEndpoint"), user: AWKWARD };
    const admin = await connectAdmin(inject("adminEndpoint"));
    onTestFinished(async () => {
      await admin.query(`DROP ROLE ${quoteName(AWKWARD)}`);
      await admin.close();
    });
    await admin.query(`CREATE ROLE ${quoteName(AWKWARD)} LOGIN PASSWORD '${upstream.password ?? ""}'`);
    const pooler = await start({ login: "certificate" }, upstream, pgBouncerEnv(kind));
    const other = await start({ login: "certificate" }, upstream, pgBouncerEnv(kind));
    const [client, console_] = [pooler.endpoints[0] as Endpoint, pooler.consoles[0] as Endpoint];
    const { tls, ...withoutTls } = client;
    const { cert, key, ...withoutCertificate } = tls as TlsSettings;
    const ask = async (endpoint: Endpoint): Promise<unknown> => {
      const session = await connectAdmin(endpoint);
      try {
        return (await session.query("SELECT current_user AS name"))[0]?.["name"];
      } finally {
        await session.close();
      }
    };
    expect(cert?.length).not.toBe(key?.length);
    expect(await ask({ ...client, password: "of no use" })).toBe(AWKWARD);
    await expect(ask({ ...client, user: "postgres" })).rejects.toThrow();
    await expect(ask(withoutTls)).rejects.toThrow();
    await expect(ask({ ...client, tls: withoutCertificate })).rejects.toThrow();
    const stranger = (other.endpoints[0] as Endpoint).tls as TlsSettings;
    await expect(ask({ ...client, tls: stranger })).rejects.toThrow();
    const statistics = await pooler.statistics(5_000);
    await statistics.close();
    await expect(connectAdmin({ ...console_, password: "another" })).rejects.toThrow();
  });

  it("takes another port if the chosen one is in use", async () => {
    const taken = inject("adminEndpoint").port;
    const ports = [taken, taken];
    const choosePort = async (): Promise<number> => ports.pop() ?? freePort();
    const program = await findPgBouncer(pgBouncerEnv(kind));
    const instance = await startPgBouncer(program, SETTINGS, inject("adminEndpoint"), choosePort);
    expect(ports).toEqual([]);
    expect(instance.client.port).not.toBe(taken);
    expect(await firstAnswer(instance.client)).toBe("R");
    await instance.stop();
  });
});

it("several managed PgBouncers have the region of their upstream and share its weight", async () => {
  const upstream = { ...inject("adminEndpoint"), region: "east", weight: 3 };
  const { endpoints } = await start({ instances: 2 }, upstream);
  expect(endpoints.map(({ region, weight }) => [region, weight])).toEqual([
    ["east", 1.5],
    ["east", 1.5],
  ]);
  const [plain] = (await start({})).endpoints;
  expect([plain?.region, plain?.weight]).toEqual([undefined, undefined]);
});

describe("an instance of several PgBouncers", () => {
  it.each(["at-once", "kill"] as const)(
    "restarts on its port after being taken down (%s), and is not reported as lost",
    async (how) => {
      const pooler = await start({ instances: 2 });
      let lost: string | undefined;
      void pooler.lost.then((words) => (lost = words));
      const [first] = pooler.instances;
      const [firstPid] = pooler.pids;
      const { socket } = await openSession(pooler.endpoints[0] as Endpoint);
      const closed = once(
        socket.on("error", () => undefined),
        "close",
      );
      await first?.shutDown(how);
      await closed;
      expect(await Promise.all(pooler.endpoints.map(isListening))).toEqual([false, true]);
      expect(pooler.pids).toHaveLength(1);
      await first?.start();
      for (const endpoint of [...pooler.endpoints, ...pooler.consoles])
        expect(await firstAnswer(endpoint)).toBe("R");
      expect(pooler.pids).toHaveLength(2);
      expect(pooler.pids).not.toContain(firstPid);
      expect(lost).toBeUndefined();
      process.kill(pooler.pids[0] ?? 0, "SIGKILL");
      await expect(pooler.lost).resolves.toMatch(/PgBouncer at 127.0.0.1:\d+ ended on its own \(SIGKILL\)/);
    },
  );
});

describe("startPgBouncers", () => {
  it("supports prepared statements in transaction mode only if some are allowed", async () => {
    expect((await start({ maxPreparedStatements: 0 })).supportsPreparedStatements).toBe(false);
  });

  it("passes on settings that its version has, and shows the refusal of one that it lacks", async () => {
    const settings = { transaction_timeout: "60", client_tls13_ciphers: "TLS_AES_128_GCM_SHA256" };
    expect(await firstAnswer((await start({ settings })).endpoints[0] as Endpoint)).toBe("R");
    const refused = start({ settings }, inject("adminEndpoint"), pgBouncerEnv("1.18"));
    await expect(refused).rejects.toThrow(/PgBouncer 1\.18.* does not start: .*transaction_timeout/);
  });

  it("reports an instance that ends on its own", async () => {
    const pooler = await start({ instances: 2 });
    const [directory = ""] = await ownDirectories();
    const [pid] = await pidsIn(join(tmpdir(), directory));
    process.kill(pid ?? 0, "SIGKILL");
    await expect(pooler.lost).resolves.toMatch(/PgBouncer at 127.0.0.1:\d+ ended on its own \(SIGKILL\)/);
  });

  it("names the database that cannot be reached", async () => {
    const attempt = start({}, { ...inject("adminEndpoint"), port: 1 });
    await expect(attempt).rejects.toThrow(TargetError);
    await expect(attempt).rejects.toThrow(/127\.0\.0\.1:1\/postgres cannot be reached: .*ECONNREFUSED/);
  });

  it("refuses more clients than the limit of open files allows", async () => {
    const attempt = start({ maxClientConnections: 50_000_000 });
    await expect(attempt).rejects.toThrow(UsageError);
    await expect(attempt).rejects.toThrow(/open files for 50000000 clients/);
  });

  it("starts with quotes and spaces in user, password and database", async () => {
    const pooler = await start(
      {},
      { ...inject("adminEndpoint"), user: `o'"x y`, password: `a"b'c\\ =`, database: `d "b'` },
    );
    expect(await firstAnswer(pooler.endpoints[0] as Endpoint)).toBe("R");
  });
});

describe("the search for a PgBouncer", () => {
  it("takes the program that TRAIN_SIM_PGBOUNCER names", async () => {
    const path = pgBouncerPath();
    const { version } = await findPgBouncer({ TRAIN_SIM_PGBOUNCER: path });
    expect(version).toMatch(new RegExp(`^${NEWEST_PGBOUNCER}\\.`));
  });

  it("takes the first one on PATH", async () => {
    const program = join(scratch, "pgbouncer");
    await writeFile(program, "#!/bin/sh\necho 'PgBouncer 1.23.1'\n");
    await chmod(program, 0o755);
    expect(await findPgBouncer({ PATH: `/nonexistent:${scratch}` })).toEqual({
      path: program,
      version: "1.23.1",
    });
  });

  it("explains what needs a PgBouncer if the machine has none", async () => {
    const found = await findPgBouncer({ PATH: "/nonexistent" }).catch((error: unknown) => error);
    if (!(found instanceof TargetError)) {
      expect(found).toMatchObject({ path: /sbin|local|homebrew/ });
      return;
    }
    expect(found.message).toBe("no PgBouncer on this machine");
    expect(found.hint).toMatch(/^Only a pool "pgbouncer" without urls needs one: install it/);
  });

  it("names the value of TRAIN_SIM_PGBOUNCER if it cannot be run", async () => {
    await expect(findPgBouncer({ TRAIN_SIM_PGBOUNCER: "/nonexistent/pgbouncer" })).rejects.toThrow(
      /the PgBouncer \/nonexistent\/pgbouncer \(TRAIN_SIM_PGBOUNCER names it\) cannot be run.*ENOENT/,
    );
  });

  it("refuses another program in TRAIN_SIM_PGBOUNCER", async () => {
    await expect(findPgBouncer({ TRAIN_SIM_PGBOUNCER: "/bin/echo" })).rejects.toThrow(/is not a PgBouncer/);
  });
});

/** Processes whose working directory is that directory. */
async function pidsIn(directory: string): Promise<number[]> {
  const pids: number[] = [];
  for (const name of (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry))) {
    const at = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (at === directory) pids.push(Number(name));
  }
  return pids;
}
