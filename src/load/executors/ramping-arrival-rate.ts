// `ramping-arrival-rate`: the arrival rate goes in straight lines from target to target and stays at the last one.
import type { OpenLoopPlan } from "../arrivals.js";
import { RateCurve, type Stage } from "../rate-curve.js";
import { defineExecutor, OPEN_LOOP_DESCRIPTION } from "./executor.js";
import {
  arrivalFindings,
  arrivalKeys,
  openLoop,
  perSecond,
  rateWords,
  resolveArrivals,
} from "./open-loop.js";
import { resolveStages, stageFindings, stageWords } from "./stages.js";

interface Plan extends OpenLoopPlan {
  readonly executor: "ramping-arrival-rate";
  readonly startRatePerSecond: number;
  /** Targets are rates per second. */
  readonly stages: readonly Stage[];
}

export const rampingArrivalRate = defineExecutor({
  name: "ramping-arrival-rate",
  description: OPEN_LOOP_DESCRIPTION,
  isOpenLoop: true,
  keys: (vocabulary) => ({
    startRate: vocabulary.startRate,
    stages: vocabulary.stages,
    ...arrivalKeys(vocabulary),
  }),
  resolve: (given, surroundings): Plan & { readonly clients: number } => ({
    executor: "ramping-arrival-rate",
    startRatePerSecond: perSecond(given.startRate, given),
    stages: resolveStages(given.stages, (target) => perSecond(target, given)),
    ...resolveArrivals(given, surroundings),
  }),
  rules: (given, { executor, startRatePerSecond, stages }, surroundings) => [
    ...arrivalFindings(executor, given, surroundings),
    ...stageFindings(startRatePerSecond, stages, surroundings.windowMs),
  ],
  words: ({ startRatePerSecond, stages, distribution }) =>
    ` from ${rateWords(startRatePerSecond)}${stageWords(stages, "/s")}, ${distribution}`,
  warmUp: ({ startRatePerSecond, ...plan }: Plan) => ({
    ...plan,
    executor: "constant-arrival-rate",
    ratePerSecond: startRatePerSecond,
  }),
  pacer: (context, plan) => openLoop(context, new RateCurve(plan.startRatePerSecond, plan.stages), plan),
});
