// The archiver: moves a batch of terminal events to the history table and deletes them, in one transaction.
// It takes whatever is terminal, in no order, and backs off briefly when nothing is.
import type { Actor, ActorContext } from "./actor.js";
import { nothingToPrepare } from "./actor.js";
import { IdleBackoff } from "./idle-backoff.js";

/** Archives one batch; resolves to false when there was nothing to archive. Shared with the cycle topology. */
export function createArchiver(
  context: ActorContext,
): (client: number, intendedMs: number) => Promise<boolean> {
  const { workload, transactor, lifecycle, recorder, prng, assignment } = context;
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
    if (end.kind === "failed") return true;
    lifecycle.reached(end.result.archivedIds, end.finishedMs, recordArchived);
    return end.kind === "committed";
  };
}

export function archiver(context: ActorContext): Actor {
  const archiveOne = createArchiver(context);
  const idle = new IdleBackoff(context.assignment.clients, context.sleeper, context.time);
  return {
    prepare: nothingToPrepare,
    iterate: async (client, intendedMs) => {
      const wasEmpty = !(await archiveOne(client, intendedMs));
      if (!context.isScheduled()) await idle.after(client, wasEmpty);
    },
  };
}
