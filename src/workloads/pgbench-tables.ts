// Tables of pgbench, as more than one workload has them: rows of a scale, filled in portions that every dialect takes.
import * as z from "zod";
import { connectAdmin, type AdminClient } from "../database/postgres/admin.js";
import { dialectOf } from "../database/postgres/dialects/registry.js";
import { withinLockTimeout } from "../database/postgres/lock-timeout.js";
import type { DialectName } from "../database/registry.js";
import { refreshStatistics } from "../database/postgres/statistics.js";

/** Of one unit of scale, as pgbench has it. */
export const ACCOUNTS = 100_000;
/** Rows of one statement: fewer than any dialect's limit. */
const PORTION = 1_000;

export const scaleKey = z
  .int()
  .min(1)
  .max(10_000)
  .default(1)
  .meta({ description: `Accounts in the table, in units of ${ACCOUNTS}. Default 1.` });

interface Fill {
  /** Qualified and quoted, with its columns. */
  readonly table: string;
  /** The columns' expressions over `n`, the row's number from 1 on. */
  readonly row: string;
  readonly rows: number;
}

/** Fills the tables of a namespace, in order, until that is not wanted any more. */
export async function fillTables(
  admin: AdminClient,
  { dialect: name, namespace }: { readonly dialect: DialectName; readonly namespace: string },
  fills: readonly Fill[],
  isWanted: () => boolean,
): Promise<void> {
  const dialect = dialectOf(name);
  const session = await connectAdmin(admin.endpoint, { purpose: "preload" });
  try {
    const failure = `schema "${namespace}" not filled`;
    await withinLockTimeout({ client: session, dialect, failure }, async () => {
      for (const { table, row, rows } of fills)
        for (let first = 1; first <= rows && isWanted(); first += PORTION)
          await session.query(
            `INSERT INTO ${table} SELECT ${row} FROM generate_series(${first}, ${Math.min(rows, first + PORTION - 1)}) AS n`,
          );
    });
    const tables = fills.map(({ table }) => table.replace(/ \(.*$/, ""));
    await refreshStatistics(admin, { namespace, tables }, dialect, { vacuum: true });
  } finally {
    await session.close();
  }
}
