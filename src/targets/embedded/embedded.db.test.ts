// The embedded server from the outside: it starts, says why when it does not, and leaves nothing behind.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { TargetError, UsageError } from "../../foundation/errors.js";
import { makeCertificate } from "../../../test/support/certificates.js";
import { startEmbedded, type EmbeddedOptions } from "./embedded.js";
import { processorsOf } from "./processors.js";
import type { RunningTarget } from "../running-target.js";

const run = promisify(execFile);
const started: RunningTarget[] = [];
async function start(settings: Record<string, string>, options: Partial<EmbeddedOptions> = {}) {
  const server = await startEmbedded(settings, { maxConnectionsNeeded: 10, ...options });
  started.push(server);
  return server;
}
const isRoot = process.getuid?.() === 0;
const ownDirectories = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`train-sim-postgres-${process.pid}-`));

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  expect(await ownDirectories()).toEqual([]);
});

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it.skipIf(processorsOf("self").length < 2)("has processors of its own until it ends", async () => {
  const all = processorsOf("self");
  const server = await start({}, { processors: 1 });
  for (const pid of server.control?.processes() ?? []) expect(processorsOf(pid)).toEqual(all.slice(0, 1));
  expect(processorsOf("self")).toEqual(all.slice(1));
  await server.stop();
  expect(processorsOf("self")).toEqual(all);
});

it.skipIf(processorsOf("self").length === 0)("leaves processors for the clients", async () => {
  const { length } = processorsOf("self");
  await expect(start({}, { processors: length })).rejects.toThrow(
    `${length} of ${length} processors leave none`,
  );
});

it("stands back for processors with all of its processes", async () => {
  const server = await start({}, { nice: 7 });
  const tree = server.control?.processes() ?? [];
  expect(tree.length).toBeGreaterThan(3);
  expect(tree.map((pid) => getPriority(pid))).toEqual(tree.map(() => 7));
});

/** Sends an SSLRequest and returns the server's one-byte answer: `S` for yes, `N` for no. */
async function askForTls(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const request = Buffer.alloc(8);
  request.writeInt32BE(8, 0);
  request.writeInt32BE(80877103, 4);
  socket.write(request);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString("latin1");
}

/** Sets TMPDIR to a new directory while `use` runs, and removes that directory after `cleanUp`. */
async function inTemporaryDirectory(
  use: (directory: string) => Promise<void>,
  cleanUp: (directory: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "embedded-test-"));
  vi.stubEnv("TMPDIR", directory);
  try {
    await use(directory);
    expect(await readdir(directory)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    await cleanUp(directory);
    await rm(directory, { recursive: true });
  }
}

describe("startEmbedded", () => {
  it("serves on loopback, its files its own; stop is no loss and leaves neither process nor directory", async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, "close");

    const server = await start({}, { port });
    const { serverPid = 0, dataDirectory = "" } = server;
    expect(server.admin).toMatchObject({
      scheme: "postgresql",
      host: "127.0.0.1",
      port,
      database: "postgres",
      user: "postgres",
    });
    expect(await askForTls(port)).toBe("N");
    expect(isRunning(serverPid)).toBe(true);
    const { mode } = await stat(join(dataDirectory, ".."));
    expect((mode & 0o777).toString(8)).toBe("700");

    let isLost = false;
    void server.lost.then(() => (isLost = true));
    await server.stop();
    await server.stop();
    await new Promise(setImmediate);
    expect(isLost).toBe(false);
    expect(isRunning(serverPid)).toBe(false);
    expect(existsSync(dataDirectory)).toBe(false);
  });

  it("names the setting and repeats the server's words when a setting does not exist", async () => {
    const attempt = start({ shared_bufers: "1GB" });
    await expect(attempt).rejects.toThrow(UsageError);
    await expect(attempt).rejects.toThrow(
      /target\.settings\.shared_bufers.*unrecognized configuration parameter/,
    );
  });

  it("names the setting and repeats the server's words when a value is invalid", async () => {
    await expect(start({ Work_Mem: "lots" })).rejects.toThrow(
      /target\.settings\.Work_Mem: PostgreSQL refuses "lots": .*invalid value for parameter "work_mem"/,
    );
  });

  it("says that a port is in use", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    const { port } = squatter.address() as AddressInfo;
    const attempt = start({}, { port });
    await expect(attempt).rejects.toThrow(TargetError);
    await expect(attempt).rejects.toThrow(
      new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}.*Address already in use`),
    );
    squatter.close();
  });

  it("takes TLS connections only when it is given a certificate", async () => {
    const tls = await makeCertificate("localhost");
    const server = await start({}, { tls });
    expect(server.admin.tls).toEqual({ mode: "require" });
    expect(await askForTls(server.admin.port)).toBe("S");
  });

  it("refuses a max_connections that is too small before it makes anything", async () => {
    await expect(start({ max_connections: "20" }, { maxConnectionsNeeded: 100 })).rejects.toThrow(UsageError);
  });

  it.runIf(isRoot)("says that the disk is full", async () => {
    await inTemporaryDirectory(
      async (directory) => {
        await run("mount", ["-t", "tmpfs", "-o", "size=4m,mode=1777", "tmpfs", directory]);
        await expect(start({})).rejects.toThrow(/PostgreSQL.*no space left on device/i);
      },
      async (directory) => {
        await run("umount", [directory]);
      },
    );
  });

  it.runIf(isRoot)("says that the server's user does not reach the temporary directory", async () => {
    await inTemporaryDirectory(async (directory) => {
      await chmod(directory, 0o700);
      await expect(start({})).rejects.toThrow(/temporary directory .* is out of reach for user/);
    });
  });

  it("tells when the server ends on its own, with its last words", async () => {
    const server = await start({});
    process.kill(server.serverPid ?? 0, "SIGQUIT");
    await expect(server.lost).resolves.toMatch(/embedded PostgreSQL ended on its own.*immediate shutdown/);
  });
});
