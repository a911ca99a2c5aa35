// The stack of docker/compose.yaml on loopback without containers: the real PostgreSQL, two real PgBouncers and the real
// HAProxy, each reading the committed configuration file (see docker-servers.ts), with certificates from the committed
// script.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { generateSecret } from "../../src/foundation/prng.js";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import type { RunningTarget } from "../../src/targets/running-target.js";
import { DOCKER, readCompose } from "./docker-compose.js";
import { startCommittedHaproxy, startCommittedPgBouncer, type Started } from "./docker-servers.js";
import { freePort, type ServerProcess } from "../../src/foundation/process/server-process.js";

const run = promisify(execFile);

const USER = "train_sim";

/** Certificates and the list of users, made by docker/make-certificates.sh in a separate directory. */
export interface Certificates {
  readonly directory: string;
  readonly password: string;
  read(name: string): Promise<string>;
  remove(): Promise<void>;
}

export interface DockerStack {
  /** Endpoint of HAProxy. Connections verify its certificate, as `verify-full` does. */
  readonly front: Endpoint;
  readonly postgres: Endpoint;
  /** Endpoints of the consoles of the PgBouncers, which are their database `pgbouncer`. */
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

/** Text of a configuration file that sets the variables which docker/haproxy/haproxy.cfg presets. HAProxy reads it first. */
export function haproxyAddresses(listenPort: number, poolerPorts: readonly number[]): string {
  const lines = poolerPorts.map((port, index) => `  setenv PGBOUNCER_${index + 1} "127.0.0.1:${port}"`);
  return ["global", `  setenv LISTEN "127.0.0.1:${listenPort}"`, ...lines, ""].join("\n");
}

/** Starts the whole stack. On rejection nothing is left. */
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
    const haproxy = await startCommittedHaproxy(programs.haproxy, listenPort, {
      cfg: join(DOCKER, "haproxy", "haproxy.cfg"),
      addresses: haproxyAddresses(listenPort, ports),
    });
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
  return {
    scheme: "postgresql",
    host: "127.0.0.1",
    port,
    database,
    user: USER,
    password: certificates.password,
    tls,
  };
}

/**
 * Settings that the committed service sets by `-c name=value`, without certificates and access rules, which tests set
 * elsewhere.
 */
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
    // The image does the same for POSTGRES_USER and POSTGRES_DB.
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

/** Starts a PgBouncer with the committed configuration. Its server is the PostgreSQL at a port. */
export async function startPooler(
  program: string,
  certificates: Certificates,
  port: number,
  postgresPort: number,
): Promise<Started> {
  const files: Record<string, string> = {};
  for (const name of ["ca.crt", "pgbouncer.crt", "pgbouncer.key", "userlist.txt"])
    files[name] = await certificates.read(name);
  return startCommittedPgBouncer(program, port, {
    ini: join(DOCKER, "pgbouncer", "pgbouncer.ini"),
    files,
    database: `${USER} = host=127.0.0.1 port=${postgresPort} dbname=${USER}`,
  });
}
