// Each client adds, processes and archives in turn, recorded as `__cycle__`. While draining it adds nothing.
import { monotonicMs } from "../../../foundation/clock.js";
import { PartTimes } from "../../../metrics/part-times.js";
import type { Clients } from "../../../clients/client.js";
import type { EventContext } from "./context.js";
import { createArchiver } from "./archiver.js";
import { createProcessor } from "./consumer.js";
import { IdleBackoff } from "../../../clients/idle-backoff.js";
import { createAdder } from "./producer.js";

export function cycleClients(context: EventContext): Clients {
  const { recorder, assignment, sleeper, partNames, source } = context;
  const adder = createAdder(context);
  const processor = createProcessor(context);
  const archiver = createArchiver(context);
  const idle = new IdleBackoff(assignment.clients, sleeper, context.time);
  const stopwatches = Array.from(
    { length: assignment.clients },
    (_, client) => new PartTimes(partNames, client),
  );

  async function drainOnce(client: number): Promise<void> {
    const didProcess = await processor.process(client, monotonicMs());
    await processor.verify(client);
    const { isEmptyPoll } = await archiver.archive(client, monotonicMs());
    await idle.waitAfterPoll(client, !didProcess && isEmptyPoll);
  }

  return {
    prepare(client, arrival) {
      adder.prepare(client, arrival);
      processor.prepare(client);
      archiver.prepare(client);
    },
    async iterate(client, intendedMs) {
      if (context.isDraining()) return drainOnce(client);
      const times = stopwatches[client] as PartTimes;
      const startMs = monotonicMs();
      times.start(startMs);
      await adder.add(client, intendedMs);
      const addEndMs = monotonicMs();
      const addEndpoint = source.endpointOf(client);
      times.bookNamedPart("add", startMs, addEndMs);
      await processor.process(client, addEndMs);
      const processEndMs = monotonicMs();
      times.bookNamedPart("process", addEndMs, processEndMs);
      const processEndpoint = source.endpointOf(client);
      const { events, finishedMs } = await archiver.archive(client, processEndMs);
      times.bookNamedPart("archive", processEndMs, finishedMs);
      const endpoint = source.endpointOf(client);
      const isAtOneEndpoint = endpoint === addEndpoint && endpoint === processEndpoint;
      const isScheduled = context.isScheduled();
      const dueMs = isScheduled ? intendedMs : startMs;
      times.finish(finishedMs, startMs - dueMs);
      recorder.transaction("__cycle__", {
        finishedMs,
        events,
        serviceMs: finishedMs - startMs,
        responseMs: finishedMs - dueMs,
        poolWaitMs: 0,
        parts: times,
        intendedMs: isScheduled ? intendedMs : undefined,
        ...(isAtOneEndpoint && { endpoint }),
      });
      await processor.verify(client);
    },
  };
}
