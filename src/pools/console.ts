// The console of a pooler, which answers from memory. A command without values goes by the simple protocol, the only one
// that these consoles take.
import { connectAdmin, type AdminClient } from "../database/postgres/admin.js";
import type { Endpoint } from "../database/endpoint.js";
import type { SqlRow } from "../database/sql.js";
import { allOrNone, withinMs } from "../foundation/deadline.js";
import { elidedText } from "../foundation/shown.js";
import type { PoolerReading, PoolerStatistics } from "./running-pooler.js";
import { sumOfReadings } from "./sum-of-readings.js";

/** Timeout in ms for an answer: a frozen console never gives one, and delays the others. */
const ANSWER_MS = 2_000;

export const openConsole = (endpoint: Endpoint): Promise<AdminClient> =>
  connectAdmin(endpoint, { purpose: "console" });

export async function withConsole<T>(
  endpoint: Endpoint,
  work: (console: AdminClient) => Promise<T>,
): Promise<T> {
  const console = await openConsole(endpoint);
  try {
    return await work(console);
  } finally {
    await console.close();
  }
}

export function askConsole(console: AdminClient, command: string): Promise<SqlRow[]> {
  return withinMs(console.query(command), ANSWER_MS);
}

/** The number in a cell, also of a count as text. Throws an error that names the column if there is none. */
export function numberOf(row: SqlRow, column: string): number {
  const cell = row[column];
  const value = typeof cell === "string" && /^\d+$/.test(cell) ? Number(cell) : cell;
  if (typeof value === "number" && value >= 0 && Number.isFinite(value)) return value;
  const seen = typeof cell === "string" ? JSON.stringify(elidedText(cell, 60)) : typeof cell;
  throw new Error(`the console has no number in ${column}, but ${seen}`);
}

export const sumOf = (rows: readonly SqlRow[], column: string): number =>
  rows.reduce((total, row) => total + numberOf(row, column), 0);

/** Rows of the pool of a database and user; all pools of the database if none has that user, as with a fixed user. */
export function rowsOfPool(
  rows: readonly SqlRow[],
  pool: Pick<Endpoint, "database" | "user">,
  [databaseColumn, userColumn]: readonly [string, string] = ["database", "user"],
): readonly SqlRow[] {
  const databaseRows = rows.filter((row) => row[databaseColumn] === pool.database);
  const userRows = databaseRows.filter((row) => row[userColumn] === pool.user);
  return userRows.length > 0 ? userRows : databaseRows;
}

/** Reads one pooler at its console. `pool` is the clients' address, whose database and user name the pool under test. */
export interface ConsoleReader {
  read(console: AdminClient, pool: Endpoint): Promise<PoolerReading>;
  serversMax(console: AdminClient, pool: Endpoint): Promise<number | undefined>;
}

interface OpenedConsole {
  readonly console: AdminClient;
  readonly pool: Endpoint;
}

/** Asks the consoles of all poolers under test, on standing connections that are not clients of the pool. */
export class ConsoleStatistics implements PoolerStatistics {
  private constructor(
    private readonly reader: ConsoleReader,
    private readonly opened: readonly OpenedConsole[],
  ) {}

  /** Connects to the consoles. `pools` are the clients' addresses in the same order. On rejection no connection is left. */
  static async connect(
    reader: ConsoleReader,
    consoles: readonly Endpoint[],
    pools: readonly Endpoint[],
    connectTimeoutMs: number,
  ): Promise<ConsoleStatistics> {
    const opening = consoles.map(async (endpoint, index): Promise<OpenedConsole> => {
      const pool = pools[index];
      if (!pool) throw new Error(`console ${index} has no pool`);
      return { console: await connectAdmin(endpoint, { purpose: "evidence", connectTimeoutMs }), pool };
    });
    const close = (opened: readonly OpenedConsole[]) => new ConsoleStatistics(reader, opened).close();
    return new ConsoleStatistics(reader, await allOrNone(opening, close));
  }

  async sample(): Promise<PoolerReading> {
    const { reader, opened } = this;
    return sumOfReadings(await Promise.all(opened.map(({ console, pool }) => reader.read(console, pool))));
  }

  async serversMax(): Promise<number | undefined> {
    const { reader, opened } = this;
    const sizes = await Promise.all(opened.map(({ console, pool }) => reader.serversMax(console, pool)));
    return sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  }

  async close(): Promise<void> {
    await Promise.all(this.opened.map(({ console }) => console.close()));
  }
}
