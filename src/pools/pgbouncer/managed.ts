// Starts real PgBouncers in front of a target, each on a free loopback port with a private directory for its
// configuration, and describes poolers that run already (`externalPooler`). Refuses to start when the upstream
// does not accept connections or the files that it may open do not suffice, since PgBouncer itself would notice
// under load only. Stops by SIGQUIT: PgBouncer 1.24 waits for its clients on SIGTERM and SIGINT.
import { connect } from "node:net";
import { join } from "node:path";
import { messageOf, TargetError, UsageError } from "../../foundation/errors.js";
import { openFilesLimit } from "../../foundation/machine.js";
import { describeEndpoint, type Endpoint, type EndpointUrl } from "../../database/endpoint/endpoint.js";
import { findPgBouncer } from "./find-pgbouncer.js";
import { openFilesNeeded, type PgBouncerSettings } from "./pgbouncer-config.js";
import { hasPreparedStatements, PgBouncerInstance } from "./pgbouncer-instance.js";
import { endpointAt, parseConnectionUrl } from "../../database/endpoint/parse-url.js";
import type { PoolMode } from "../settings.js";
import type { RunningPooler } from "../running-pooler.js";

const UPSTREAM_PATIENCE_MS = 5_000;

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
    PgBouncerInstance.start(program, settings, upstream),
  );
  const outcomes = await Promise.allSettled(starts);
  const instances = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  const stop = async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
  };
  if (failure) {
    await stop();
    throw failure.reason;
  }
  return {
    endpoints: instances.map(({ client }) => placedAs(upstream, client, instances.length)),
    consoles: instances.map(({ console }) => console),
    get pids() {
      return instances.flatMap(({ pid }) => pid ?? []);
    },
    instances,
    version: program.version,
    supportsPreparedStatements:
      settings.mode === "session" ||
      (hasPreparedStatements(program.version) && settings.maxPreparedStatements > 0),
    lost: Promise.race(instances.map(({ lost }) => lost)),
    stop,
  };
}

/** A PgBouncer is where its upstream is, and several before one share its weight. */
function placedAs({ region, weight }: Endpoint, client: Endpoint, instances: number): Endpoint {
  return {
    ...client,
    ...(region !== undefined && { region }),
    ...(weight !== undefined && { weight: weight / instances }),
  };
}

/** PgBouncers that somebody else runs; nothing is checked or stopped here. `adminUrl` is the console of the first. */
export function externalPooler(
  urls: readonly EndpointUrl[],
  adminUrl: string | undefined,
  maxPreparedStatements: number,
  mode: PoolMode,
): RunningPooler {
  return {
    endpoints: urls.map((entry) => endpointAt(entry)),
    consoles: adminUrl === undefined ? [] : [parseConnectionUrl(adminUrl)],
    pids: [],
    instances: [],
    supportsPreparedStatements: mode === "session" || maxPreparedStatements > 0,
    lost: new Promise(() => undefined),
    stop: async () => undefined,
  };
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
