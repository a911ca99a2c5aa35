// Parts that tests of docker/cockroachdb/ share: certificates from the committed script with the stand-in of `cockroach`,
// and the stack on loopback without containers: three real PgBouncers and the real HAProxy, each reading the committed
// file. A PostgreSQL with the nodes' certificate stands in for all three nodes, and an HTTPS server for the health of each:
// the tests cover the way to CockroachDB, never CockroachDB.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { generateSecret } from "../../src/foundation/prng.js";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import type { Endpoint } from "../../src/database/endpoint.js";
import { startEmbedded } from "../../src/targets/embedded/embedded.js";
import { freePort, type ServerProcess } from "../../src/foundation/process/server-process.js";
import { DOCKER_COCKROACHDB } from "./docker-compose.js";
import { startCommittedHaproxy, startCommittedPgBouncer, type Started } from "./docker-servers.js";

const run = promisify(execFile);
const STAND_IN = join(import.meta.dirname, "stand-in-cockroach.sh");

/** Certificates that the committed script made in a directory with a `cockroach` that is a stand-in. */
export interface CockroachCertificates {
  readonly directory: string;
  readonly password: string;
  readonly env: NodeJS.ProcessEnv;
  /** Reads a file below `certs`. Example: `public/ca.crt`. */
  read(name: string): Promise<string>;
  /** Runs the committed script again. */
  makeAgain(): Promise<void>;
  remove(): Promise<void>;
}

export async function makeCockroachCertificates(): Promise<CockroachCertificates> {
  const directory = await mkdtemp(join(tmpdir(), "train-sim-cockroach-"));
  const password = generateSecret();
  for (const name of ["bin", "certs", "log"]) await mkdir(join(directory, name));
  await copyFile(STAND_IN, join(directory, "bin", "cockroach"));
  const env = {
    ...process.env,
    PATH: [join(directory, "bin"), process.env["PATH"] ?? ""].join(delimiter),
    STAND_IN_LOG: join(directory, "log"),
    TRAIN_SIM_PASSWORD: password,
  };
  const makeAgain = async (): Promise<void> => {
    await run("sh", [join(DOCKER_COCKROACHDB, "make-certificates.sh"), join(directory, "certs")], { env });
  };
  await makeAgain();
  return {
    directory,
    password,
    env,
    read: (name) => readFile(join(directory, "certs", name), "utf8"),
    makeAgain,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Stand-in for the health endpoint of one node, which HAProxy checks. */
export interface NodeHealth {
  readonly port: number;
  /** Requests that the endpoint has received, such as `GET /health?ready=1`. */
  readonly asked: Set<string>;
  /** Makes the node answer like a draining one. */
  drain(): void;
  stop(): Promise<void>;
}

export interface CockroachStack {
  /** Endpoint of HAProxy. It shows the certificate of the nodes, which is also valid for HAProxy's name. */
  readonly front: Endpoint;
  readonly poolers: readonly Endpoint[];
  readonly health: readonly NodeHealth[];
  readonly haproxy: ServerProcess;
  stop(): Promise<void>;
}

/** Text of a configuration file with the nodes' addresses. HAProxy reads it before docker/cockroachdb/haproxy.cfg. */
export function nodeAddresses(
  listenPort: number,
  nodePort: number,
  healthPorts: readonly number[],
  ca: string,
): string {
  return [
    "global",
    `  setenv LISTEN "127.0.0.1:${listenPort}"`,
    `  setenv NODES_CA "${ca}"`,
    ...healthPorts.flatMap((port, index) => [
      `  setenv NODE_${index + 1} "127.0.0.1:${nodePort}"`,
      `  setenv HEALTH_PORT_${index + 1} "${port}"`,
    ]),
    "",
  ].join("\n");
}

/** The same for docker/cockroachdb/haproxy-pgbouncers.cfg. */
export function poolerAddresses(
  listenPort: number,
  statisticsPort: number,
  poolerPorts: readonly number[],
): string {
  return [
    "global",
    `  setenv LISTEN "127.0.0.1:${listenPort}"`,
    `  setenv STATS "127.0.0.1:${statisticsPort}"`,
    ...poolerPorts.map((port, index) => `  setenv PGBOUNCER_${index + 1} "127.0.0.1:${port}"`),
    "",
  ].join("\n");
}

/** Starts the whole stack. On rejection nothing is left. */
export async function startCockroachStack(
  programs: { readonly pgbouncer: string; readonly haproxy: string },
  certificates: CockroachCertificates,
): Promise<CockroachStack> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of stops.reverse()) await step();
  };
  try {
    const nodePort = await startNode(certificates, stops);
    const health: NodeHealth[] = [];
    for (let node = 1; node <= 3; node++) health.push(await startHealth(certificates, stops));
    const listenPort = await freePort();
    const haproxy = await startCommittedHaproxy(programs.haproxy, listenPort, {
      cfg: join(DOCKER_COCKROACHDB, "haproxy.cfg"),
      addresses: nodeAddresses(
        listenPort,
        nodePort,
        health.map(({ port }) => port),
        join(certificates.directory, "certs", "public", "ca.crt"),
      ),
    });
    stops.push(haproxy.stop);
    const poolers: Endpoint[] = [];
    for (let index = 1; index <= 3; index++) {
      const port = await freePort();
      const pooler = await startPgBouncer(programs.pgbouncer, certificates, port, listenPort);
      stops.push(pooler.stop);
      poolers.push(await endpointOf(certificates, port, "public/pgbouncer-ca.crt", `pgbouncer-${index}`));
    }
    const front = await endpointOf(certificates, listenPort, "public/ca.crt", "haproxy");
    return { front, poolers, health, haproxy: haproxy.process, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a PgBouncer with the committed configuration. Its server is the HAProxy at `haproxyPort`. */
export async function startPgBouncer(
  program: string,
  certificates: Pick<CockroachCertificates, "read">,
  port: number,
  haproxyPort: number,
): Promise<Started> {
  const files: Record<string, string> = {};
  for (const name of ["ca.crt", "pgbouncer.crt", "pgbouncer.key", "userlist.txt"])
    files[name] = await certificates.read(`pgbouncer/${name}`);
  return startCommittedPgBouncer(program, port, {
    ini: join(DOCKER_COCKROACHDB, "pgbouncer.ini"),
    files,
    // The nodes' certificate is valid for localhost too.
    database: `train_sim = host=127.0.0.1 port=${haproxyPort} dbname=train_sim`,
  });
}

async function endpointOf(
  certificates: CockroachCertificates,
  port: number,
  ca: string,
  serverName: string,
): Promise<Endpoint> {
  const tls = { mode: "verify-full" as const, ca: await certificates.read(ca), serverName };
  const { password } = certificates;
  return { scheme: "postgresql", host: "127.0.0.1", port, database: "train_sim", user: "pgb", password, tls };
}

/**
 * Starts a PostgreSQL that stands in for the nodes, with the database and the role that init.sql makes. Resolves to its
 * port.
 */
async function startNode(
  certificates: CockroachCertificates,
  stops: (() => Promise<void>)[],
): Promise<number> {
  const [cert, key] = [await certificates.read("node/node.crt"), await certificates.read("node/node.key")];
  const hba = ["hostssl all all 127.0.0.1/32 scram-sha-256", "local all all scram-sha-256"];
  const server = await startEmbedded(
    { fsync: "off" },
    { maxConnectionsNeeded: 100, tls: { cert, key, hba } },
  );
  stops.push(() => server.stop());
  const admin = await connectAdmin(server.admin);
  try {
    await admin.query(`CREATE ROLE pgb LOGIN PASSWORD '${certificates.password}'`);
    await admin.query("CREATE DATABASE train_sim");
  } finally {
    await admin.close();
  }
  return server.admin.port;
}

async function startHealth(
  certificates: CockroachCertificates,
  stops: (() => Promise<void>)[],
): Promise<NodeHealth> {
  const asked = new Set<string>();
  let status = 200;
  const tls = {
    cert: await certificates.read("node/node.crt"),
    key: await certificates.read("node/node.key"),
  };
  const server: Server = createServer(tls, (request, response) => {
    asked.add(`${request.method ?? ""} ${request.url ?? ""}`);
    response.writeHead(status, { "content-type": "application/json", connection: "close" }).end("{}");
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  stops.push(stop);
  return { port, asked, drain: () => void (status = 503), stop };
}
