// The consumer: locks a batch of workable events, moves them along and applies the business rules to their documents.
import { monotonicMs } from "../../../foundation/clock.js";
import type { ProcessOutcome } from "../store.js";
import type { Clients } from "../../../clients/client.js";
import type { EventContext } from "./context.js";
import { appDelayAdder } from "./app-delay.js";
import type { EndedClaim } from "./sample-checks.js";
import { PreparedTransactions } from "../../../clients/ahead.js";
import { IdleBackoff } from "../../../clients/idle-backoff.js";

const eventsOf = ({ events }: ProcessOutcome): number => events;

/** Processes one batch at a time; resolves to false if there was nothing to process. The clients of `cycle` use it, too. */
export interface BatchProcessor {
  readonly prepare: (client: number) => void;
  readonly process: (client: number, intendedMs: number) => Promise<boolean>;
  /** Verifies the client's last claim, if it is sampled. Call it while nothing is timed. */
  readonly verify: (client: number) => Promise<void>;
}

export function createProcessor(context: EventContext): BatchProcessor {
  const { queue, transactor, lifecycle, recorder, prng, assignment, ledger, checks } = context;
  const { batch, advance: chances } = assignment.settings;
  const roll = (): number => prng.float();
  const recordCompleted = (latencyMs: number, atMs: number): void =>
    recorder.lifecycle("completed", latencyMs, atMs);
  const addAppDelay = appDelayAdder(context, "process");

  const preparedTransactions = new PreparedTransactions(() => {
    const limit = prng.intBetween(batch.min, batch.max);
    return { limit, made: queue.process({ limit, roll, chances }) };
  });

  /** Last claim of each client that has ended and was not verified yet. */
  const ended: (EndedClaim | undefined)[] = [];

  async function process(client: number, intendedMs: number): Promise<boolean> {
    const { limit, made } = preparedTransactions.take(client);
    const startedMs = monotonicMs();
    const end = await transactor.run({
      operation: "process",
      client,
      intendedMs,
      body: addAppDelay(made),
      isPoll: true,
      events: eventsOf,
      onUnanswered: (outcome) => ledger.recordPassesInDoubt(outcome?.passes, batch.max),
    });
    if (end.kind === "failed") return true;
    ledger.recordPasses(end.result.passes, end);
    lifecycle.recordStage(end.result.completedIds, end.finishedMs, recordCompleted);
    ended[client] = { client, startedMs, limit, passes: end.result.passes };
    return end.kind === "committed";
  }

  async function verify(client: number): Promise<void> {
    const claim = ended[client];
    ended[client] = undefined;
    if (claim) await checks.claim(claim);
  }

  return { prepare: (client) => preparedTransactions.prepare(client), process, verify };
}

export function consumerClients(context: EventContext): Clients {
  const { prepare, process, verify } = createProcessor(context);
  const idle = new IdleBackoff(context.assignment.clients, context.sleeper, context.time);
  return {
    prepare,
    iterate: async (client, intendedMs) => {
      const isEmptyPoll = !(await process(client, intendedMs));
      await verify(client);
      if (!context.isScheduled()) await idle.waitAfterPoll(client, isEmptyPoll);
    },
  };
}
