// The producer: adds a batch of events with their status rows in one transaction. Its batches are made ahead of
// their intended start, and its ledger counts what the database acknowledged, which the audit holds it to.
import { wallClockMs } from "../foundation/clock.js";
import { deriveSeed, Prng } from "../foundation/prng.js";
import { DocumentGenerator } from "../model/document-generator.js";
import { batchIds, batchNumberOf } from "../model/event-id.js";
import type { PreparedEvent } from "../model/event.js";
import type { Actor, ActorContext } from "./actor.js";

/** One client's stream of batches: sizes and documents depend on seed and client alone, not on timing. */
class BatchStream {
  private readonly prng: Prng;
  private readonly documents: DocumentGenerator;
  private nextDocument = 0;
  private ahead: readonly PreparedEvent[] | undefined;

  constructor(
    private readonly context: ActorContext,
    client: number,
    private readonly takeBatchNumber: () => number,
  ) {
    const { trial, role, firstClient, settings } = context.assignment;
    const name = `${role}/${firstClient + client}`;
    this.prng = new Prng(deriveSeed(trial.seed, "batch", name));
    this.documents = new DocumentGenerator(trial.seed, name, settings.documentBytes);
  }

  prepare(): void {
    if (this.ahead) return;
    const { settings, ordinal } = this.context.assignment;
    const size = this.prng.intBetween(settings.batch.min, settings.batch.max);
    const ids = batchIds(settings.ids, size, ordinal, this.takeBatchNumber(), wallClockMs(), this.prng);
    this.ahead = ids.map((id) => {
      const { json, eventType, authorityId, trainId } = this.documents.at(this.nextDocument++);
      return { id, payload: json, eventType, authorityId, trainId };
    });
  }

  take(): readonly PreparedEvent[] {
    this.prepare();
    const batch = this.ahead ?? [];
    this.ahead = undefined;
    return batch;
  }
}

/** Adds one batch; resolves to whether it was acknowledged. Shared with the cycle topology. */
export interface Adder {
  prepare(client: number): void;
  add(client: number, intendedMs: number): Promise<boolean>;
}

export function createAdder(context: ActorContext): Adder {
  const { workload, transactor, lifecycle, ledger, assignment } = context;
  let batchNumber = 0;
  const streams = Array.from(
    { length: assignment.clients },
    (_, client) => new BatchStream(context, client, () => batchNumber++),
  );
  const streamOf = (client: number): BatchStream => streams[client] as BatchStream;

  return {
    prepare: (client) => streamOf(client).prepare(),
    async add(client, intendedMs) {
      const batch = streamOf(client).take();
      const ids = batch.map((event) => event.id);
      const end = await transactor.run<true>({
        operation: "add",
        client,
        intendedMs,
        body: async (connection) => {
          await workload.add(connection, batch);
          return true;
        },
        isPoll: false,
        events: () => batch.length,
        settle: async (connection) => ((await workload.countPresent(connection, ids)) > 0 ? true : undefined),
      });
      if (end.kind === "failed") {
        if (end.inDoubt) ledger.inDoubtIds.push(...ids);
        else ledger.failed += batch.length;
        return false;
      }
      ledger.published += batch.length;
      lifecycle.published(assignment.ordinal, batchNumberOf(ids[0] ?? ""), end.finishedMs);
      return true;
    },
  };
}

export function producer(context: ActorContext): Actor {
  const adder = createAdder(context);
  return {
    prepare: (client) => adder.prepare(client),
    iterate: async (client, intendedMs) => {
      await adder.add(client, intendedMs);
    },
  };
}
