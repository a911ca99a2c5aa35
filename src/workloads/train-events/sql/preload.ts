// Fills the queue before a trial: N events, PENDING, in statements of their own and not as a producer would, since
// nothing of this is measured. Same seed, same documents. Afterwards statistics and visibility are brought up to
// date, so that the trial starts on a database at rest.
import { monotonicMs, wallClockMs } from "../../../foundation/clock.js";
import { deriveSeed, Prng } from "../../../foundation/prng.js";
import { DocumentGenerator } from "../model/document-generator.js";
import { BatchMaker, type EventBatch } from "../model/event-batch.js";
import { PRELOAD_WORKER } from "../model/event-id.js";
import { KeySum } from "../model/key-sum.js";
import {
  EMPTY_LEDGER,
  KeyMaker,
  NO_CHECKS,
  streamName,
  type Ledger,
  type LedgerEntry,
  type LedgerSource,
} from "../model/ledger.js";
import type { Endpoint } from "../../../database/endpoint.js";
import type { EventSettings } from "../settings.js";
import { connectAdmin, type AdminClient } from "../../../database/postgres/admin.js";
import { bindAhead, MessageMemory } from "../../../database/postgres/wire/bind-message.js";
import { uuidBytesArray } from "../../../database/postgres/wire/binary-arrays.js";
import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import { withinLockTimeout } from "../../../database/postgres/lock-timeout.js";
import { batchArrays, documentRoom, type BatchContext } from "./batch-arrays.js";
import { addStatements } from "./set-based.js";
import { refreshStatistics } from "../../../database/postgres/statistics.js";
import { tablesOf } from "./tables.js";
import { readClock } from "./audit-scans.js";
import { DocumentChecks } from "../audit/document-checks.js";
import { Findings } from "../audit/findings.js";
import { LedgerFileWriter, ledgerPath } from "../audit/ledger-file.js";
import type { EventTreatment } from "../actors/assignment.js";
import type { PreloadInputs } from "../../workload.js";

/** Events of one statement: about a megabyte at the default document size. */
const BATCH_EVENTS = 1_000;

export type PreloadSettings = Pick<
  EventSettings,
  "dialect" | "namespace" | "payload" | "ids" | "documentBytes" | "documentShape" | "preload"
> &
  Partial<Pick<EventTreatment, "prepared">>;

export interface PreloadOptions {
  /** Hears of each batch that is in, which is written over by the next. */
  readonly onBatch?: (told: LedgerEntry, batch: EventBatch) => void;
  /** Asked before each batch. */
  readonly isWanted?: () => boolean;
  /** Longest wait for a lock that somebody else holds on the tables, with its unit. */
  readonly lockTimeout?: string;
}

/** Puts batches in, by a session of its own. */
interface Filler {
  readonly session: AdminClient;
  insert(batch: EventBatch): Promise<void>;
  close(): Promise<void>;
}

async function openFiller(
  endpoint: Endpoint,
  context: BatchContext,
  prepared: PreloadSettings["prepared"],
): Promise<Filler> {
  const { addEvents, addStatus } = addStatements(context);
  const memory = new MessageMemory();
  const session = await connectAdmin(endpoint, { purpose: "preload", prepared: prepared !== false });
  return {
    session,
    async insert(batch) {
      await session.execute(addEvents, bindAhead(addEvents, batchArrays(context, batch), memory.allocate));
      const status = [uuidBytesArray(batch.keys)];
      await session.execute(addStatus, bindAhead(addStatus, status, memory.allocate));
    },
    close: () => session.close(),
  };
}

/** The preload as the worker that it is in the keys of its events. */
export function preloadSource(
  { ids, documentBytes, documentShape }: Pick<PreloadSettings, "ids" | "documentBytes" | "documentShape">,
  seed: number,
): LedgerSource {
  return { worker: PRELOAD_WORKER, stream: "preload", ids, seed, documentBytes, documentShape };
}

/**
 * Inserts `settings.preload` events, or those until it is not wanted any more, and resolves to their number; rejects with a
 * TargetError where somebody else's lock keeps it from the tables.
 */
export async function preload(
  client: AdminClient,
  settings: PreloadSettings,
  seed: number,
  { onBatch, isWanted = () => true, lockTimeout }: PreloadOptions = {},
): Promise<number> {
  const { namespace, payload, preload: total } = settings;
  if (total === 0) return 0;
  const dialect = dialectOf(settings.dialect);
  const context = { dialect, tables: tablesOf(dialect, namespace), payload };
  const filler = await openFiller(client.endpoint, context, settings.prepared);
  const makeBatch = batchesOf(settings, seed, documentRoom(context));
  const fill = async (): Promise<number> => {
    let done = 0;
    while (done < total && isWanted()) {
      const { batch, told } = makeBatch(done, Math.min(BATCH_EVENTS, total - done));
      await filler.insert(batch);
      onBatch?.(told, batch);
      done += batch.size;
    }
    return done;
  };
  const failure = `schema "${namespace}" not filled`;
  try {
    const done = await withinLockTimeout({ client: filler.session, dialect, failure, lockTimeout }, fill);
    await refreshStatistics(client, { namespace, tables: Object.values(context.tables) }, dialect, {
      vacuum: true,
      lockTimeout,
    });
    return done;
  } finally {
    await filler.close();
  }
}

/** What the audit is told of the preload. */
export interface Preloaded {
  /** Of the database, before the first event was there. */
  readonly startedAt: string;
  /** As of a worker that did nothing else. */
  readonly ledger: Ledger;
}

/** Preloads, holds its documents to the model, and keeps the ledger of it in the trial's directory. */
export async function preloadTrial(
  admin: AdminClient,
  { settings, seed, directory, isWanted }: PreloadInputs<EventTreatment>,
): Promise<Preloaded> {
  const startedAt = await readClock(admin);
  if (settings.preload === 0) return { startedAt, ledger: EMPTY_LEDGER };
  const findings = new Findings();
  const prng = new Prng(deriveSeed(seed, "sample", "preload"));
  const documents = new DocumentChecks(settings.validate, findings, prng);
  const source = preloadSource(settings, seed);
  const file = new LedgerFileWriter(ledgerPath(directory, source.worker), source);
  const onBatch = (told: LedgerEntry, batch: EventBatch): void => {
    file.add(told, "acknowledged", monotonicMs());
    documents.made(batch);
  };
  try {
    const published = await preload(admin, settings, seed, { onBatch, isWanted });
    const validated = documents.total();
    const { counts, named } = findings;
    const checks = { ...NO_CHECKS, validated, invalid: counts.invalid, named };
    return { startedAt, ledger: { ...EMPTY_LEDGER, published, checks } };
  } finally {
    file.close();
  }
}

/** Makes the next `events` after those that are done, and what the ledger is told of them. */
function batchesOf(
  settings: PreloadSettings,
  seed: number,
  room: number,
): (done: number, events: number) => { batch: EventBatch; told: LedgerEntry } {
  const source = preloadSource(settings, seed);
  const generator = new DocumentGenerator(
    seed,
    streamName(source, 0),
    settings.documentBytes,
    settings.documentShape,
  );
  const keyMaker = new KeyMaker(source);
  const batchMaker = new BatchMaker(settings.ids, room);
  return (done, events) => {
    const made = { batch: done / BATCH_EVENTS, events, madeAtMs: wallClockMs() };
    const keys = keyMaker.bytesOf(made);
    const sum = new KeySum().addKeys(keys);
    return {
      batch: batchMaker.make(keys, generator, done),
      told: { ...made, client: 0, firstDocument: done, keys: sum },
    };
  };
}
