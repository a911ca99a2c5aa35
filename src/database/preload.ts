// Fills the queue before a trial: N events, PENDING, in statements of their own and not as a producer would, since
// nothing of this is measured. Same seed, same documents. Afterwards statistics and visibility are brought up to
// date, so that the trial starts on a database at rest.
import { wallClockMs } from "../foundation/clock.js";
import { deriveSeed, Prng } from "../foundation/prng.js";
import { DocumentGenerator } from "../model/document-generator.js";
import type { PreparedEvent } from "../model/event.js";
import { batchIds, PRELOAD_WORKER } from "../model/event-id.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import type { SqlClient } from "./admin.js";
import { dialectOf } from "./dialects/registry.js";
import { batchArrays } from "./shapes/batch-arrays.js";
import { addStatement } from "./shapes/single-statement.js";
import { refreshStatistics } from "./statistics.js";
import { tablesOf } from "./tables.js";

/** Events of one statement: about a megabyte at the default document size. */
const BATCH_EVENTS = 1_000;

export type PreloadSettings = Pick<
  TreatmentSettings,
  "dialect" | "namespace" | "payload" | "ids" | "documentBytes" | "preload"
>;

/** Inserts `settings.preload` events and resolves to that number; `onProgress` hears how many are in so far. */
export async function preload(
  client: SqlClient,
  settings: PreloadSettings,
  seed: number,
  onProgress: (events: number) => void = () => undefined,
): Promise<number> {
  const { namespace, payload, ids: kind, documentBytes, preload: total } = settings;
  if (total === 0) return 0;
  const dialect = dialectOf(settings.dialect);
  const tables = tablesOf(dialect, namespace);
  const insert = addStatement({ tables, payload });
  const generator = new DocumentGenerator(seed, "preload", documentBytes);
  const prng = new Prng(deriveSeed(seed, "ids", "preload"));
  for (let done = 0; done < total;) {
    const size = Math.min(BATCH_EVENTS, total - done);
    const ids = batchIds(kind, size, PRELOAD_WORKER, done / BATCH_EVENTS, wallClockMs(), prng);
    const batch = ids.map((id, i): PreparedEvent => {
      const { json, eventType, authorityId, trainId } = generator.at(done + i);
      return { id, payload: json, eventType, authorityId, trainId };
    });
    await client.query(insert.text, batchArrays(payload, batch));
    done += size;
    onProgress(done);
  }
  await refreshStatistics(client, namespace, dialect, { vacuum: true });
  return total;
}
