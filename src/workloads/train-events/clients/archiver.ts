// The archiver: moves a batch of terminal events, in no order, to the history table in one transaction.
import type { ArchiveOutcome } from "../store.js";
import type { Clients } from "../../../clients/client.js";
import { appDelayOf } from "./app-delay.js";
import type { EventContext } from "./context.js";
import { PreparedTransactions } from "../../../clients/ahead.js";
import { IdleBackoff } from "../../../clients/idle-backoff.js";

/** Outcome of an archive transaction. A failed one moved nothing and does not show whether the queue is empty. */
export interface Archived {
  readonly events: number;
  readonly foundNothing: boolean;
  readonly finishedMs: number;
}

const eventsOf = ({ archivedIds }: ArchiveOutcome): number => archivedIds.length;

/** Archives one batch at a time; the cycle topology uses it too. */
export interface BatchArchiver {
  readonly prepare: (client: number) => void;
  readonly archive: (client: number, intendedMs: number) => Promise<Archived>;
}

export function createArchiver(context: EventContext): BatchArchiver {
  const { queue, transactor, lifecycle, recorder, prng, assignment, ledger } = context;
  const { batch } = assignment.settings;
  const ahead = new PreparedTransactions(() => queue.archive(prng.intBetween(batch.min, batch.max)));
  const paused = appDelayOf(context, "archive");
  const recordArchived = (latencyMs: number, atMs: number): void =>
    recorder.lifecycle("archived", latencyMs, atMs);

  async function archive(client: number, intendedMs: number): Promise<Archived> {
    const end = await transactor.run({
      operation: "archive",
      client,
      intendedMs,
      body: paused(ahead.take(client)),
      isPoll: true,
      events: eventsOf,
      unanswered: (outcome) => ledger.archivedInDoubt(outcome?.archivedIds, batch.max),
    });
    const { finishedMs } = end;
    if (end.kind === "failed") return { events: 0, foundNothing: false, finishedMs };
    ledger.archived(end.result.archivedIds, end);
    lifecycle.reached(end.result.archivedIds, finishedMs, recordArchived);
    return { events: end.result.archivedIds.length, foundNothing: end.kind === "empty", finishedMs };
  }

  return { prepare: (client) => ahead.prepare(client), archive };
}

export function archiver(context: EventContext): Clients {
  const { prepare, archive } = createArchiver(context);
  const idle = new IdleBackoff(context.assignment.clients, context.sleeper, context.time);
  return {
    prepare,
    iterate: async (client, intendedMs) => {
      const { foundNothing } = await archive(client, intendedMs);
      if (!context.isScheduled()) await idle.after(client, foundNothing);
    },
  };
}
