// The closed loop that four executors share: ramp-up, think time, and a next iteration while any is left.
import type { Pacer, PacingContext } from "../pacer.js";

export interface IterationBudget {
  /** Whether the client may have another iteration. If not, the client is done and skips its pause. */
  hasIterationLeft(client: number): boolean;
  /** Takes an iteration after the pause; false if other clients took the last one. */
  take(client: number): boolean;
}

/**
 * A pacer for clients that start an iteration when the previous one has ended. Without a `budget`, clients continue until
 * the phase is over.
 */
export function closedLoop(context: PacingContext, budget?: IterationBudget): Pacer {
  const started = new Set<number>();
  const { thinkTime } = context;

  function pauseMs(client: number): number {
    if (started.has(client)) return thinkTime.min + context.prng.float() * (thinkTime.max - thinkTime.min);
    started.add(client);
    return (context.rampUpMs * (context.firstClient + client)) / context.totalClients;
  }

  return {
    ...(budget && { isLeft: (client: number) => budget.hasIterationLeft(client) }),
    async next(client) {
      if (budget?.hasIterationLeft(client) === false) return undefined;
      const ms = pauseMs(client);
      if (ms > 0) await context.sleep(ms);
      if (context.isOver() || budget?.take(client) === false) return undefined;
      return { intendedMs: context.nowMs() };
    },
  };
}
