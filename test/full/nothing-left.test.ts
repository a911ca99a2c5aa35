// train-sim leaves no process and no directory of its servers, however it ends; and its servers start under any user and in
// any place of installation. Each test runs a separate train-sim process.
import { chmod, chown, lstat, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  waitUntilEnded,
  makeInstallation,
  processesIn,
  removeLinks,
  type Installation,
  type Running,
} from "../support/installation.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { serverUser, type ServerUser } from "../../src/foundation/process/private-directory.js";

/** Script that starts a server and two PgBouncers, prints a line of JSON, and then runs `afterwards`. */
const script = (afterwards: string) => `
import { startEmbedded } from "./dist/targets/embedded/embedded.js";
import { startPoolers } from "./dist/pools/managed.js";
import { pgbouncerKind } from "./dist/pools/pgbouncer/pgbouncer.js";
const server = await startEmbedded({}, { maxConnectionsNeeded: 20 });
const pooler = await startPoolers(
  pgbouncerKind,
  { mode: "transaction", size: 2, instances: 2, maxPreparedStatements: 0, maxClientConnections: 10 },
  [server.admin],
);
console.log(JSON.stringify({ pid: server.serverPid, dataDirectory: server.dataDirectory }));
setInterval(() => {}, 1000);
${afterwards}
`;

/** The script without its timer, to test that servers alone do not keep the process alive. */
const withoutTimer = (text: string) => text.replace(/^setInterval.*$/m, "");

interface Started {
  readonly pid: number;
  readonly dataDirectory: string;
}

const isRoot = process.getuid?.() === 0;
let installation: Installation;
/** Unprivileged user that runs train-sim if root runs the tests; undefined if the tests' user is unprivileged already. */
let normalUser: ServerUser | undefined;
const running: Running[] = [];

beforeAll(async () => {
  installation = await makeInstallation();
  normalUser = await serverUser();
});
afterEach(async () => {
  for (const one of running.splice(0)) {
    one.child.kill("SIGKILL");
    await one.nothingLeft();
  }
});
afterAll(async () => installation.remove());

async function run(text: string, user?: ServerUser): Promise<Running> {
  const one = await installation.run(text, { env: pgBouncerEnv(), ...(user && { user }) });
  running.push(one);
  return one;
}

const readStarted = async (one: Running) => JSON.parse(await one.line()) as Started;

describe("train-sim with running servers", () => {
  it("leaves no process or directory after kill -9", async () => {
    const one = await run(script(""));
    const { pid, dataDirectory } = await readStarted(one);
    const processes = await processesIn(one.temporary);
    // The processes are the postmaster with its helpers, and two PgBouncers.
    expect(processes).toContain(pid);
    expect(processes.length).toBeGreaterThan(4);
    expect((await stat(dataDirectory)).isDirectory()).toBe(true);
    one.child.kill("SIGKILL");
    await waitUntilEnded(one);
    await one.nothingLeft();
  });

  it("leaves no process or directory after kill -9 during initdb", async () => {
    const one = await run(script(""));
    while (!(await hasData(one.temporary))) await new Promise(setImmediate);
    one.child.kill("SIGKILL");
    await waitUntilEnded(one);
    await one.nothingLeft();
  });

  it.each([
    ["process.exit", "process.exit(3)"],
    ["an uncaught error", "throw new Error('on purpose')"],
    ["SIGTERM", "process.kill(process.pid, 'SIGTERM')"],
    ["SIGHUP", "process.kill(process.pid, 'SIGHUP')"],
  ])("leaves no process or directory if it ends by %s", async (_, afterwards) => {
    const one = await run(script(afterwards));
    await readStarted(one);
    await waitUntilEnded(one);
    await one.nothingLeft();
  });

  it("ends by itself and leaves nothing although stop was not called", async () => {
    const one = await run(withoutTimer(script("")));
    await readStarted(one);
    await waitUntilEnded(one);
    expect(one.child.exitCode).toBe(0);
    await one.nothingLeft();
  });

  it("leaves nothing after stop, and ends by itself with its exit code", async () => {
    const stopping = withoutTimer(script("await pooler.stop(); await server.stop(); process.exitCode = 7;"));
    const one = await run(stopping);
    await readStarted(one);
    await waitUntilEnded(one);
    expect(one.child.exitCode).toBe(7);
    expect(await readdir(one.temporary)).toEqual([]);
    expect(await processesIn(one.temporary)).toEqual([]);
  });
});

describe("servers that train-sim starts", () => {
  it("run in a separate session, out of reach of its Ctrl-C, and under another user if root starts them", async () => {
    const one = await run(script(""));
    const { pid } = await readStarted(one);
    const sessions = await Promise.all([pid, one.child.pid ?? 0].map(sessionOf));
    expect(sessions[0]).toBe(pid);
    expect(sessions[1]).not.toBe(pid);
    if (isRoot) expect((await stat(`/proc/${pid}`)).uid).toBe(normalUser?.uid);
  });

  it("run as the normal user who starts train-sim", async () => {
    const one = await run(script(""), normalUser);
    const { pid } = await readStarted(one);
    expect((await stat(`/proc/${pid}`)).uid).toBe(normalUser?.uid ?? process.getuid?.());
  });
});

/** These tests are the last of the file, because they change the installation. */
describe("PostgreSQL's installed programs", () => {
  it("get the links that npm ci --ignore-scripts leaves out", async () => {
    const links = await removeLinks(installation.postgresPackage);
    expect(links.length).toBeGreaterThan(5);
    await readStarted(await run(script("")));
    for (const link of links) expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });

  it.runIf(isRoot)("are copied if they lack their links and are not writable", async () => {
    await removeLinks(installation.postgresPackage);
    await readStarted(await run(script(""), normalUser));
    expect(await removeLinks(installation.postgresPackage)).toEqual([]);
  });

  it.runIf(isRoot)("are copied if the server's user cannot reach the installed files", async () => {
    const modules = join(installation.path, "node_modules");
    await chmod(modules, 0o700);
    await chown(modules, 0, 0);
    const { dataDirectory } = await readStarted(await run(script("")));
    expect(await readdir(join(dataDirectory, ".."))).toContain("programs");
  });
});

async function hasData(temporary: string): Promise<boolean> {
  const [directory] = await readdir(temporary);
  if (directory === undefined) return false;
  const files: string[] = await readdir(join(temporary, directory)).catch(() => []);
  return files.includes("data");
}

/** Session of a process: field 6 of /proc/<pid>/stat, the fourth after the name. */
async function sessionOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "latin1");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[3]);
}
