// Adds a batch of events with their status rows in one transaction, made ahead of its intended start.
import { wallClockMs } from "../../../foundation/clock.js";
import { deriveSeed, Prng } from "../../../foundation/prng.js";
import type { DocumentGenerator } from "../model/document-generator.js";
import { BatchMaker } from "../model/event-batch.js";
import { KeySum } from "../model/key-sum.js";
import { documentsOf, KeyMaker, streamName, type LedgerEntry } from "../model/ledger.js";
import type { Arrival } from "../../../load/arrivals.js";
import { batchSizeAt, type Profile } from "../../../load/profiles.js";

import type { Clients } from "../../../clients/client.js";
import { appDelayAdder } from "./app-delay.js";
import type { EventContext } from "./context.js";
import { ledgerSourceOf } from "./assignment.js";
import type { PausableTransaction } from "../store.js";

interface PreparedBatch {
  readonly keys: Buffer;
  readonly add: PausableTransaction<void>;
  readonly entry: LedgerEntry;
}

class BatchStream {
  private readonly prng: Prng;
  private readonly documents: DocumentGenerator;
  /**
   * Random numbers for the sizes of a profile's batches. They are seeded by arrival, so that a size depends on its arrival
   * alone.
   */
  private readonly sizePrng = new Prng(0);
  private readonly profile: Profile | undefined;
  private readonly client: number;
  private nextDocument = 0;
  private nextBatch: PreparedBatch | undefined;

  constructor(
    private readonly context: EventContext,
    client: number,
    private readonly keyMaker: KeyMaker,
    private readonly batchMaker: BatchMaker,
    private readonly takeBatchNumber: () => number,
  ) {
    const { trial, role, firstClient, settings } = context.assignment;
    this.client = firstClient + client;
    const name = streamName({ stream: role }, this.client);
    const { load } = settings.actors[role] ?? {};
    this.profile = load?.executor === "daily-arrival-rate" ? load.profile : undefined;
    this.prng = new Prng(deriveSeed(trial.seed, "batch", name));
    this.documents = documentsOf(ledgerSourceOf(context.assignment), this.client);
  }

  /**
   * Makes the next batch. With a profile its size depends on the arrival, so the batch is made when its arrival is known. A
   * batch for an arrival that did not come, at the end of the warm-up, is made again from the same documents.
   */
  prepare(arrival?: Arrival): void {
    if (this.profile ? !arrival : this.nextBatch) return;
    const { settings } = this.context.assignment;
    const events =
      this.profile && arrival
        ? this.drawProfileSize(this.profile, arrival)
        : this.prng.intBetween(settings.batch.min, settings.batch.max);
    const { client } = this;
    const firstDocument = this.nextBatch?.entry.firstDocument ?? this.nextDocument;
    const batch = this.takeBatchNumber();
    const madeAtMs = wallClockMs();
    const keys = this.keyMaker.bytesOf({ batch, events, madeAtMs });
    const eventBatch = this.batchMaker.make(keys, this.documents, firstDocument);
    this.context.checks.documents.holdMade(eventBatch);
    this.nextDocument = firstDocument + events;
    const entry = { batch, events, madeAtMs, client, firstDocument, keys: new KeySum().addKeys(keys) };
    this.nextBatch = { keys, add: this.context.queue.add(eventBatch), entry };
  }

  take(): PreparedBatch {
    this.prepare();
    const batch = this.nextBatch;
    if (!batch) throw new Error("A batch of a profile was asked for before its arrival was known");
    this.nextBatch = undefined;
    return batch;
  }

  private drawProfileSize(profile: Profile, arrival: Arrival): number {
    const { trial, role } = this.context.assignment;
    this.sizePrng.reseed(deriveSeed(trial.seed, "batch size", role, arrival.number));
    return profile.sizes[batchSizeAt(profile, arrival.offsetMs, this.sizePrng.float())];
  }
}

/** Adds one batch at a time; resolves to true if it was acknowledged. The clients of `cycle` use it, too. */
export interface Adder {
  prepare(client: number, arrival?: Arrival): void;
  add(client: number, intendedMs: number): Promise<boolean>;
}

export function createAdder(context: EventContext): Adder {
  const { queue, transactor, lifecycle, ledger, assignment } = context;
  const addAppDelay = appDelayAdder(context, "add");
  let batchNumber = 0;
  const keyMaker = new KeyMaker(ledgerSourceOf(assignment));
  const { ids, documentPlace } = assignment.settings;
  const batchMaker = new BatchMaker(ids, queue.documentRoom, documentPlace === "database");
  const streams = Array.from(
    { length: assignment.clients },
    (_, client) => new BatchStream(context, client, keyMaker, batchMaker, () => batchNumber++),
  );
  const streamOf = (client: number): BatchStream => streams[client] as BatchStream;

  return {
    prepare: (client, arrival) => streamOf(client).prepare(arrival),
    async add(client, intendedMs) {
      const { keys, add, entry } = streamOf(client).take();
      const end = await transactor.run<unknown>({
        operation: "add",
        client,
        intendedMs,
        body: addAppDelay(add),
        isPoll: false,
        events: () => entry.events,
        settle: async (connection) => ((await queue.countPresent(connection, keys)) > 0 ? true : undefined),
      });
      if (end.kind === "failed") {
        ledger.settle(entry, end.inDoubt ? "in-doubt" : "failed", end);
        return false;
      }
      ledger.settle(entry, "acknowledged", end);
      lifecycle.recordPublication(assignment.ordinal, entry.batch, end.finishedMs);
      return true;
    },
  };
}

export function producerClients(context: EventContext): Clients {
  const adder = createAdder(context);
  return {
    prepare: (client, arrival) => adder.prepare(client, arrival),
    iterate: async (client, intendedMs) => {
      await adder.add(client, intendedMs);
    },
  };
}
