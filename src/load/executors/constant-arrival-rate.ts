// `constant-arrival-rate`: iterations start at a fixed rate, however long they take.
// What cannot keep up shows as start delay and as dropped arrivals, never as a lower rate.
import type { Pacer, PacingContext } from "../pacer.js";
import { RateCurve } from "../rate-curve.js";
import { openLoop, type OpenLoopPlan } from "./open-loop.js";

export interface ConstantArrivalRatePlan extends OpenLoopPlan {
  readonly executor: "constant-arrival-rate";
  /** Of the group, over all its workers. */
  readonly ratePerSecond: number;
}

export function constantArrivalRate(context: PacingContext, plan: ConstantArrivalRatePlan): Pacer {
  return openLoop(context, new RateCurve(plan.ratePerSecond, []), plan);
}
