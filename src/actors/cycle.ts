// The cycle topology: each client runs add, process and archive in turn, as dbworkload's workloads do, and the
// whole round is recorded as `__cycle__`, with the events that it moved to history: those are through. While draining it only processes and archives.
import { monotonicMs } from "../foundation/clock.js";
import type { Actor, ActorContext } from "./actor.js";
import { createArchiver } from "./archiver.js";
import { createProcessor } from "./consumer.js";
import { IdleBackoff } from "./idle-backoff.js";
import { createAdder } from "./producer.js";

export function cycle(context: ActorContext): Actor {
  const { recorder, assignment, sleeper } = context;
  const adder = createAdder(context);
  const processOne = createProcessor(context);
  const archiveOne = createArchiver(context);
  const idle = new IdleBackoff(assignment.clients, sleeper, context.time);

  async function drainOnce(client: number): Promise<void> {
    const didProcess = await processOne(client, monotonicMs());
    const { foundNothing } = await archiveOne(client, monotonicMs());
    await idle.after(client, !didProcess && foundNothing);
  }

  return {
    prepare: (client, arrival) => adder.prepare(client, arrival),
    async iterate(client, intendedMs) {
      if (context.isDraining()) return drainOnce(client);
      const startMs = monotonicMs();
      await adder.add(client, intendedMs);
      await processOne(client, monotonicMs());
      const { events } = await archiveOne(client, monotonicMs());
      const finishedMs = monotonicMs();
      recorder.transaction("__cycle__", {
        finishedMs,
        events,
        serviceMs: finishedMs - startMs,
        responseMs: finishedMs - (context.isScheduled() ? intendedMs : startMs),
        poolWaitMs: 0,
        ...(context.isScheduled() && { intendedMs }),
      });
    },
  };
}
