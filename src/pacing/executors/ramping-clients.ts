// `ramping-clients`: a closed loop in which the number of clients at work goes in straight lines from target to
// target, and stays at the last one. A client that is no longer wanted finishes its iteration and then rests until it
// is. Workers take turns, so that each has its share of those at work.
import type { Pacer, PacingContext } from "../pacer.js";
import { RateCurve, type Stage } from "../rate-curve.js";
import { closedLoop } from "./closed-loop.js";

export interface RampingClientsPlan {
  readonly executor: "ramping-clients";
  readonly startClients: number;
  /** Targets are numbers of clients. */
  readonly stages: readonly Stage[];
}

export function rampingClients(context: PacingContext, plan: RampingClientsPlan): Pacer {
  const curve = new RateCurve(plan.startClients, plan.stages);
  const { startMs, workers, workerIndex } = context;
  const loop = closedLoop({ ...context, rampUpMs: 0 }, () => true);

  /** Resolves when the client is wanted; false when the phase ended first. */
  async function isWanted(client: number): Promise<boolean> {
    const clientsNeeded = client * workers + workerIndex + 1;
    for (;;) {
      if (context.isOver()) return false;
      const nowMs = context.nowMs();
      const wantedMs = startMs + curve.reaches(clientsNeeded, nowMs - startMs);
      if (wantedMs <= nowMs) return true;
      if (wantedMs >= context.endMs() || wantedMs === Number.POSITIVE_INFINITY) return false;
      await context.sleep(Math.ceil(wantedMs - nowMs));
    }
  }

  return { next: async (client) => ((await isWanted(client)) ? loop.next(client) : undefined) };
}
