// The open loop that the arrival-rate executors share. A free client takes the next arrival and starts it at its moment, or at
// once if it is overdue. Every arrival starts, or is dropped and counted.
import type * as z from "zod";
import type { Finding } from "../../syntax/problems.js";
import type { Rate } from "../../syntax/scalars.js";
import { ArrivalSchedule, type OpenLoopPlan } from "../arrivals.js";
import type { LoadKeys } from "../keys.js";
import type { Pacer, PacingContext, IterationStart } from "../pacer.js";
import type { RateCurve } from "../rate-curve.js";
import type { LoadContext, RuleContext } from "./executor.js";

export const arrivalKeys = ({ maxClients, timeUnit, distribution, maxWait }: LoadKeys) => ({
  maxClients,
  timeUnit: timeUnit.optional(),
  distribution: distribution.optional(),
  maxWait: maxWait.optional(),
});

type ArrivalMapping = z.output<z.ZodObject<ReturnType<typeof arrivalKeys>>>;

export function resolveArrivals(
  { maxClients, distribution = "poisson", maxWait }: ArrivalMapping,
  { clients, defaultClients }: LoadContext,
): OpenLoopPlan & { readonly clients: number } {
  const waits = maxWait === undefined ? {} : { maxWaitMs: maxWait };
  return { clients: clients ?? maxClients ?? defaultClients, distribution, ...waits };
}

/** The rate per second. A rate without a unit is per `timeUnit` (milliseconds). */
export function perSecond(rate: Rate, { timeUnit = 1000 }: ArrivalMapping): number {
  return typeof rate === "number" ? (rate * 1000) / timeUnit : rate.perSecond;
}

export function arrivalFindings(
  executor: string,
  { maxClients }: ArrivalMapping,
  { clients }: RuleContext,
): Finding[] {
  if ((clients ?? maxClients) !== undefined) return [];
  const message = `executor ${executor} needs maxClients: the most arrivals in progress at the same time`;
  return [{ path: ["load"], message }];
}

/** Text of a rate, such as `20/s`. */
export function rateWords(ratePerSecond: number): string {
  return `${Number(ratePerSecond.toPrecision(4))}/s`;
}

export function openLoop(context: PacingContext, curve: RateCurve, plan: OpenLoopPlan): Pacer {
  return new OpenLoop(context, curve, plan);
}

class OpenLoop implements Pacer {
  private readonly schedule: ArrivalSchedule;
  /**
   * A second copy of the schedule that counts arrivals as they become due, since clients lag behind the schedule or run
   * ahead of it.
   */
  private readonly offered: ArrivalSchedule;
  /** End of the phase: every arrival due before it was counted. Undefined while the phase lasts. */
  private endedAtMs: number | undefined;

  constructor(
    private readonly context: PacingContext,
    curve: RateCurve,
    private readonly plan: OpenLoopPlan,
  ) {
    this.schedule = new ArrivalSchedule(curve, plan.distribution, context, context.roleSeed);
    this.offered = new ArrivalSchedule(curve, plan.distribution, context, context.roleSeed);
  }

  next(): Promise<IterationStart | undefined> {
    this.settle();
    if (this.endedAtMs !== undefined) return Promise.resolve(undefined);
    const { maxWaitMs = Number.POSITIVE_INFINITY } = this.plan;
    this.dropArrivalsBefore(this.context.nowMs() - maxWaitMs);
    if (this.intendedMs(this.schedule) >= this.context.endMs()) return Promise.resolve(undefined);
    const intendedMs = this.intendedMs(this.schedule);
    return Promise.resolve({ intendedMs, arrival: this.schedule.take() });
  }

  mayStart({ intendedMs, arrival }: IterationStart): boolean {
    if (!this.context.isOver()) return true;
    this.settle();
    if (arrival && intendedMs < (this.endedAtMs ?? 0))
      this.context.arrivals.onDrop(arrival, intendedMs, this.context.nowMs());
    return false;
  }

  settle(): void {
    if (this.endedAtMs !== undefined) return;
    const nowMs = this.context.nowMs();
    const untilMs = Math.min(nowMs, this.context.endMs());
    while (this.intendedMs(this.offered) < untilMs) {
      const intendedMs = this.intendedMs(this.offered);
      this.context.arrivals.onOffer(this.offered.take(), intendedMs);
    }
    if (!this.context.isOver() && nowMs < this.context.endMs()) return;
    this.endedAtMs = untilMs;
    this.dropArrivalsBefore(untilMs);
  }

  private dropArrivalsBefore(untilMs: number): void {
    while (this.intendedMs(this.schedule) < untilMs) {
      const intendedMs = this.intendedMs(this.schedule);
      this.context.arrivals.onDrop(this.schedule.take(), intendedMs, this.context.nowMs());
    }
  }

  private intendedMs(schedule: ArrivalSchedule): number {
    return this.context.startMs + schedule.peek().offsetMs;
  }
}
