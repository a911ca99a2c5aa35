// `constant-arrival-rate`: iterations start at a fixed rate. An overloaded server shows as start delay and dropped arrivals.
import type { ConstantRatePlan } from "../arrivals.js";
import { RateCurve } from "../rate-curve.js";
import { defineExecutor, OPEN_LOOP_DESCRIPTION } from "./executor.js";
import {
  arrivalFindings,
  arrivalKeys,
  openLoop,
  perSecond,
  rateWords,
  resolveArrivals,
} from "./open-loop.js";

export const constantArrivalRate = defineExecutor({
  name: "constant-arrival-rate",
  description: OPEN_LOOP_DESCRIPTION,
  isOpenLoop: true,
  keys: (vocabulary) => ({ rate: vocabulary.rate, ...arrivalKeys(vocabulary) }),
  resolve: (given, surroundings): ConstantRatePlan & { readonly clients: number } => ({
    executor: "constant-arrival-rate",
    ratePerSecond: perSecond(given.rate, given),
    ...resolveArrivals(given, surroundings),
  }),
  rules: (given, { executor }, surroundings) => arrivalFindings(executor, given, surroundings),
  words: ({ ratePerSecond, distribution }) => ` ${rateWords(ratePerSecond)}, ${distribution}`,
  warmUp: (plan: ConstantRatePlan) => plan,
  pacer: (context, plan) => openLoop(context, new RateCurve(plan.ratePerSecond, []), plan),
});
