// The default target: a PostgreSQL of our own, from the binaries that npm brings, on a loopback port, in a private
// directory that is gone afterwards. Its defaults suit a benchmark on one machine and are honest: fsync and
// synchronous_commit stay on, since a queue that forgets is not a queue. The user's settings win, except those
// that would open the server to the network or move its files. A refused setting is reported in the server's words.
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../foundation/clock.js";
import { TargetError, UsageError } from "../foundation/errors.js";
import { generateSecret } from "../foundation/prng.js";
import type { Endpoint } from "../scenario/endpoint.js";
import { preparePostgresBinaries, type PostgresBinaries } from "./postgres-binaries.js";
import { makePrivateDirectory, type PrivateDirectory } from "./private-directory.js";
import type { RunningTarget } from "./running-target.js";
import { assertSettings, blameSetting, serverSettings, type ServerSettings } from "./server-settings.js";
import { complaintIn, freePort, startProcess, type ServerProcess } from "./server-process.js";

const SUPERUSER = "postgres";
const START_PATIENCE_MS = 60_000;
const READY_POLL_MS = 10;
const PORT_ATTEMPTS = 5;
/** Longest path of a Unix socket is 107 bytes on Linux, 103 on macOS. */
const SOCKET_PATH_BYTES_MAX = 103;

/** Makes the server accept TLS connections only; PEM texts. */
export interface EmbeddedTls {
  readonly cert: string;
  readonly key: string;
  /** Authority of client certificates. */
  readonly clientCa?: string;
  /** Lines of pg_hba.conf; password log-in over TLS when left out. */
  readonly hba?: readonly string[];
}

export interface EmbeddedOptions {
  /** Loopback port; 0 or left out picks a free one. */
  readonly port?: number;
  /** Connections that the scenario opens at once; train-sim's own come on top. */
  readonly maxConnectionsNeeded: number;
  readonly tls?: EmbeddedTls;
}

/** Starts a server and resolves once it accepts connections. On rejection nothing is left. */
export async function startEmbedded(
  settings: ServerSettings,
  options: EmbeddedOptions,
): Promise<RunningTarget> {
  assertSettings(settings, options.maxConnectionsNeeded);
  const directory = await makePrivateDirectory("postgres");
  try {
    const binaries = await preparePostgresBinaries(directory);
    const password = generateSecret();
    const dataDirectory = await initialise(directory, binaries, password);
    if (options.tls) await writeTls(directory, options.tls);
    const { server, port } = await launch(directory, binaries, settings, options);
    return target(directory, dataDirectory, server, {
      host: "127.0.0.1",
      port,
      database: "postgres",
      user: SUPERUSER,
      password,
      ...(options.tls && { tls: { mode: "require" } }),
    });
  } catch (error) {
    await directory.remove();
    throw error;
  }
}

function target(
  directory: PrivateDirectory,
  dataDirectory: string,
  server: ServerProcess,
  admin: Endpoint,
): RunningTarget {
  return {
    kind: "embedded",
    endpoints: [admin],
    admin,
    serverPid: server.pid,
    dataDirectory,
    lost: server.lost,
    async stop() {
      await stopServer(server);
      await directory.remove();
    },
  };
}

/** Fast shutdown, immediate shutdown, SIGKILL. */
async function stopServer(server: ServerProcess): Promise<void> {
  await server.stop([
    { signal: "SIGINT", patienceMs: 15_000 },
    { signal: "SIGQUIT", patienceMs: 7_000 },
  ]);
}

/** Makes the cluster: SCRAM log-in, UTF-8, C locale, data checksums as PostgreSQL has them by default. */
async function initialise(
  directory: PrivateDirectory,
  binaries: PostgresBinaries,
  password: string,
): Promise<string> {
  const dataDirectory = join(directory.path, "data");
  const passwordFile = await directory.write("password", `${password}\n`);
  const args = [
    ...["-D", dataDirectory, "-U", SUPERUSER, "--pwfile", passwordFile],
    ...["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"],
  ];
  try {
    const initdb = await startProcess("initdb", directory, binaries.initdb, args);
    const how = await initdb.ended();
    if (how === "exit code 0") return dataDirectory;
    throw new TargetError(
      `the embedded PostgreSQL cannot make its data directory in ${directory.path} (${how}): ${complaintIn(await initdb.log())}`,
      "Free some space, or set TMPDIR to a directory with more.",
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function writeTls(directory: PrivateDirectory, tls: EmbeddedTls): Promise<void> {
  await directory.write("data/server.crt", tls.cert);
  await directory.write("data/server.key", tls.key);
  if (tls.clientCa) await directory.write("data/client-ca.crt", tls.clientCa);
  const lines = tls.hba ?? ["hostssl all all 127.0.0.1/32 scram-sha-256"];
  await directory.write("data/pg_hba.conf", `${lines.join("\n")}\n`);
}

interface Launched {
  readonly server: ServerProcess;
  readonly port: number;
}

/** Starts the postmaster; a port of our own choice that somebody took in the meantime is chosen anew. */
async function launch(
  directory: PrivateDirectory,
  binaries: PostgresBinaries,
  settings: ServerSettings,
  options: EmbeddedOptions,
): Promise<Launched> {
  for (let attempt = 1; ; attempt++) {
    const isOurChoice = !options.port;
    const port = options.port ? options.port : await freePort();
    const socketDirectory =
      Buffer.byteLength(join(directory.path, `.s.PGSQL.${port}`)) <= SOCKET_PATH_BYTES_MAX
        ? directory.path
        : "";
    const effective = serverSettings(settings, {
      port,
      socketDirectory,
      maxConnectionsNeeded: options.maxConnectionsNeeded,
      modules: binaries.modules,
      tls: options.tls ? (options.tls.clientCa ? "with-client-ca" : "on") : "off",
    });
    const args = ["-D", join(directory.path, "data"), ...effective.flatMap((pair) => ["-c", pair])];
    const server = await startProcess("the embedded PostgreSQL", directory, binaries.postgres, args);
    const failure = await whenReady(server, directory);
    if (failure === undefined) return { server, port };
    await stopServer(server);
    const isPortTaken = /could not bind .*address/i.test(failure);
    if (isPortTaken && isOurChoice && attempt < PORT_ATTEMPTS) continue;
    throw startError(failure, settings, isPortTaken ? port : undefined);
  }
}

/** Undefined once the server accepts connections; otherwise why it does not. */
async function whenReady(server: ServerProcess, directory: PrivateDirectory): Promise<string | undefined> {
  const deadlineMs = systemClock.nowMs() + START_PATIENCE_MS;
  const ended = new AbortController();
  void server.exited.then(() => ended.abort());
  while (systemClock.nowMs() < deadlineMs) {
    if (server.hasExited) return complaintIn(await server.log());
    if (await isReady(server.pid, join(directory.path, "data"))) return undefined;
    await systemClock.sleep(READY_POLL_MS, ended.signal);
  }
  return `it did not accept connections within ${START_PATIENCE_MS / 1000} s: ${complaintIn(await server.log())}`;
}

/** postmaster.pid says so itself: its pid on line 1 and its status on line 8. */
async function isReady(pid: number, dataDirectory: string): Promise<boolean> {
  try {
    const lines = (await readFile(join(dataDirectory, "postmaster.pid"), "utf8")).split("\n");
    return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
  } catch {
    return false;
  }
}

function startError(failure: string, settings: ServerSettings, takenPort: number | undefined): Error {
  if (takenPort !== undefined) {
    return new TargetError(
      `the embedded PostgreSQL cannot listen on 127.0.0.1:${takenPort}: ${failure}`,
      "Choose another target.port, or leave it out to have a free one picked.",
    );
  }
  const name = blameSetting(failure, settings);
  if (name === undefined) return new TargetError(`the embedded PostgreSQL does not start: ${failure}`);
  return new UsageError(
    `target.settings.${name}: PostgreSQL refuses ${JSON.stringify(settings[name])}: ${failure}`,
    "Correct the setting or take it out.",
  );
}
