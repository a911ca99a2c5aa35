// The closed loop that three executors share: a client starts late by its place in the ramp-up, thinks between
// iterations, and goes on while it may. In a closed loop the intended start is the actual start.
import type { Pacer, PacingContext } from "../pacer.js";

/** `mayStart` is asked once for each iteration, after the pause, and consumes budget when it says yes. */
export function closedLoop(context: PacingContext, mayStart: (client: number) => boolean): Pacer {
  const started = new Set<number>();
  const { thinkTime } = context;

  function pauseMs(client: number): number {
    if (started.has(client)) return thinkTime.min + context.prng.float() * (thinkTime.max - thinkTime.min);
    started.add(client);
    return (context.rampUpMs * (context.firstClient + client)) / context.totalClients;
  }

  return {
    async next(client) {
      const ms = pauseMs(client);
      if (ms > 0) await context.sleep(ms);
      if (context.isOver() || !mayStart(client)) return undefined;
      return { intendedMs: context.nowMs() };
    },
  };
}
