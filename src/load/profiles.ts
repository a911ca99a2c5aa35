// Shapes of a simulated day: how busy each hour is and how large its batches are, without absolute rates.
import * as z from "zod";
import type { Path } from "../syntax/paths.js";
import type { Finding } from "../syntax/problems.js";
import { duration, HOUR_MS } from "../syntax/scalars.js";

const HOURS_A_DAY = 24;
const WEEK_MS = 7 * 24 * HOUR_MS;
const MAX_BATCH_ROWS = 1_000_000;

export const BATCH_SIZES = ["small", "medium", "large"] as const;
export type BatchSizeName = (typeof BATCH_SIZES)[number];

/** A part of a day, in hours. All parts of a day cover it without a gap. */
export interface DayPart {
  /** Start hour (0 .. 23) and end hour (1 .. 24). */
  readonly fromHour: number;
  readonly toHour: number;
  readonly rateFactor: number;
}

interface ProfileHours extends DayPart {
  /** Chance of each batch size; the chances add up to 1. */
  readonly mix: Readonly<Record<BatchSizeName, number>>;
}

export interface Profile {
  readonly name: string;
  readonly dayMs: number;
  /** Parts of the day, sorted; together they cover the day. */
  readonly hours: readonly ProfileHours[];
  readonly sizes: Readonly<Record<BatchSizeName, number>>;
}

/**
 * Numbers of rows by batch size: a hundredth of the reference's 10 000, 100 000 and 500 000, so that any machine can insert
 * them.
 */
export const DEFAULT_SIZES: Readonly<Record<BatchSizeName, number>> = {
  small: 100,
  medium: 1000,
  large: 5000,
};

const NIGHT_LOAD = { rateFactor: 0.2, mix: { small: 1, medium: 0, large: 0 } };
const RUSH_HOUR_LOAD = { rateFactor: 1, mix: { small: 0, medium: 0.7, large: 0.3 } };
const BUSINESS_LOAD = { rateFactor: 0.6, mix: { small: 0.15, medium: 0.85, large: 0 } };
const EVENING_LOAD = { rateFactor: 0.4, mix: { small: 0.6, medium: 0.4, large: 0 } };

/** A railway's working day: two rush hours, business in between, a quiet night. */
const STREAMING_DAY: readonly ProfileHours[] = [
  { fromHour: 0, toHour: 7, ...NIGHT_LOAD },
  { fromHour: 7, toHour: 8, ...RUSH_HOUR_LOAD },
  { fromHour: 8, toHour: 17, ...BUSINESS_LOAD },
  { fromHour: 17, toHour: 18, ...RUSH_HOUR_LOAD },
  { fromHour: 18, toHour: 22, ...EVENING_LOAD },
  { fromHour: 22, toHour: 24, ...NIGHT_LOAD },
];

/** Calls of a telephone network. Hours that the source leaves out repeat the hour before; the last hour is night. */
const STREAMING_INSERT: readonly ProfileHours[] = [
  { fromHour: 0, toHour: 7, ...NIGHT_LOAD },
  { fromHour: 7, toHour: 9, ...RUSH_HOUR_LOAD },
  { fromHour: 9, toHour: 17, ...BUSINESS_LOAD },
  { fromHour: 17, toHour: 19, ...RUSH_HOUR_LOAD },
  { fromHour: 19, toHour: 23, ...EVENING_LOAD },
  { fromHour: 23, toHour: 24, ...NIGHT_LOAD },
];

export const PROFILES = { "streaming-day": STREAMING_DAY, "streaming-insert": STREAMING_INSERT } as const;
const PROFILE_NAMES = Object.keys(PROFILES) as [keyof typeof PROFILES, ...(keyof typeof PROFILES)[]];

const size = (name: BatchSizeName) =>
  z
    .int()
    .min(1)
    .max(MAX_BATCH_ROWS)
    .default(DEFAULT_SIZES[name])
    .meta({ description: `Events of a ${name} batch. Default ${DEFAULT_SIZES[name]}.` });

const share = z
  .number()
  .min(0)
  .max(1)
  .default(0)
  .meta({ description: "Chance of this size, 0 to 1; the three add up to 1. Default 0." });

const HoursMapping = z.strictObject({
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
    .array(HoursMapping)
    .min(1)
    .max(24)
    .optional()
    .meta({ description: "Your own profile: parts of the day, in order, from 0 to 24 without a gap." }),
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

export const ProfileKey = z
  .union([z.enum(PROFILE_NAMES), ProfileMapping])
  .meta({ description: "Rate and batch sizes by hour of a simulated day. Default streaming-day." });

export function resolveProfile(
  profileInput: z.output<typeof ProfileKey> = "streaming-day",
  windowMs: number,
): Profile {
  const mapping: Partial<z.output<typeof ProfileMapping>> =
    typeof profileInput === "string" ? { name: profileInput } : profileInput;
  const { name, hours, sizes = DEFAULT_SIZES, compressTo = windowMs } = mapping;
  return {
    name: name ?? (hours ? "custom" : "streaming-day"),
    dayMs: compressTo,
    sizes,
    hours:
      hours?.map(({ from, to, rate, mix }) => ({ fromHour: from, toHour: to, rateFactor: rate, mix })) ??
      PROFILES[name ?? "streaming-day"],
  };
}

/** Problems of a day's profile: gaps between hours, or no traffic at all. `path` leads to its hours. */
export function hoursFindings({ hours }: Profile, path: Path): Finding[] {
  const findings: Finding[] = [];
  let coveredUntilHour = 0;
  for (const [i, { fromHour, toHour, mix }] of hours.entries()) {
    if (fromHour !== coveredUntilHour) {
      const message = `the day goes on at ${coveredUntilHour}, so from must be ${coveredUntilHour}`;
      findings.push({ path: [...path, i, "from"], message });
    }
    if (toHour <= fromHour)
      findings.push({ path: [...path, i, "to"], message: `must be later than from (${fromHour})` });
    const sum = mix.small + mix.medium + mix.large;
    if (Math.abs(sum - 1) > 1e-9) {
      const message = `must add up to 1 (it is ${Number(sum.toFixed(6))})`;
      findings.push({ path: [...path, i, "mix"], message });
    }
    coveredUntilHour = toHour;
  }
  if (coveredUntilHour !== HOURS_A_DAY)
    findings.push({ path, message: `the day ends at 24, not at ${coveredUntilHour}` });
  if (hours.every(({ rateFactor }) => rateFactor === 0))
    findings.push({ path, message: "the rate is 0 all day: no client would do anything" });
  return findings;
}

/** Length in ms of a part of the day, if the day lasts `dayMs`. */
export function partMs({ fromHour, toHour }: DayPart, dayMs: number): number {
  return ((toHour - fromHour) / HOURS_A_DAY) * dayMs;
}

/** The part of the day at `offsetMs` after the day began. */
export function dayPartAt<T extends DayPart>(
  profile: { readonly dayMs: number; readonly hours: readonly T[] },
  offsetMs: number,
): T | undefined {
  const hour = ((offsetMs % profile.dayMs) / profile.dayMs) * HOURS_A_DAY;
  return profile.hours.find(({ toHour }) => hour < toHour) ?? profile.hours.at(-1);
}

export function batchSizeAt(profile: Profile, offsetMs: number, roll: number): BatchSizeName {
  const mix = dayPartAt(profile, offsetMs)?.mix;
  let remainingRoll = roll;
  for (const name of BATCH_SIZES) {
    remainingRoll -= mix?.[name] ?? 0;
    if (remainingRoll < 0) return name;
  }
  // Rounding may leave the sum of chances just below 1; then the last size with a chance is taken.
  return BATCH_SIZES.findLast((name) => (mix?.[name] ?? 0) > 0) ?? "small";
}
