// `ramping-clients`: the number of active clients goes in straight lines from target to target and stays at the last one.
import type { Finding } from "../../syntax/problems.js";
import { MAX_CLIENTS } from "../keys.js";
import type { Pacer, PacingContext, IterationStart } from "../pacer.js";
import { RateCurve, type Stage } from "../rate-curve.js";
import { closedLoop } from "./closed-loop.js";
import { defineExecutor } from "./executor.js";
import { resolveStages, stageFindings, stageWords } from "./stages.js";

interface Plan {
  readonly executor: "ramping-clients";
  readonly startClients: number;
  /** Targets are numbers of clients. */
  readonly stages: readonly Stage[];
}

export const rampingClients = defineExecutor({
  name: "ramping-clients",
  description: "as many as the stages say",
  isOpenLoop: false,
  clientsKey: "stages",
  keys: ({ startClients, stages, thinkTime }) => ({ startClients, stages, thinkTime: thinkTime.optional() }),
  resolve({ startClients, stages: stageInputs }): Plan & { readonly clients: number } {
    // A rate is not a number of clients: `rules` refuses it, and 0.5 only stands in for it.
    const stages = resolveStages(stageInputs, (target) => (typeof target === "number" ? target : 0.5));
    const clients = Math.max(1, startClients, ...stages.map(({ target }) => target));
    return { executor: "ramping-clients", clients, startClients, stages };
  },
  rules(_, { clients, startClients, stages }, { roleClients, windowMs }) {
    const findings: Finding[] = stageFindings(startClients, stages, windowMs);
    if (roleClients !== undefined) {
      const message = "executor ramping-clients has its clients from startClients and stages; remove clients";
      findings.push({ path: ["clients"], message, isAboutKey: true });
    }
    if (clients > MAX_CLIENTS)
      findings.push({
        path: ["load", "stages"],
        message: `${clients} clients at once; at most ${MAX_CLIENTS}`,
      });
    for (const [i, { target }] of stages.entries()) {
      if (Number.isInteger(target)) continue;
      const message = "must be a whole number of clients";
      findings.push({ path: ["load", "stages", i, "target"], message });
    }
    return findings;
  },
  words: ({ startClients, stages }) => ` from ${startClients}${stageWords(stages, "")}`,
  warmUp: (plan: Plan) => ({ ...plan, stages: [] }),
  pacer,
});

function pacer(context: PacingContext, plan: Plan): Pacer {
  const curve = new RateCurve(plan.startClients, plan.stages);
  const { startMs, workers, workerIndex } = context;
  const loop = closedLoop({ ...context, rampUpMs: 0 });

  /** Milliseconds until the client is active: 0 if it is now, Infinity if it never is again. */
  function untilActiveMs(client: number): number {
    const atMs = context.nowMs() - startMs;
    return curve.timeOfLevel(client * workers + workerIndex + 1, atMs) - atMs;
  }

  /** Waits until the client is active; resolves to false if the phase ended first. */
  async function waitUntilActive(client: number): Promise<boolean> {
    for (;;) {
      if (context.isOver()) return false;
      const waitMs = untilActiveMs(client);
      if (waitMs <= 0) return true;
      if (waitMs === Number.POSITIVE_INFINITY || context.nowMs() + waitMs >= context.endMs()) return false;
      await context.sleep(Math.ceil(waitMs));
    }
  }

  /**
   * The client's next iteration. A client that became inactive during its pause rests, and then pauses again before it
   * continues.
   */
  async function next(client: number): Promise<IterationStart | undefined> {
    while (await waitUntilActive(client)) {
      const start = await loop.next(client);
      if (start === undefined || untilActiveMs(client) <= 0) return start;
    }
    return undefined;
  }

  return { next };
}
