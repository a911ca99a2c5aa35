// Start, failures and clean-up of the embedded server.
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

it.skipIf(processorsOf("self").length < 2)("a server has reserved processors until it stops", async () => {
  const all = processorsOf("self");
  const server = await start({}, { processors: 1 });
  for (const pid of server.control?.processes() ?? []) expect(processorsOf(pid)).toEqual(all.slice(0, 1));
  expect(processorsOf("self")).toEqual(all.slice(1));
  await server.stop();
  expect(processorsOf("self")).toEqual(all);
});

it.skipIf(processorsOf("self").length === 0)("refuses a server on all processors", async () => {
  const { length } = processorsOf("self");
  await expect(start({}, { processors: length })).rejects.toThrow(
    `${length} of ${length} processors leave none`,
  );
});

it("all processes of an embedded server run at the configured nice value", async () => {
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
  it("serves on loopback from a private directory, and removes processes and files on stop", async () => {
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

  it("refuses a setting that PostgreSQL does not know, with the server's message", async () => {
    const attempt = start({ shared_bufers: "1GB" });
    await expect(attempt).rejects.toThrow(UsageError);
    await expect(attempt).rejects.toThrow(
      /target\.settings\.shared_bufers.*unrecognized configuration parameter/,
    );
  });

  it("refuses an invalid value of a setting, with the server's message", async () => {
    await expect(start({ Work_Mem: "lots" })).rejects.toThrow(
      /target\.settings\.Work_Mem: PostgreSQL refuses "lots": .*invalid value for parameter "work_mem"/,
    );
  });

  it("reports a port that is in use", async () => {
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

  it("accepts TLS connections only if it has a certificate", async () => {
    const tls = await makeCertificate("localhost");
    const server = await start({}, { tls });
    expect(server.admin.tls).toEqual({ mode: "require" });
    expect(await askForTls(server.admin.port)).toBe("S");
  });

  it("refuses a max_connections below the connections that the scenario needs", async () => {
    await expect(start({ max_connections: "20" }, { maxConnectionsNeeded: 100 })).rejects.toThrow(UsageError);
  });

  it.runIf(isRoot)("reports a full disk", async () => {
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

  it.runIf(isRoot)("reports that the server's user cannot enter the temporary directory", async () => {
    await inTemporaryDirectory(async (directory) => {
      await chmod(directory, 0o700);
      await expect(start({})).rejects.toThrow(/temporary directory .* is out of reach for user/);
    });
  });

  it("reports the end of a killed server with the last lines of its log", async () => {
    const server = await start({});
    process.kill(server.serverPid ?? 0, "SIGQUIT");
    await expect(server.lost).resolves.toMatch(/embedded PostgreSQL ended on its own.*immediate shutdown/);
  });
});
