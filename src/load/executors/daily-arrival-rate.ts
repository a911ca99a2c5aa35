// `daily-arrival-rate`: the arrival rate follows the hours of a simulated day and is constant within an hour.
import type { OpenLoopPlan } from "../arrivals.js";
import { formatDuration } from "../../foundation/units.js";
import { hoursFindings, partMs, resolveProfile, type DayPart, type Profile } from "../profiles.js";
import { RateCurve, type Stage } from "../rate-curve.js";
import type { Finding } from "../../syntax/problems.js";
import { defineExecutor } from "./executor.js";
import {
  arrivalFindings,
  arrivalKeys,
  openLoop,
  perSecond,
  rateWords,
  resolveArrivals,
} from "./open-loop.js";

interface Plan extends OpenLoopPlan {
  readonly executor: "daily-arrival-rate";
  /** Rate of the whole role, over all its workers, in hours with factor 1. */
  readonly ratePerSecond: number;
  readonly profile: {
    readonly dayMs: number;
    /** Parts of the day, sorted by hour. */
    readonly hours: readonly DayPart[];
  };
}

interface Settings extends Plan {
  readonly clients: number;
  readonly profile: Profile;
}

export const dailyArrivalRate = defineExecutor({
  name: "daily-arrival-rate",
  description: "at the rates of a simulated day",
  isOpenLoop: true,
  keys: (vocabulary) => ({
    rate: vocabulary.rate,
    profile: vocabulary.profile.optional(),
    ...arrivalKeys(vocabulary),
  }),
  resolve: (given, surroundings): Settings => ({
    executor: "daily-arrival-rate",
    ratePerSecond: perSecond(given.rate, given),
    profile: resolveProfile(given.profile, surroundings.windowMs),
    ...resolveArrivals(given, surroundings),
  }),
  rules(given, { executor, profile }, surroundings) {
    const path = ["load", "profile"];
    const findings: Finding[] = arrivalFindings(executor, given, surroundings);
    if (typeof given.profile === "object" && given.profile.name && given.profile.hours) {
      const message = `${given.profile.name} has its own hours; remove name, or hours`;
      findings.push({ path: [...path, "name"], message, isAboutKey: true });
    }
    if (profile.dayMs > surroundings.windowMs) {
      const message = `a day of ${formatDuration(profile.dayMs)} does not fit into the window (trial.duration) of ${formatDuration(surroundings.windowMs)}`;
      findings.push({ path: [...path, "compressTo"], message });
    }
    return [...findings, ...hoursFindings(profile, [...path, "hours"])];
  },
  words: ({ ratePerSecond, distribution, profile: { name, dayMs } }) =>
    ` ${rateWords(ratePerSecond)}, ${distribution}, ${name} in ${formatDuration(dayMs)}`,
  warmUp: ({ profile, ...plan }: Plan) => ({
    ...plan,
    executor: "constant-arrival-rate",
    ratePerSecond: plan.ratePerSecond * (profile.hours[0]?.rateFactor ?? 1),
  }),
  pacer: (context, plan) => openLoop(context, dayCurve(plan), plan),
});

function dayCurve({ ratePerSecond, profile }: Plan): RateCurve {
  const stages = profile.hours.flatMap((part): Stage[] => {
    const target = ratePerSecond * part.rateFactor;
    return [
      { target, durationMs: 0 },
      { target, durationMs: partMs(part, profile.dayMs) },
    ];
  });
  return new RateCurve(0, stages, true);
}
