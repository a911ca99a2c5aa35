// Poolers in front of a target: started, several before each server, or running already. Refuses to start if the upstream takes
// no connections or a pooler may open too few files, which would show under load only.
import { connect } from "node:net";
import { allOrNone } from "../foundation/deadline.js";
import { messageOf, TargetError, UsageError } from "../foundation/errors.js";
import { openFilesLimit } from "../foundation/machine.js";
import { pauseProcesses } from "../foundation/process/stand-still.js";
import { addressOf, describeEndpoint, type Endpoint } from "../database/endpoint.js";
import { administer, databaseOf, readUrl } from "../database/registry.js";
import { poolerCountsByServer, type PoolerSettings } from "./keys.js";
import type { ManagedInstance, RunningPooler } from "./running-pooler.js";
import type { ManagedPoolerDemand, PoolerKind } from "./strategy.js";

const UPSTREAM_TIMEOUT_MS = 5_000;
const CONNECT_CHECK_TIMEOUT_MS = 3_000;

type ManagedPoolSize = Pick<PoolerSettings, "size" | "instances">;

/** Starts `settings.instances` poolers, at least one for each upstream. On rejection no pooler is left running. */
export async function startPoolers<S extends ManagedPoolSize>(
  kind: PoolerKind<S>,
  settings: S & ManagedPoolerDemand,
  upstreams: readonly Endpoint[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<RunningPooler> {
  const program = await kind.find(env);
  assertOpenFilesLimit(kind, settings);
  await Promise.all(upstreams.map((upstream) => assertUpstreamReachable(kind.product, upstream)));
  const counts = poolerCountsByServer(upstreams.length, settings.instances);
  const places = upstreams.flatMap((upstream, index) =>
    Array.from({ length: counts[index] ?? 1 }, () => ({ upstream, siblings: counts[index] ?? 1 })),
  );
  const stopAll = (running: readonly ManagedInstance[]): Promise<unknown> =>
    Promise.all(running.map((instance) => instance.stop()));
  const starts = places.map(({ upstream }) => kind.start(program, settings, upstream));
  const instances = await allOrNone(starts, stopAll);
  const endpoints = places.flatMap((place, index) => placedEndpoints(place, instances[index]));
  const consoles = instances.map(({ console }) => console);
  return {
    product: kind.product,
    endpoints,
    consoles,
    get pids() {
      return instances.flatMap(({ pid }) => pid ?? []);
    },
    instances,
    version: program.version,
    askVersion: () => Promise.resolve(program.version),
    supportsPreparedStatements: kind.prepares(settings, program.version),
    statistics: (connectTimeoutMs) => kind.statistics(consoles, endpoints, connectTimeoutMs),
    pause: kind.pause?.hold,
    pauseProcesses: () => pauseProcesses(instances.flatMap(({ pid }) => pid ?? [])),
    findConnectionProblem: () => tryEndpoints(kind.product, endpoints),
    lost: Promise.race(instances.map(({ lost }) => lost)),
    stop: async () => void (await stopAll(instances)),
  };
}

/** The pooler's endpoint with the region of its upstream; several poolers of one upstream share its weight. */
function placedEndpoints(
  { upstream: { region, weight }, siblings }: { readonly upstream: Endpoint; readonly siblings: number },
  instance: ManagedInstance | undefined,
): Endpoint[] {
  if (!instance) return [];
  return [
    {
      ...instance.client,
      ...(region !== undefined && { region }),
      ...(weight !== undefined && { weight: weight / siblings }),
    },
  ];
}

/** Poolers that the user runs, which train-sim neither checks nor stops. `adminUrl` is the console of the first. */
export function externalPooler<S>(
  kind: PoolerKind<S>,
  settings: S & Pick<PoolerSettings, "urls" | "adminUrl">,
): RunningPooler {
  const { urls, adminUrl } = settings;
  const endpoints = urls.map((entry) => readUrl(entry));
  const consoles = adminUrl === undefined ? [] : [readUrl({ url: adminUrl })];
  return {
    product: kind.product,
    endpoints,
    consoles,
    pids: [],
    instances: [],
    askVersion: async () => consoles[0] && kind.versionAt(consoles[0]),
    askSettings: async () => consoles[0] && kind.settingsAt?.(consoles[0]),
    supportsPreparedStatements: kind.prepares(settings),
    statistics: (connectTimeoutMs) => kind.statistics(consoles, endpoints, connectTimeoutMs),
    pause: kind.pause?.hold,
    pauseProcesses: () => pauseProcesses([]),
    findConnectionProblem: () => tryEndpoints(kind.product, endpoints),
    lost: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

async function tryEndpoints(product: string, endpoints: readonly Endpoint[]): Promise<string | undefined> {
  const answers = await Promise.all(
    endpoints.map(async (endpoint) => {
      try {
        const client = await administer(endpoint, {
          purpose: "watch",
          connectTimeoutMs: CONNECT_CHECK_TIMEOUT_MS,
          keepsTimeLimits: true,
        });
        await client.close();
        return undefined;
      } catch (error) {
        return `${product} at ${addressOf(endpoint)}: ${messageOf(error)}`;
      }
    }),
  );
  const failures = answers.filter((answer) => answer !== undefined);
  return failures.length > 0 ? failures.join("; ") : undefined;
}

function assertOpenFilesLimit<S extends ManagedPoolSize>(
  kind: PoolerKind<S>,
  settings: S & ManagedPoolerDemand,
): void {
  const needed = kind.openFiles(settings);
  const limit = openFilesLimit();
  if (needed <= limit) return;
  throw new UsageError(
    `${kind.product} needs ${needed} open files for ${settings.maxClientConnections} clients and ${settings.size} server connections, and the limit is ${limit}`,
    `Raise it (ulimit -n ${needed}), or lower the number of clients.`,
  );
}

/** Checks that a server accepts connections at the upstream; the log-in is checked in `database/`. */
async function assertUpstreamReachable(product: string, upstream: Endpoint): Promise<void> {
  const socket = connect(databaseOf(upstream).socketOf(upstream));
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
      socket.setTimeout(UPSTREAM_TIMEOUT_MS, () =>
        reject(new Error(`no answer within ${UPSTREAM_TIMEOUT_MS / 1000} s`)),
      );
    });
  } catch (error) {
    throw new TargetError(
      `${product} is not started, since ${describeEndpoint(upstream)} cannot be reached: ${messageOf(error)}`,
      "Check the host and the port, and that the database runs.",
      { cause: error },
    );
  } finally {
    socket.destroy();
  }
}
