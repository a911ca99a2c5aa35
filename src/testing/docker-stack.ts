// The stack of docker/compose.yaml on loopback without containers: the real PostgreSQL, two real PgBouncers and the
// real HAProxy, each reading the committed configuration file itself. Only addresses and the places of certificates
// are overridden, in files of their own that come before (HAProxy) or include (PgBouncer) the committed one, and
// the certificates come from the committed script. Servers are stopped and their directories removed by `stop`.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../foundation/clock.js";
import { generateSecret } from "../foundation/prng.js";
import { connectAdmin } from "../database/admin.js";
import type { Endpoint } from "../scenario/endpoint.js";
import { startEmbedded } from "../target/embedded.js";
import { makePrivateDirectory } from "../target/private-directory.js";
import type { RunningTarget } from "../target/running-target.js";
import { DOCKER, readCompose } from "./docker-compose.js";
import { freePort, startProcess, type ServerProcess } from "../target/server-process.js";

const run = promisify(execFile);

const USER = "train_sim";
const READY_ATTEMPTS = 500;
const POLL_MS = 20;

/** Certificates and the list of users, made by docker/make-certificates.sh in a directory of their own. */
export interface Certificates {
  readonly directory: string;
  readonly password: string;
  read(name: string): Promise<string>;
  remove(): Promise<void>;
}

export interface DockerStack {
  /** Through HAProxy; TLS as `verify-full`. */
  readonly front: Endpoint;
  readonly postgres: Endpoint;
  /** Each PgBouncer itself, database `pgbouncer`. */
  readonly consoles: readonly Endpoint[];
  readonly poolers: readonly ServerProcess[];
  readonly haproxy: ServerProcess;
  stop(): Promise<void>;
}

export async function makeCertificates(): Promise<Certificates> {
  const directory = await mkdtemp(join(tmpdir(), "train-sim-certs-"));
  const password = generateSecret();
  await run("sh", [join(DOCKER, "make-certificates.sh"), directory], {
    env: { ...process.env, TRAIN_SIM_PASSWORD: password },
  });
  return {
    directory,
    password,
    read: (name) => readFile(join(directory, name), "utf8"),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Variables that docker/haproxy/haproxy.cfg presets, as a configuration file to read before it. */
export function haproxyAddresses(listenPort: number, poolerPorts: readonly number[]): string {
  const lines = poolerPorts.map((port, index) => `  setenv PGBOUNCER_${index + 1} "127.0.0.1:${port}"`);
  return ["global", `  setenv LISTEN "127.0.0.1:${listenPort}"`, ...lines, ""].join("\n");
}

/** Starts all of it; on rejection nothing is left. */
export async function startDockerStack(
  programs: { readonly pgbouncer: string; readonly haproxy: string },
  certificates: Certificates,
): Promise<DockerStack> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of stops.reverse()) await step();
  };
  try {
    const server = await startPostgres(certificates);
    stops.push(() => server.stop());
    const postgres = await endpointOf(certificates, server.admin.port);
    const ports = [await freePort(), await freePort()];
    const poolers: ServerProcess[] = [];
    for (const port of ports) {
      const pooler = await startPooler(programs.pgbouncer, certificates, port, postgres.port);
      poolers.push(pooler.process);
      stops.push(pooler.stop);
    }
    const listenPort = await freePort();
    const haproxy = await startHaproxy(programs.haproxy, listenPort, ports);
    stops.push(haproxy.stop);
    return {
      front: await endpointOf(certificates, listenPort),
      postgres,
      consoles: await Promise.all(ports.map((port) => endpointOf(certificates, port, "pgbouncer"))),
      poolers,
      haproxy: haproxy.process,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function endpointOf(certificates: Certificates, port: number, database = USER): Promise<Endpoint> {
  const tls = { mode: "verify-full" as const, ca: await certificates.read("ca.crt") };
  return { host: "127.0.0.1", port, database, user: USER, password: certificates.password, tls };
}

/** The `-c name=value` of the service's command, certificates and access rules aside: those go by other ways. */
async function postgresSettings(): Promise<Record<string, string>> {
  const { command = [] } = (await readCompose()).services["postgres"] ?? {};
  const pairs = command
    .filter((word) => word.includes("="))
    .map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)] as const);
  return Object.fromEntries(pairs.filter(([name]) => !/^(hba_file|ssl|ssl_(cert|key)_file)$/.test(name)));
}

async function startPostgres(certificates: Certificates): Promise<RunningTarget> {
  const [cert, key, hba] = await Promise.all([
    certificates.read("postgres.crt"),
    certificates.read("postgres.key"),
    readFile(join(DOCKER, "postgres", "pg_hba.conf"), "utf8"),
  ]);
  const settings = { ...(await postgresSettings()), fsync: "off" };
  const server = await startEmbedded(settings, {
    maxConnectionsNeeded: 100,
    tls: { cert, key, hba: hba.split("\n") },
  });
  try {
    // What the image does for POSTGRES_USER and POSTGRES_DB.
    const admin = await connectAdmin(server.admin);
    await admin.query(`CREATE ROLE ${USER} SUPERUSER LOGIN PASSWORD '${certificates.password}'`);
    await admin.query(`CREATE DATABASE ${USER} OWNER ${USER}`);
    await admin.close();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

export interface Started {
  readonly process: ServerProcess;
  readonly stop: () => Promise<void>;
}

/** One PgBouncer with the committed file, in front of the PostgreSQL on that port. */
export async function startPooler(
  program: string,
  certificates: Certificates,
  port: number,
  postgresPort: number,
): Promise<Started> {
  const directory = await makePrivateDirectory("pgbouncer");
  for (const name of ["ca.crt", "pgbouncer.crt", "pgbouncer.key", "userlist.txt"])
    await directory.write(name, await certificates.read(name));
  const committed = await readFile(join(DOCKER, "pgbouncer", "pgbouncer.ini"), "utf8");
  const included = await directory.write("pgbouncer.ini", committed);
  // The committed file ends inside [pgbouncer]. A second [pgbouncer] would set everything back to its default.
  const overrides = await directory.write(
    "addresses.ini",
    [
      `%include ${included}`,
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      ...["auth_file = userlist.txt", "server_tls_ca_file = ca.crt"],
      ...["client_tls_cert_file = pgbouncer.crt", "client_tls_key_file = pgbouncer.key"],
      "[databases]",
      `${USER} = host=127.0.0.1 port=${postgresPort} dbname=${USER}`,
      "",
    ].join("\n"),
  );
  return supervise(await startProcess("PgBouncer", directory, program, [overrides]), port, () =>
    directory.remove(),
  );
}

async function startHaproxy(
  program: string,
  listenPort: number,
  poolerPorts: readonly number[],
): Promise<Started> {
  const directory = await makePrivateDirectory("pgbouncer");
  const addresses = await directory.write("addresses.cfg", haproxyAddresses(listenPort, poolerPorts));
  const args = ["-db", "-f", addresses, "-f", join(DOCKER, "haproxy", "haproxy.cfg")];
  // As whoever runs the tests: it needs no other user, and reads the committed file where it lies.
  const started = await startProcess("HAProxy", { ...directory, user: undefined }, program, args);
  return supervise(started, listenPort, () => directory.remove());
}

/** Waits until the process accepts connections; stops it when it does not. */
async function supervise(
  started: ServerProcess,
  port: number,
  remove: () => Promise<void>,
): Promise<Started> {
  const stop = async (): Promise<void> => {
    await started.stop([{ signal: "SIGQUIT", patienceMs: 2000 }]);
    await remove();
  };
  try {
    for (let attempt = 1; !(await accepts(port)); attempt++) {
      if (started.hasExited || attempt === READY_ATTEMPTS)
        throw new Error(`nothing listens on port ${port}: ${await started.log()}`);
      await systemClock.sleep(POLL_MS);
    }
    return { process: started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Resolves once the process has written a line that matches; rejects with its log after a bounded time. */
export async function hasLogged(process: ServerProcess, line: RegExp): Promise<void> {
  for (let attempt = 0; attempt < READY_ATTEMPTS; attempt++) {
    if (line.test(await process.log())) return;
    await systemClock.sleep(POLL_MS);
  }
  throw new Error(`not logged: ${String(line)}\n${await process.log()}`);
}
