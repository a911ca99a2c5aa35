// The registry of executors: a new one is a file in `executors/` and a line here.
// Nothing else knows all of them.
import { constantArrivalRate, type ConstantArrivalRatePlan } from "./executors/constant-arrival-rate.js";
import { constantClients } from "./executors/constant-clients.js";
import { dailyArrivalRate, type DailyArrivalRatePlan } from "./executors/daily-arrival-rate.js";
import { perClientIterations } from "./executors/per-client-iterations.js";
import { rampingArrivalRate, type RampingArrivalRatePlan } from "./executors/ramping-arrival-rate.js";
import { rampingClients, type RampingClientsPlan } from "./executors/ramping-clients.js";
import { sharedIterations } from "./executors/shared-iterations.js";
import type { Pacer, PacingContext } from "./pacer.js";

/** Which executor, with what it needs. */
export type PacingPlan =
  | { readonly executor: "constant-clients" }
  | { readonly executor: "shared-iterations"; readonly iterations: number }
  | { readonly executor: "per-client-iterations"; readonly iterations: number }
  | RampingClientsPlan
  | ConstantArrivalRatePlan
  | RampingArrivalRatePlan
  | DailyArrivalRatePlan;

export function createPacer(plan: PacingPlan, context: PacingContext): Pacer {
  switch (plan.executor) {
    case "constant-clients":
      return constantClients(context);
    case "shared-iterations":
      return sharedIterations(context, plan.iterations);
    case "per-client-iterations":
      return perClientIterations(context, plan.iterations);
    case "ramping-clients":
      return rampingClients(context, plan);
    case "constant-arrival-rate":
      return constantArrivalRate(context, plan);
    case "ramping-arrival-rate":
      return rampingArrivalRate(context, plan);
    case "daily-arrival-rate":
      return dailyArrivalRate(context, plan);
  }
}

/** What runs before the window: no budget is used up, and what changes over time stays as it begins. */
export function warmUpPlan(plan: PacingPlan): PacingPlan {
  switch (plan.executor) {
    case "constant-clients":
    case "shared-iterations":
    case "per-client-iterations":
      return { executor: "constant-clients" };
    case "ramping-clients":
      return { ...plan, stages: [] };
    case "constant-arrival-rate":
      return plan;
    case "ramping-arrival-rate":
      return { ...plan, executor: "constant-arrival-rate", ratePerSecond: plan.startRatePerSecond };
    case "daily-arrival-rate": {
      const { rateFactor = 1 } = plan.profile.hours[0] ?? {};
      return { ...plan, executor: "constant-arrival-rate", ratePerSecond: plan.ratePerSecond * rateFactor };
    }
  }
}
