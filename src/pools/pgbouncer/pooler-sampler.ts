// Asks the consoles of all PgBouncers under test, on connections that are not clients of the pool. A console that does not
// answer fails the sample.
import { allOrNone, withinMs } from "../../foundation/deadline.js";
import type { Endpoint } from "../../database/endpoint.js";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { readPools, readPoolSize, readStats, type PoolName } from "./pooler-statistics.js";
import { sumOfReadings } from "../sum-of-readings.js";
import type { SqlRow } from "../../database/sql.js";
import type { PoolerReading, PoolerStatistics } from "../running-pooler.js";

interface SampledPooler {
  readonly console: AdminClient;
  readonly pool: PoolName;
}

/**
 * Timeout in ms for an answer: PgBouncer answers from memory, but a frozen console never does and delays the others.
 */
const ANSWER_MS = 2_000;

function askConsole(console: AdminClient, command: string): Promise<SqlRow[]> {
  return withinMs(console.query(command), ANSWER_MS);
}

export class PoolerSampler implements PoolerStatistics {
  private constructor(private readonly instances: readonly SampledPooler[]) {}

  /**
   * Connects to the consoles. `endpoints` are the clients' addresses in the same order. On rejection no connection is left.
   */
  static async connect(
    consoles: readonly Endpoint[],
    endpoints: readonly Endpoint[],
    connectTimeoutMs: number,
  ): Promise<PoolerSampler> {
    const opening = consoles.map(async (endpoint, index): Promise<SampledPooler> => {
      const pool = endpoints[index];
      if (!pool) throw new Error(`console ${index} has no pool`);
      return { console: await connectAdmin(endpoint, { purpose: "evidence", connectTimeoutMs }), pool };
    });
    return new PoolerSampler(await allOrNone(opening, (opened) => new PoolerSampler(opened).close()));
  }

  /** Takes a sample; counts are left out until an instance has had its first client. */
  async sample(): Promise<PoolerReading> {
    const parts = await Promise.all(
      this.instances.map(async ({ console, pool }) => ({
        ...readPools(await askConsole(console, "SHOW POOLS"), pool),
        ...readStats(await askConsole(console, "SHOW STATS"), pool.database),
      })),
    );
    return sumOfReadings(parts);
  }

  async serversMax(): Promise<number | undefined> {
    const sizes = await Promise.all(
      this.instances.map(async ({ console, pool }) =>
        readPoolSize(await askConsole(console, "SHOW DATABASES"), pool.database),
      ),
    );
    return sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map(({ console }) => console.close()));
  }
}
