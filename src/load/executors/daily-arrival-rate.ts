// `daily-arrival-rate`: the rate at which iterations start follows the hours of a simulated day, which takes as long
// as one likes and begins again when it is over. The rate jumps from hour to hour; within an hour it is constant.
import type { Pacer, PacingContext } from "../pacer.js";
import { RateCurve, type Stage } from "../rate-curve.js";
import { openLoop, type OpenLoopPlan } from "./open-loop.js";

const HOURS_A_DAY = 24;

/** Some hours of the day, which together with the others cover it without a gap. */
export interface DayPart {
  /** From the beginning of this hour, 0 .. 23, to that of another, 1 .. 24. */
  readonly fromHour: number;
  readonly toHour: number;
  /** Multiplies the plan's rate. */
  readonly rateFactor: number;
}

export interface DailyArrivalRatePlan extends OpenLoopPlan {
  readonly executor: "daily-arrival-rate";
  /** Of the group, over all its workers, in hours whose factor is 1. */
  readonly ratePerSecond: number;
  readonly profile: {
    /** How long the simulated day takes. */
    readonly dayMs: number;
    /** In order. */
    readonly hours: readonly DayPart[];
  };
}

export function dailyArrivalRate(context: PacingContext, plan: DailyArrivalRatePlan): Pacer {
  const { dayMs, hours } = plan.profile;
  const stages = hours.flatMap(({ fromHour, toHour, rateFactor }): Stage[] => {
    const target = plan.ratePerSecond * rateFactor;
    const durationMs = ((toHour - fromHour) / HOURS_A_DAY) * dayMs;
    return [
      { target, durationMs: 0 },
      { target, durationMs },
    ];
  });
  return openLoop(context, new RateCurve(0, stages, true), plan);
}

/** Which of the day's parts it is, `offsetMs` after the day began. */
export function dayPartAt<T extends DayPart>(
  profile: { readonly dayMs: number; readonly hours: readonly T[] },
  offsetMs: number,
): T | undefined {
  const hour = ((offsetMs % profile.dayMs) / profile.dayMs) * HOURS_A_DAY;
  return profile.hours.find(({ toHour }) => hour < toHour) ?? profile.hours.at(-1);
}
