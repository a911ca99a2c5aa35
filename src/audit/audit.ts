// The gate of every trial: what the database acknowledged to the producers must be in the tables, each event exactly
// once. It reads the tables in one snapshot and compares them with the workers' ledgers; nothing the workload
// reports about itself is believed here but the ledgers.
import type { AdminClient } from "../database/admin.js";
import { countPresent, readPassesPerEvent, readTableCounts } from "../database/audit-queries.js";
import { dialectOf } from "../database/dialects/registry.js";
import { conservationOf, type Conservation } from "../model/conservation.js";
import type { Ledger } from "../model/ledger.js";
import type { TreatmentSettings } from "../scenario/settings.js";

export interface Audited {
  readonly conservation: Conservation;
  /** See `readPassesPerEvent`: over the whole trial. */
  readonly passesPerEvent: number | null;
}

/** `preloaded` events were there, and acknowledged, before the first producer. */
export async function audit(
  admin: AdminClient,
  settings: Pick<TreatmentSettings, "dialect" | "namespace">,
  ledgers: readonly Ledger[],
  preloaded: number,
): Promise<Audited> {
  const dialect = dialectOf(settings.dialect);
  const published = ledgers.reduce((sum, ledger) => sum + ledger.published, preloaded);
  const inDoubtIds = ledgers.flatMap((ledger) => ledger.inDoubtIds);
  const counts = await readTableCounts(admin, settings.namespace, dialect);
  const inDoubtFound =
    inDoubtIds.length > 0 ? await countPresent(admin, settings.namespace, inDoubtIds, dialect) : 0;
  return {
    conservation: conservationOf(published, inDoubtIds.length, inDoubtFound, counts),
    passesPerEvent: await readPassesPerEvent(admin, settings.namespace, dialect),
  };
}
