// The archiver: moves a batch of terminal events, in no order, to the history table in one transaction.
import type { ArchiveOutcome } from "../store.js";
import type { Clients } from "../../../clients/client.js";
import { appDelayAdder } from "./app-delay.js";
import type { EventContext } from "./context.js";
import { PreparedTransactions } from "../../../clients/ahead.js";
import { IdleBackoff } from "../../../clients/idle-backoff.js";

/** Outcome of an archive transaction. A failed one moved nothing and does not show whether the queue is empty. */
export interface ArchiveResult {
  readonly events: number;
  readonly isEmptyPoll: boolean;
  readonly finishedMs: number;
}

const eventsOf = ({ archivedIds }: ArchiveOutcome): number => archivedIds.length;

/** Archives one batch at a time; the cycle topology uses it too. */
export interface BatchArchiver {
  readonly prepare: (client: number) => void;
  readonly archive: (client: number, intendedMs: number) => Promise<ArchiveResult>;
}

export function createArchiver(context: EventContext): BatchArchiver {
  const { queue, transactor, lifecycle, recorder, prng, assignment, ledger } = context;
  const { batch } = assignment.settings;
  const preparedTransactions = new PreparedTransactions(() =>
    queue.archive(prng.intBetween(batch.min, batch.max)),
  );
  const addAppDelay = appDelayAdder(context, "archive");
  const recordArchived = (latencyMs: number, atMs: number): void =>
    recorder.lifecycle("archived", latencyMs, atMs);

  async function archive(client: number, intendedMs: number): Promise<ArchiveResult> {
    const end = await transactor.run({
      operation: "archive",
      client,
      intendedMs,
      body: addAppDelay(preparedTransactions.take(client)),
      isPoll: true,
      events: eventsOf,
      onUnanswered: (outcome) => ledger.recordArchivingInDoubt(outcome?.archivedIds, batch.max),
    });
    const { finishedMs } = end;
    if (end.kind === "failed") return { events: 0, isEmptyPoll: false, finishedMs };
    ledger.recordArchivings(end.result.archivedIds, end);
    lifecycle.recordStage(end.result.archivedIds, finishedMs, recordArchived);
    return { events: end.result.archivedIds.length, isEmptyPoll: end.kind === "empty", finishedMs };
  }

  return { prepare: (client) => preparedTransactions.prepare(client), archive };
}

export function archiverClients(context: EventContext): Clients {
  const { prepare, archive } = createArchiver(context);
  const idle = new IdleBackoff(context.assignment.clients, context.sleeper, context.time);
  return {
    prepare,
    iterate: async (client, intendedMs) => {
      const { isEmptyPoll } = await archive(client, intendedMs);
      if (!context.isScheduled()) await idle.waitAfterPoll(client, isEmptyPoll);
    },
  };
}
