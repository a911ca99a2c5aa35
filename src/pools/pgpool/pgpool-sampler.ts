// Reads SHOW pool_processes (with states since 4.3). A client that finds no free process waits in the backlog of the
// socket, where Pgpool-II does not see it. The session that asks is a client too, and is not counted.
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import type { Endpoint } from "../../database/endpoint.js";
import type { SqlRow } from "../../database/sql.js";
import { allOrNone, withinMs } from "../../foundation/deadline.js";
import { sumOfReadings } from "../sum-of-readings.js";
import type { PoolerReading, PoolerStatistics } from "../running-pooler.js";

/** Timeout in ms for an answer, which Pgpool-II gives from memory. */
const ANSWER_MS = 2_000;
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

export class PgpoolSampler implements PoolerStatistics {
  private constructor(
    private readonly consoles: readonly { readonly console: AdminClient; readonly pool: Endpoint }[],
  ) {}

  /** Connects to all consoles. On rejection no connection is left. */
  static async connect(consoles: readonly Endpoint[], connectTimeoutMs: number): Promise<PgpoolSampler> {
    const opening = consoles.map(async (pool) => ({
      console: await connectAdmin(pool, { purpose: "evidence", connectTimeoutMs }),
      pool,
    }));
    return new PgpoolSampler(await allOrNone(opening, (opened) => new PgpoolSampler(opened).close()));
  }

  async sample(): Promise<PoolerReading> {
    return sumOfReadings(
      await Promise.all(
        this.consoles.map(async ({ console, pool }) => readProcesses(await queryProcesses(console), pool)),
      ),
    );
  }

  async serversMax(): Promise<number> {
    const counts = await Promise.all(
      this.consoles.map(async ({ console }) => (await queryProcesses(console)).length - 1),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.consoles.map(({ console }) => console.close()));
  }
}

function queryProcesses(console: AdminClient): Promise<SqlRow[]> {
  return withinMs(console.query("SHOW pool_processes"), ANSWER_MS);
}

async function queryConsole(endpoint: Endpoint, command: string): Promise<string> {
  const console = await connectAdmin(endpoint, { purpose: "console" });
  try {
    const [row = {}] = await console.query(command);
    return String(Object.values(row)[0]);
  } finally {
    await console.close();
  }
}

export async function versionAt(endpoint: Endpoint): Promise<string> {
  const version = await queryConsole(endpoint, "SHOW pool_version");
  return /^\d+(?:\.\d+)+/.exec(version)?.[0] ?? "unknown version";
}

/** Reads the setting that determines how many transactions Pgpool-II adds. */
export async function settingsAt(endpoint: Endpoint): Promise<Record<string, string>> {
  return { reset_query_list: await queryConsole(endpoint, "PGPOOL SHOW reset_query_list") };
}
