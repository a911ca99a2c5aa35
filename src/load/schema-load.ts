// The keys of `load` that say when work starts: rates, stages, how arrivals are spaced and how long they wait, and the
// profile of a simulated day. `schema-actors.ts` puts them beside the others; which executor needs or takes which is
// in its table.
import * as z from "zod";
import { ARRIVAL_DISTRIBUTIONS } from "./arrivals.js";
import { DEFAULT_SIZES, PROFILE_NAMES } from "./profiles.js";
import { duration, HOUR_MS } from "../syntax/scalars.js";

const MAX_RATE = 1_000_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const MAX_ROWS = 1_000_000;

const size = (name: keyof typeof DEFAULT_SIZES) =>
  z
    .int()
    .min(1)
    .max(MAX_ROWS)
    .default(DEFAULT_SIZES[name])
    .meta({ description: `Events of a ${name} batch. Default ${DEFAULT_SIZES[name]}.` });

const share = z
  .number()
  .min(0)
  .max(1)
  .default(0)
  .meta({ description: "Chance of this size, 0 to 1; the three add up to 1. Default 0." });

const Hours = z.strictObject({
  from: z.int().min(0).max(23).meta({ description: "From the beginning of this hour, 0 to 23." }),
  to: z.int().min(1).max(24).meta({ description: "To the beginning of this hour, 1 to 24." }),
  rate: z
    .number()
    .min(0)
    .max(1000)
    .meta({ description: "Multiplies the load's rate in these hours: 1 is the rate itself, 0 is silence." }),
  mix: z
    .strictObject({ small: share, medium: share, large: share })
    .meta({ description: "How often batches of each size come." }),
});

const ProfileMapping = z.strictObject({
  name: z
    .enum(PROFILE_NAMES)
    .optional()
    .meta({ description: "A built-in profile; leave it out where hours are given." }),
  hours: z
    .array(Hours)
    .min(1)
    .max(24)
    .optional()
    .meta({ description: "A profile of your own: parts of the day, in order, from 0 to 24 without a gap." }),
  sizes: z
    .strictObject({ small: size("small"), medium: size("medium"), large: size("large") })
    .prefault({})
    .meta({
      description:
        "Events of a batch of each size. Default 100, 1000, 5000; the reference's are 10000, 100000, 500000.",
    }),
  compressTo: duration(
    "How long the simulated day takes. Default: the measurement window.",
    24,
    WEEK_MS,
  ).optional(),
});

const stage = z.strictObject({
  target: z
    .number()
    .min(0)
    .max(MAX_RATE)
    .meta({ description: "Arrivals per timeUnit, or clients, at the end of the stage." }),
  duration: duration("How long it takes to get there, in a straight line; 0 is a jump.", 0, WEEK_MS),
});

const rate = (description: string, least: number) =>
  z.number().min(least).max(MAX_RATE).optional().meta({ description });

export const scheduleKeys = {
  rate: rate("Arrivals per timeUnit of the whole group, however many workers it has.", 0.000001),
  startRate: rate("Arrivals per timeUnit at the start, from which the first stage departs.", 0),
  startClients: z
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .meta({ description: "Clients at work at the start, from which the first stage departs." }),
  timeUnit: duration("What rates are per. Default 1s.", 1, 24 * HOUR_MS).optional(),
  stages: z.array(stage).min(1).max(1000).optional().meta({
    description:
      "Where the rate or the number of clients goes, from the start of the window; it stays at the last target.",
  }),
  distribution: z
    .enum(ARRIVAL_DISTRIBUTIONS)
    .optional()
    .meta({ description: "poisson: as of many independent users; uniform: evenly spaced. Default poisson." }),
  maxWait: duration(
    "An arrival that finds no free client waits for one this long and is then dropped and counted; 0 drops it at once, " +
      "as k6 does. Default: to the end of the window.",
    0,
    WEEK_MS,
  ).optional(),
  profile: z
    .union([z.enum(PROFILE_NAMES), ProfileMapping])
    .optional()
    .meta({ description: "Rate and batch sizes by hour of a simulated day. Default streaming-day." }),
};

export type ProfileMapping = z.output<typeof ProfileMapping>;
