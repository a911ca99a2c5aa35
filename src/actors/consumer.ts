// The consumer: locks a batch of workable events, moves them along, applies the business logic to their payloads
// and commits. An empty poll is counted apart and followed by a brief pause.
import { monotonicMs } from "../foundation/clock.js";
import type { PartTimes } from "../metrics/part-times.js";
import type { Actor, ActorContext } from "./actor.js";
import { nothingToPrepare } from "./actor.js";
import { IdleBackoff } from "./idle-backoff.js";

/** Processes one batch; resolves to false when there was nothing to process. Shared with the cycle topology. */
export function createProcessor(
  context: ActorContext,
): (client: number, intendedMs: number) => Promise<boolean> {
  const { workload, transactor, lifecycle, recorder, sleeper, prng, assignment, ledger } = context;
  const { batch, appDelayMs, advance: chances } = assignment.settings;
  const roll = (): number => prng.float();
  const recordCompleted = (latencyMs: number, atMs: number): void =>
    recorder.lifecycle("completed", latencyMs, atMs);
  const waitIn = async (times: PartTimes): Promise<void> => {
    const fromMs = monotonicMs();
    await sleeper.sleep(appDelayMs.min + prng.float() * (appDelayMs.max - appDelayMs.min));
    times.bookNamed("appDelay", fromMs, monotonicMs());
  };

  return async (client, intendedMs) => {
    const limit = prng.intBetween(batch.min, batch.max);
    const isDelayed = appDelayMs.max > 0 && !context.isDraining();
    const end = await transactor.run({
      operation: "process",
      client,
      intendedMs,
      body: (connection, times) =>
        workload.process(
          connection,
          isDelayed ? { limit, roll, chances, appDelay: () => waitIn(times) } : { limit, roll, chances },
        ),
      isPoll: true,
      events: (outcome) => outcome.events,
    });
    if (end.kind === "failed") return true;
    ledger.processed(end.result.events);
    lifecycle.reached(end.result.completedIds, end.finishedMs, recordCompleted);
    return end.kind === "committed";
  };
}

export function consumer(context: ActorContext): Actor {
  const processOne = createProcessor(context);
  const idle = new IdleBackoff(context.assignment.clients, context.sleeper, context.time);
  return {
    prepare: nothingToPrepare,
    iterate: async (client, intendedMs) => {
      const wasEmpty = !(await processOne(client, intendedMs));
      if (!context.isScheduled()) await idle.after(client, wasEmpty);
    },
  };
}
