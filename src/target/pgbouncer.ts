// Starts real PgBouncers in front of a target, each on a free loopback port with a private directory for its
// configuration, and describes poolers that run already (`externalPooler`). Refuses to start when the upstream
// does not accept connections or the files that it may open do not suffice, since PgBouncer itself would notice
// under load only. Stops by SIGQUIT: PgBouncer 1.24 waits for its clients on SIGTERM and SIGINT.
import { connect } from "node:net";
import { join } from "node:path";
import { systemClock } from "../foundation/clock.js";
import { messageOf, TargetError, UsageError } from "../foundation/errors.js";
import { openFilesLimit } from "../foundation/machine.js";
import { generateSecret } from "../foundation/prng.js";
import { describeEndpoint, type Endpoint } from "../scenario/endpoint.js";
import type { PoolMode } from "../scenario/settings.js";
import { findPgBouncer, isVersionAtLeast, type PgBouncerProgram } from "./find-pgbouncer.js";
import {
  ADMIN_DATABASE,
  ADMIN_USER,
  CLIENT_DATABASE,
  openFilesNeeded,
  pgBouncerIni,
  pgBouncerUserList,
  type PgBouncerSettings,
} from "./pgbouncer-config.js";
import { makePrivateDirectory, type PrivateDirectory } from "./private-directory.js";
import type { RunningPooler } from "./running-target.js";
import { complaintIn, freePort, startProcess, type ServerProcess } from "./server-process.js";
import { parseConnectionUrl } from "./url.js";

const START_PATIENCE_MS = 15_000;
const UPSTREAM_PATIENCE_MS = 5_000;
const POLL_MS = 5;
const PORT_ATTEMPTS = 5;

/** The first version that follows named prepared statements through transaction pooling. */
const PREPARED_STATEMENTS_SINCE = "1.21";

/** One running PgBouncer. */
interface Instance {
  readonly process: ServerProcess;
  readonly directory: PrivateDirectory;
  readonly client: Endpoint;
  readonly console: Endpoint;
}

/** Starts `settings.instances` PgBouncers before `upstream`. On rejection none is left. */
export async function startPgBouncers(
  settings: PgBouncerSettings,
  upstream: Endpoint,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RunningPooler> {
  const program = await findPgBouncer(env);
  assertOpenFiles(settings);
  await assertUpstream(upstream);
  const starts = Array.from({ length: settings.instances }, async () =>
    startInstance(program, settings, upstream),
  );
  const outcomes = await Promise.allSettled(starts);
  const instances = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  const stop = async () => {
    await Promise.all(instances.map(stopInstance));
  };
  if (failure) {
    await stop();
    throw failure.reason;
  }
  return {
    endpoints: instances.map(({ client }) => client),
    consoles: instances.map(({ console }) => console),
    pids: instances.map(({ process }) => process.pid),
    version: program.version,
    supportsPreparedStatements:
      settings.mode === "session" ||
      (hasPreparedStatements(program.version) && settings.maxPreparedStatements > 0),
    lost: Promise.race(instances.map(({ process }) => process.lost)),
    stop,
  };
}

/** PgBouncers that somebody else runs; nothing is checked or stopped here. `adminUrl` is the console of the first. */
export function externalPooler(
  urls: readonly string[],
  adminUrl: string | undefined,
  maxPreparedStatements: number,
  mode: PoolMode,
): RunningPooler {
  return {
    endpoints: urls.map((url) => parseConnectionUrl(url)),
    consoles: adminUrl === undefined ? [] : [parseConnectionUrl(adminUrl)],
    pids: [],
    supportsPreparedStatements: mode === "session" || maxPreparedStatements > 0,
    lost: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

function hasPreparedStatements(version: string): boolean {
  return isVersionAtLeast(version, PREPARED_STATEMENTS_SINCE);
}

async function startInstance(
  program: PgBouncerProgram,
  settings: PgBouncerSettings,
  upstream: Endpoint,
): Promise<Instance> {
  const directory = await makePrivateDirectory("pgbouncer");
  try {
    const clientPassword = upstream.password ?? generateSecret();
    const adminPassword = generateSecret();
    const { process, port } = await launch(program, settings, upstream, directory, {
      userList: pgBouncerUserList(upstream, clientPassword, adminPassword),
    });
    const client = {
      host: "127.0.0.1",
      port,
      database: CLIENT_DATABASE,
      user: upstream.user,
      password: clientPassword,
    };
    const console = { ...client, database: ADMIN_DATABASE, user: ADMIN_USER, password: adminPassword };
    return { process, directory, client, console };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}

async function stopInstance({ process, directory }: Instance): Promise<void> {
  await process.stop([{ signal: "SIGQUIT", patienceMs: 3_000 }]);
  await directory.remove();
}

async function launch(
  program: PgBouncerProgram,
  settings: PgBouncerSettings,
  upstream: Endpoint,
  directory: PrivateDirectory,
  { userList }: { readonly userList: string },
): Promise<{ process: ServerProcess; port: number }> {
  const userListFile = await directory.write("userlist.txt", userList);
  const { ca, cert, key } = upstream.tls ?? {};
  const tlsFiles = {
    ...(ca !== undefined && { caFile: await directory.write("ca.crt", ca) }),
    ...(cert !== undefined && { certFile: await directory.write("client.crt", cert) }),
    ...(key !== undefined && { keyFile: await directory.write("client.key", key) }),
  };
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const ini = pgBouncerIni(
      settings,
      upstream,
      { port, userListFile, ...tlsFiles },
      hasPreparedStatements(program.version),
    );
    const iniFile = await directory.write("pgbouncer.ini", ini);
    const process = await startProcess("PgBouncer", directory, program.path, [iniFile]);
    const failure = await whenUp(process);
    if (failure === undefined) return { process, port };
    await process.stop([{ signal: "SIGQUIT", patienceMs: 3_000 }]);
    if (/address already in use/i.test(failure) && attempt < PORT_ATTEMPTS) continue;
    throw new TargetError(
      `PgBouncer ${program.version} (${program.path}) does not start: ${failure}`,
      `Its configuration was ${join(directory.path, "pgbouncer.ini")}.`,
    );
  }
}

/** Undefined once it listens: it says `process up` after it bound its port. Otherwise why it does not. */
async function whenUp(process: ServerProcess): Promise<string | undefined> {
  const deadlineMs = systemClock.nowMs() + START_PATIENCE_MS;
  const ended = new AbortController();
  void process.exited.then(() => ended.abort());
  while (systemClock.nowMs() < deadlineMs) {
    const log = await process.log();
    if (process.hasExited) return complaintIn(log);
    if (/process up: /.test(log)) return undefined;
    await systemClock.sleep(POLL_MS, ended.signal);
  }
  return `it did not listen within ${START_PATIENCE_MS / 1000} s: ${complaintIn(await process.log())}`;
}

function assertOpenFiles(settings: PgBouncerSettings): void {
  const needed = openFilesNeeded(settings);
  const limit = openFilesLimit();
  if (needed <= limit) return;
  throw new UsageError(
    `PgBouncer needs ${needed} open files for ${settings.maxClientConnections} clients and ${settings.size} server connections, and the limit is ${limit}`,
    `Raise it (ulimit -n ${needed}), or lower the number of clients.`,
  );
}

/** That something accepts connections there; whether it lets us in, `database/` finds out. */
async function assertUpstream(upstream: Endpoint): Promise<void> {
  const target = upstream.host.startsWith("/")
    ? { path: join(upstream.host, `.s.PGSQL.${upstream.port}`) }
    : { host: upstream.host, port: upstream.port };
  const socket = connect(target);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
      socket.setTimeout(UPSTREAM_PATIENCE_MS, () =>
        reject(new Error(`no answer within ${UPSTREAM_PATIENCE_MS / 1000} s`)),
      );
    });
  } catch (error) {
    throw new TargetError(
      `PgBouncer is not started, since ${describeEndpoint(upstream)} cannot be reached: ${messageOf(error)}`,
      "Check the host and the port, and that the database runs.",
      { cause: error },
    );
  } finally {
    socket.destroy();
  }
}
