// The archiver: moves a batch of terminal events to the history table and deletes them, in one transaction.
// It takes whatever is terminal, in no order, and backs off briefly when nothing is.
import type { Actor, ActorContext } from "./actor.js";
import { nothingToPrepare } from "./actor.js";
import { IdleBackoff } from "./idle-backoff.js";

/** How an archive transaction ended; a failed one moved nothing and says nothing of the queue. */
export interface Archived {
  readonly events: number;
  readonly foundNothing: boolean;
  /** Monotonic. */
  readonly finishedMs: number;
}

/** Archives one batch. Shared with the cycle topology. */
export function createArchiver(
  context: ActorContext,
): (client: number, intendedMs: number) => Promise<Archived> {
  const { workload, transactor, lifecycle, recorder, prng, assignment, ledger } = context;
  const { batch } = assignment.settings;
  const recordArchived = (latencyMs: number, atMs: number): void =>
    recorder.lifecycle("archived", latencyMs, atMs);

  return async (client, intendedMs) => {
    const limit = prng.intBetween(batch.min, batch.max);
    const end = await transactor.run({
      operation: "archive",
      client,
      intendedMs,
      body: (connection) => workload.archive(connection, limit),
      isPoll: true,
      events: (outcome) => outcome.archivedIds.length,
    });
    const { finishedMs } = end;
    if (end.kind === "failed") return { events: 0, foundNothing: false, finishedMs };
    ledger.archived(end.result.archivedIds.length);
    lifecycle.reached(end.result.archivedIds, finishedMs, recordArchived);
    return { events: end.result.archivedIds.length, foundNothing: end.kind === "empty", finishedMs };
  };
}

export function archiver(context: ActorContext): Actor {
  const archiveOne = createArchiver(context);
  const idle = new IdleBackoff(context.assignment.clients, context.sleeper, context.time);
  return {
    prepare: nothingToPrepare,
    iterate: async (client, intendedMs) => {
      const { foundNothing } = await archiveOne(client, intendedMs);
      if (!context.isScheduled()) await idle.after(client, foundNothing);
    },
  };
}
