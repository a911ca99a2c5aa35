// Odyssey's console. SHOW DATABASES names a route as clients do (`database`, `force_user`) and as the server does (`name`);
// SHOW POOLS and SHOW STATS name it as the server does.
import type { AdminClient } from "../../database/postgres/admin.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import type { SqlRow } from "../../database/sql.js";
import { systemClock } from "../../foundation/clock.js";
import { TargetError } from "../../foundation/errors.js";
import { askConsole, numberOf, rowsOfPool, sumOf, withConsole, type ConsoleReader } from "../console.js";
import type { PoolerReading } from "../running-pooler.js";

const PAUSE_POLL_MS = 5;

type PoolName = Pick<Endpoint, "database" | "user">;

export async function readVersion(console: AdminClient): Promise<string> {
  const [row] = await console.query("SHOW VERSION");
  const text = typeof row?.["version"] === "string" ? row["version"] : "";
  const version = /^odyssey (\d+(?:\.\d+)+)/.exec(text)?.[1];
  if (version !== undefined) return version;
  throw new TargetError(
    `${describeEndpoint(console.endpoint)} is not an Odyssey console: SHOW VERSION answered "${text}"`,
    "Name a database with a local storage in pool.adminUrl.",
  );
}

export const versionAt = (endpoint: Endpoint): Promise<string> => withConsole(endpoint, readVersion);

/** Rows of SHOW DATABASES for the routes of a pool. Odyssey makes a route when its first client arrives. */
export function routesOf(databases: readonly SqlRow[], pool: PoolName): readonly SqlRow[] {
  const named = rowsOfPool(databases, pool, ["database", "force_user"]);
  // A rule for any database has the name `default` there.
  return named.length > 0 ? named : databases.filter(({ name }) => name === pool.database);
}

/** Reads the answers of SHOW DATABASES, SHOW POOLS and SHOW STATS, asked in this order. */
export function readRoutes(
  databases: readonly SqlRow[],
  pools: readonly SqlRow[],
  statistics: readonly SqlRow[],
  pool: PoolName,
): PoolerReading {
  const routes = routesOf(databases, pool);
  const names = new Set(routes.map(({ name }) => name));
  const counted = [...names].flatMap((name) =>
    rowsOfPool(pools, { database: String(name), user: pool.user }),
  );
  // Odyssey calls clients `cl_waiting` that are connected and have no transaction. Its queue is in the sum only.
  const clientsConnected = sumOf(counted, "cl_active") + sumOf(counted, "cl_waiting");
  const counts = statistics.filter(({ database }) => names.has(database));
  const waitMs = sumOf(counts, "total_wait_time") / 1000;
  return {
    clientsActive: clientsConnected,
    clientsWaiting: Math.max(0, sumOf(routes, "current_connections") - clientsConnected),
    serversActive: sumOf(counted, "sv_active"),
    serversIdle: sumOf(counted, "sv_idle"),
    ...(counts.length > 0 && {
      transactions: sumOf(counts, "total_xact_count"),
      waitMs,
      // Odyssey measures queries without the wait, which a reading includes.
      queryMs: sumOf(counts, "total_query_time") / 1000 + waitMs,
    }),
  };
}

export const ROUTE_READER: ConsoleReader = {
  async read(console, pool) {
    const databases = await askConsole(console, "SHOW DATABASES");
    const pools = await askConsole(console, "SHOW POOLS");
    return readRoutes(databases, pools, await askConsole(console, "SHOW STATS"), pool);
  },
  async serversMax(console, pool) {
    const [route] = routesOf(await askConsole(console, "SHOW DATABASES"), pool);
    const size = route ? numberOf(route, "pool_size") : 0;
    return size > 0 ? size : undefined;
  },
};

/** Holds transactions back. PAUSE answers at once, so the end of transactions in progress is awaited. */
export async function pause(
  endpoints: readonly Endpoint[],
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const goOn = async (): Promise<void> => {
    await Promise.all(
      endpoints.map((endpoint) => withConsole(endpoint, (console) => askConsole(console, "RESUME"))),
    );
  };
  try {
    await Promise.all(
      endpoints.map((endpoint) => withConsole(endpoint, (console) => holdBack(console, signal))),
    );
  } catch (error) {
    await goOn().catch(() => undefined);
    throw error;
  }
  return goOn;
}

async function holdBack(console: AdminClient, signal: AbortSignal): Promise<void> {
  await askConsole(console, "PAUSE");
  while (!signal.aborted) {
    if (sumOf(await askConsole(console, "SHOW POOLS"), "sv_active") === 0) return;
    await systemClock.sleep(PAUSE_POLL_MS, signal);
  }
}
