// `ramping-arrival-rate`: the rate at which iterations start goes in straight lines from target to target, and stays
// at the last one. In all else it is an open loop like `constant-arrival-rate`.
import type { Pacer, PacingContext } from "../pacer.js";
import { RateCurve, type Stage } from "../rate-curve.js";
import { openLoop, type OpenLoopPlan } from "./open-loop.js";

export interface RampingArrivalRatePlan extends OpenLoopPlan {
  readonly executor: "ramping-arrival-rate";
  /** Rates are per second and of the group, over all its workers. */
  readonly startRatePerSecond: number;
  /** Targets are rates per second. */
  readonly stages: readonly Stage[];
}

export function rampingArrivalRate(context: PacingContext, plan: RampingArrivalRatePlan): Pacer {
  return openLoop(context, new RateCurve(plan.startRatePerSecond, plan.stages), plan);
}
