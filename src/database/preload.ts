// Fills the queue before a trial: N events, PENDING, in statements of their own and not as a producer would, since
// nothing of this is measured. Same seed, same documents. Afterwards statistics and visibility are brought up to
// date, so that the trial starts on a database at rest.
import { wallClockMs } from "../foundation/clock.js";
import { DocumentGenerator } from "../model/document-generator.js";
import { BatchMaker } from "../model/event-batch.js";
import { PRELOAD_WORKER } from "../model/event-id.js";
import { KeySum } from "../model/key-sum.js";
import { KeyMaker, streamName, type LedgerBatch, type LedgerSource } from "../model/ledger.js";
import type { TreatmentSettings } from "../scenario/settings.js";
import type { SqlClient } from "./admin.js";
import { bufferOf, uuidBytesArray } from "./binary-arrays.js";
import { dialectOf } from "./dialects/registry.js";
import { batchArrays, documentRoom } from "./shapes/batch-arrays.js";
import { addStatements } from "./shapes/set-based.js";
import { refreshStatistics } from "./statistics.js";
import { tablesOf } from "./tables.js";

/** Events of one statement: about a megabyte at the default document size. */
const BATCH_EVENTS = 1_000;

export type PreloadSettings = Pick<
  TreatmentSettings,
  "dialect" | "namespace" | "payload" | "ids" | "documentBytes" | "preload"
>;

/** The preload as the worker that it is in the keys of its events. */
export function preloadSource({ ids, documentBytes }: PreloadSettings, seed: number): LedgerSource {
  return { worker: PRELOAD_WORKER, stream: "preload", ids, seed, documentBytes };
}

/**
 * Inserts `settings.preload` events, or those until it is not wanted any more, and resolves to their number; `onBatch`
 * hears of each batch that is in.
 */
export async function preload(
  client: SqlClient,
  settings: PreloadSettings,
  seed: number,
  onBatch: (batch: LedgerBatch) => void = () => undefined,
  isWanted: () => boolean = () => true,
): Promise<number> {
  const { namespace, payload, documentBytes, preload: total } = settings;
  if (total === 0) return 0;
  const dialect = dialectOf(settings.dialect);
  const context = { dialect, tables: tablesOf(dialect, namespace), payload };
  const { addEvents, addStatus } = addStatements(context);
  const source = preloadSource(settings, seed);
  const generator = new DocumentGenerator(seed, streamName(source, 0), documentBytes);
  const keyMaker = new KeyMaker(source);
  const batchMaker = new BatchMaker(settings.ids, documentRoom(context));
  let done = 0;
  while (done < total && isWanted()) {
    const events = Math.min(BATCH_EVENTS, total - done);
    const made = { batch: done / BATCH_EVENTS, events, madeAtMs: wallClockMs() };
    const keys = keyMaker.bytesOf(made);
    const batch = batchMaker.make(keys, generator, done);
    await client.query(addEvents.text, batchArrays(context, batch).map(bufferOf));
    await client.query(addStatus.text, [bufferOf(uuidBytesArray(batch.keys))]);
    onBatch({
      ...made,
      client: 0,
      firstDocument: done,
      keys: new KeySum().addKeys(keys),
      outcome: "acknowledged",
    });
    done += events;
  }
  await refreshStatistics(client, namespace, dialect, { vacuum: true });
  return done;
}
