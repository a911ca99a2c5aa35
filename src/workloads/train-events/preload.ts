import { monotonicMs, wallClockMs } from "../../foundation/clock.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { BatchMaker, type EventBatch } from "./model/event-batch.js";
import { PRELOAD_WORKER } from "../event-id.js";
import { KeySum } from "./model/key-sum.js";
import {
  EMPTY_LEDGER,
  documentsOf,
  KeyMaker,
  NO_CHECKS,
  type Ledger,
  type LedgerEntry,
  type LedgerSource,
} from "./model/ledger.js";
import type { AdminSession } from "../../database/contract.js";
import type { EventSettings } from "./settings.js";
import type { EventStore, FillSettings } from "./store.js";
import { DocumentChecks } from "./audit/document-checks.js";
import { Findings } from "./audit/findings.js";
import { LedgerFileWriter, ledgerPath } from "./audit/ledger-file.js";
import type { EventTreatment } from "./clients/assignment.js";
import type { PreloadInputs } from "../workload.js";

/** Number of events that one statement inserts: about a megabyte at the default document size. */
const PRELOAD_BATCH_EVENTS = 1_000;

export type PreloadSettings = FillSettings &
  Pick<EventSettings, "ids" | "documentBytes" | "documentShape" | "preload">;

export interface PreloadOptions {
  /** Called after each inserted batch. The next batch overwrites the memory of `batch`. */
  readonly onBatch?: (entry: LedgerEntry, batch: EventBatch) => void;
  readonly isWanted?: () => boolean;
  /** Longest time to wait for other sessions' locks on the tables, as text with a unit. */
  readonly lockTimeout?: string;
}

/** Ledger source of preloaded events: a worker number that no worker of a trial has. */
export function preloadSource(
  { ids, documentBytes, documentShape }: Pick<PreloadSettings, "ids" | "documentBytes" | "documentShape">,
  seed: number,
): LedgerSource {
  return { worker: PRELOAD_WORKER, stream: "preload", ids, seed, documentBytes, documentShape };
}

/** Inserts `settings.preload` events, or fewer if `isWanted` becomes false; resolves to their number. */
export async function preload(
  store: EventStore,
  admin: AdminSession,
  settings: PreloadSettings,
  seed: number,
  { onBatch, isWanted = () => true, lockTimeout }: PreloadOptions = {},
): Promise<number> {
  const { preload: total } = settings;
  if (total === 0) return 0;
  let done = 0;
  function* batches(room: number): Generator<EventBatch> {
    const makeBatch = batchMaker(settings, seed, room);
    while (done < total && isWanted()) {
      const { batch, entry } = makeBatch(done, Math.min(PRELOAD_BATCH_EVENTS, total - done));
      yield batch;
      onBatch?.(entry, batch);
      done += batch.size;
    }
  }
  await store.fill(admin, settings, batches, lockTimeout);
  return done;
}

/** What the preload reports to the audit. */
export interface Preloaded {
  readonly startedAt: string;
  readonly ledger: Ledger;
}

/** Preloads a trial, validates its documents, and writes the events' ledger to the trial's directory. */
export async function preloadTrial(
  store: EventStore,
  admin: AdminSession,
  { settings, seed, directory, mayContinue }: PreloadInputs<EventTreatment>,
): Promise<Preloaded> {
  const startedAt = await store.clock(admin);
  if (settings.preload === 0) return { startedAt, ledger: EMPTY_LEDGER };
  const findings = new Findings();
  const prng = new Prng(deriveSeed(seed, "sample", "preload"));
  const documents = new DocumentChecks(settings.validate, findings, prng);
  const source = preloadSource(settings, seed);
  const file = new LedgerFileWriter(ledgerPath(directory, source.worker), source);
  const onBatch = (entry: LedgerEntry, batch: EventBatch): void => {
    file.add(entry, "acknowledged", monotonicMs());
    documents.holdMade(batch);
  };
  try {
    const published = await preload(store, admin, settings, seed, { onBatch, isWanted: mayContinue });
    const validated = documents.total();
    const { counts, named } = findings;
    const checks = { ...NO_CHECKS, validated, invalid: counts.invalid, named };
    return { startedAt, ledger: { ...EMPTY_LEDGER, published, checks } };
  } finally {
    file.close();
  }
}

/**
 * Returns a function that makes the next batch of at most `events` events, after the first `done`, with its ledger entry.
 */
function batchMaker(
  settings: PreloadSettings,
  seed: number,
  room: number,
): (done: number, events: number) => { batch: EventBatch; entry: LedgerEntry } {
  const source = preloadSource(settings, seed);
  const generator = documentsOf(source, 0);
  const keyMaker = new KeyMaker(source);
  const maker = new BatchMaker(settings.ids, room, settings.documentPlace === "database");
  return (done, events) => {
    const batchIdentity = { batch: done / PRELOAD_BATCH_EVENTS, events, madeAtMs: wallClockMs() };
    const keys = keyMaker.bytesOf(batchIdentity);
    const sum = new KeySum().addKeys(keys);
    return {
      batch: maker.make(keys, generator, done),
      entry: { ...batchIdentity, client: 0, firstDocument: done, keys: sum },
    };
  };
}
