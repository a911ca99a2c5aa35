// What is there before the warm-up: the tables that calls refer to, and the first batches of the day, where the scenario asks
// for them.
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import { refreshStatistics } from "../../database/postgres/statistics.js";
import { fillTables } from "../pgbench-tables.js";
import type { PreloadInputs } from "../workload.js";
import type { Preloaded } from "./audit.js";
import { arrayBatch, placeOf } from "./batch.js";
import type { Treatment } from "./settings.js";
import { referencesOf, statementsOf, tablesOf } from "./statements.js";
import type * as z from "zod";

export async function preload(
  admin: AdminClient,
  { settings, seed, isWanted }: PreloadInputs<Treatment>,
): Promise<z.infer<typeof Preloaded>> {
  const fills = referencesOf(settings).map(({ table, columns, row, rows }) => {
    return { table: `${table} (${columns.join(", ")})`, row, rows };
  });
  await fillTables(admin, settings, fills, isWanted);
  const isReferenced = isWanted();
  const { insert } = statementsOf(settings);
  const { namespace, batchesBefore } = settings;
  const { calls } = tablesOf(settings);
  const session = await connectAdmin(admin.endpoint, { purpose: "preload" });
  let batches = 0;
  try {
    for (; batches < batchesBefore && isWanted(); batches++) {
      const { arrays } = arrayBatch(settings, seed, placeOf(batches, settings));
      await session.execute(insert, arrays);
    }
  } finally {
    await session.close();
  }
  if (batches > 0)
    await refreshStatistics(admin, { namespace, tables: [calls] }, dialectOf(settings.dialect), {
      vacuum: true,
    });
  return { seed, batches, isReferenced };
}
