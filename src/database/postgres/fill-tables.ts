import { connectAdmin, type AdminClient, type SqlClient } from "./admin.js";
import type { Dialect } from "./dialects/dialect.js";
import { withinLockTimeout } from "./lock-timeout.js";
import { refreshStatistics } from "./statistics.js";

/** Rows that one statement adds: fewer than any dialect's limit. */
const PORTION_ROWS = 1_000;

interface FillOptions {
  readonly namespace: string;
  readonly tables: readonly string[];
  readonly dialect: Dialect;
  /** True if `execute` prepares statements by name. */
  readonly prepared?: boolean;
  /** Longest wait for another session's lock on the tables, with its unit, such as `15s`. */
  readonly lockTimeout?: string | undefined;
}

/**
 * Runs `fill` and refreshes the tables' statistics. Rejects with a TargetError if another session's lock keeps `fill` from
 * them.
 */
export async function fillTables<T>(
  admin: AdminClient,
  { namespace, tables, dialect, prepared = false, lockTimeout }: FillOptions,
  fill: (session: AdminClient) => Promise<T>,
): Promise<T> {
  const client = await connectAdmin(admin.endpoint, { purpose: "preload", prepared });
  const failure = `schema "${namespace}" not filled`;
  try {
    const filled = await withinLockTimeout({ client, dialect, failure, lockTimeout }, () => fill(client));
    await refreshStatistics(admin, { namespace, tables }, dialect, { vacuum: true, lockTimeout });
    return filled;
  } finally {
    await client.close();
  }
}

interface NumberedRows {
  readonly into: string;
  /** SQL expressions of the columns; `n` is the number of the row, from 1. */
  readonly row: string;
  readonly rows: number;
}

export async function insertNumberedRows(
  client: SqlClient,
  tables: readonly NumberedRows[],
  isFillWanted: () => boolean,
): Promise<void> {
  for (const { into, row, rows } of tables)
    for (let first = 1; first <= rows && isFillWanted(); first += PORTION_ROWS) {
      const last = Math.min(rows, first + PORTION_ROWS - 1);
      await client.query(`INSERT INTO ${into} SELECT ${row} FROM generate_series(${first}, ${last}) AS n`);
    }
}
