import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Prng } from "../foundation/prng.js";
import { batchSizeAt, BATCH_SIZES, DEFAULT_SIZES, PROFILES, type Profile } from "./profiles.js";

const profile: Profile = {
  name: "streaming-day",
  dayMs: 24_000,
  hours: PROFILES["streaming-day"],
  sizes: DEFAULT_SIZES,
};
const partOf = (hour: number) => profile.hours.find(({ toHour }) => hour < toHour);

describe("the streaming day", () => {
  it("covers every hour of the day once", () => {
    expect(profile.hours.map(({ fromHour }) => fromHour)).toEqual([
      0,
      ...profile.hours.slice(0, -1).map(({ toHour }) => toHour),
    ]);
    expect(profile.hours.at(-1)?.toHour).toBe(24);
  });

  it.each([
    ["night", [23, 0, 3, 6], { small: 1, medium: 0, large: 0 }],
    ["the rush hours", [7, 17], { small: 0, medium: 0.7, large: 0.3 }],
    ["business hours", [8, 12, 16], { small: 0.15, medium: 0.85, large: 0 }],
    ["the evening", [18, 21], { small: 0.6, medium: 0.4, large: 0 }],
  ])("mixes batch sizes for %s", (_, hours, mix) => {
    for (const hour of hours) expect(partOf(hour)?.mix).toEqual(mix);
  });

  it("has its highest rate at 7 and 17 o'clock", () => {
    const busiest = Array.from({ length: 24 }, (_, hour) => hour).filter(
      (hour) => partOf(hour)?.rateFactor === Math.max(...profile.hours.map((each) => each.rateFactor)),
    );
    expect(busiest).toEqual([7, 17]);
  });
});

describe("the size of a batch", () => {
  it("is drawn as often as the hour's mix states", () => {
    const prng = new Prng(11);
    const draws = 20_000;
    for (const { fromHour, mix } of profile.hours) {
      const counts = { small: 0, medium: 0, large: 0 };
      for (let i = 0; i < draws; i++) counts[batchSizeAt(profile, fromHour * 1000 + 10, prng.float())]++;
      for (const name of BATCH_SIZES) {
        const deviation = Math.sqrt(draws * mix[name] * (1 - mix[name]));
        expect(Math.abs(counts[name] - draws * mix[name])).toBeLessThanOrEqual(3.5 * deviation);
      }
    }
  });

  it("is always a size of the hour's mix", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.double({ min: 0, max: 1, noNaN: true }), (offsetMs, roll) => {
        const part = partOf((offsetMs % 24_000) / 1000);
        expect(part?.mix[batchSizeAt(profile, offsetMs, roll)]).toBeGreaterThan(0);
      }),
    );
  });
});
