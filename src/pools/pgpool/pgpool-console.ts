// Reads SHOW pool_processes (with states since 4.3). A client that finds no free process waits in the backlog of the
// socket, where Pgpool-II does not see it. The session that asks is a client too, and is not counted.
import type { AdminClient } from "../../database/postgres/admin.js";
import type { Endpoint } from "../../database/endpoint.js";
import type { SqlRow } from "../../database/sql.js";
import { askConsole, withConsole, type ConsoleReader } from "../console.js";
import type { PoolerReading } from "../running-pooler.js";

const BUSY_STATUS = /^(Execute command|Idle in transaction)$/;
const FREE_STATUS = "Wait for connection";

/** Counts the Pgpool-II processes that have a server connection of that database and user. */
export function readProcesses(
  rows: readonly SqlRow[],
  { database, user }: Pick<Endpoint, "database" | "user">,
): PoolerReading {
  if (rows.some(({ status }) => typeof status !== "string"))
    throw new Error("SHOW pool_processes has no status: Pgpool-II 4.3 or newer is needed");
  const pooled = rows.filter((row) => row["database"] === database && row["username"] === user);
  const count = (fits: (status: string) => boolean): number =>
    pooled.filter(({ status }) => fits(String(status))).length;
  // The session that asks is itself one of the active ones.
  const serversActive = Math.max(0, count((status) => BUSY_STATUS.test(status)) - 1);
  const clientsActive = Math.max(0, count((status) => status !== FREE_STATUS) - 1);
  return { clientsActive, serversActive, serversIdle: pooled.length - 1 - serversActive };
}

const askProcesses = (console: AdminClient): Promise<SqlRow[]> => askConsole(console, "SHOW pool_processes");

export const PROCESS_READER: ConsoleReader = {
  read: async (console, pool) => readProcesses(await askProcesses(console), pool),
  serversMax: async (console) => (await askProcesses(console)).length - 1,
};

const queryConsole = (endpoint: Endpoint, command: string): Promise<string> =>
  withConsole(endpoint, async (console) => {
    const [row = {}] = await console.query(command);
    return String(Object.values(row)[0]);
  });

export async function versionAt(endpoint: Endpoint): Promise<string> {
  const version = await queryConsole(endpoint, "SHOW pool_version");
  return /^\d+(?:\.\d+)+/.exec(version)?.[0] ?? "unknown version";
}

/** Reads the setting that determines how many transactions Pgpool-II adds. */
export async function settingsAt(endpoint: Endpoint): Promise<Record<string, string>> {
  return { reset_query_list: await queryConsole(endpoint, "PGPOOL SHOW reset_query_list") };
}
