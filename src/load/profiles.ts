// The traffic profiles that scenarios can name: how busy each hour of a simulated day is, and how large its batches
// are. A profile says nothing of absolute rates or of how long the day takes; the load that uses it does.
import { dayPartAt } from "./executors/daily-arrival-rate.js";
import { BATCH_SIZES, type BatchSizeName, type Profile, type ProfileHours } from "./load-settings.js";

/** A hundredth of the reference's sizes (10 000, 100 000 and 500 000 rows), which any machine carries. */
export const DEFAULT_SIZES: Readonly<Record<BatchSizeName, number>> = {
  small: 100,
  medium: 1000,
  large: 5000,
};

const NIGHT = { rateFactor: 0.2, mix: { small: 1, medium: 0, large: 0 } };
const RUSH_HOUR = { rateFactor: 1, mix: { small: 0, medium: 0.7, large: 0.3 } };
const BUSINESS = { rateFactor: 0.6, mix: { small: 0.15, medium: 0.85, large: 0 } };
const EVENING = { rateFactor: 0.4, mix: { small: 0.6, medium: 0.4, large: 0 } };

/** A railway's working day: two rush hours, business in between, a quiet night. */
const STREAMING_DAY: readonly ProfileHours[] = [
  { fromHour: 0, toHour: 7, ...NIGHT },
  { fromHour: 7, toHour: 8, ...RUSH_HOUR },
  { fromHour: 8, toHour: 17, ...BUSINESS },
  { fromHour: 17, toHour: 18, ...RUSH_HOUR },
  { fromHour: 18, toHour: 22, ...EVENING },
  { fromHour: 22, toHour: 24, ...NIGHT },
];

export const PROFILES = { "streaming-day": STREAMING_DAY } as const;
export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as [ProfileName, ...ProfileName[]];

/** The size that a batch has at a moment of the day; `roll` is uniform over [0, 1). */
export function batchSizeAt(profile: Profile, offsetMs: number, roll: number): BatchSizeName {
  const mix = dayPartAt(profile, offsetMs)?.mix;
  let left = roll;
  for (const name of BATCH_SIZES) {
    left -= mix?.[name] ?? 0;
    if (left < 0) return name;
  }
  // Chances that add up to a hair less than 1: what is left is the last size that has any.
  return BATCH_SIZES.findLast((name) => (mix?.[name] ?? 0) > 0) ?? "small";
}
