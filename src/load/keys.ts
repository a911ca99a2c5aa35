import * as z from "zod";
import { duration, durationRange, HOUR_MS, rate } from "../syntax/scalars.js";
import { ARRIVAL_DISTRIBUTIONS } from "./arrivals.js";
import { ProfileKey } from "./profiles.js";

export const MAX_CLIENTS = 100_000;
const MAX_RATE = 1_000_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

export interface LoadDefaults {
  readonly clients: number;
  readonly thinkTimeMs?: number;
}

export function clientCount(description: string) {
  return z.int().min(1).max(MAX_CLIENTS).optional().meta({ description });
}

const stage = z.strictObject({
  target: rate("Arrivals per timeUnit, or clients, at the end of the stage.", 0, MAX_RATE),
  duration: duration("Length of the stage; the value changes linearly; 0 is a jump.", 0, WEEK_MS),
});

export function loadKeys({ clients, thinkTimeMs = 0 }: LoadDefaults) {
  return {
    clients: clientCount(
      `Clients of the role over all its workers; one runs one transaction at a time. Default ${clients}.`,
    ),
    maxClients: clientCount(
      "The clients of an open loop, over all workers: the most arrivals in progress at the same time.",
    ),
    rate: rate("Arrivals per timeUnit of the whole role, however many workers it has.", 0.000001, MAX_RATE),
    startRate: rate("Arrivals per timeUnit at the start, from which the first stage departs.", 0, MAX_RATE),
    startClients: z
      .int()
      .min(0)
      .max(MAX_CLIENTS)
      .meta({ description: "Clients at work at the start, from which the first stage departs." }),
    timeUnit: duration("Time unit of rates. Default 1s.", 1, 24 * HOUR_MS),
    stages: z.array(stage).min(1).max(1000).meta({
      description:
        "Where the rate or the number of clients goes, from the start of the window; it stays at the last target.",
    }),
    distribution: z.enum(ARRIVAL_DISTRIBUTIONS).meta({
      description: "poisson: as of many independent users; uniform: evenly spaced. Default poisson.",
    }),
    maxWait: duration(
      "An arrival that finds no free client waits this long for one, and is then dropped and counted; 0 drops it immediately, like k6. Default: to the end of the window.",
      0,
      WEEK_MS,
    ),
    profile: ProfileKey,
    iterations: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .meta({
        description:
          "Budget of transactions (rounds, for cycle): of the role for shared-iterations, of each client for " +
          "per-client-iterations. Executed exactly.",
      }),
    maxDuration: duration(
      "Most time the budget may take; a trial that has not used it up by then fails. Default 10m.",
      1,
      WEEK_MS,
    ),
    thinkTime: durationRange(
      `Pause of a client between two transactions, outside any: a duration or { min, max }. Default ${thinkTimeMs}ms.`,
    ),
    rampUp: duration("The clients start one by one, evenly over this time. Default 0."),
  };
}

export type LoadKeys = ReturnType<typeof loadKeys>;
