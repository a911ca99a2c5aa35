// Searches for capacity on simulated servers whose capacity is known, with the program's own search: each probe of a
// server has a knee of its own, and a share of the probes is spoilt, by a stall that makes it fail or by luck that makes
// it hold. The first probe of a search meets a cold server and fails. Seeded, and without any clock.
import { capacityInterval, type RateOutcome } from "../../src/engine/capacity/capacity-interval.js";
import { searchCapacity } from "../../src/engine/capacity/capacity-search.js";
import { CAPACITY_PRECISION } from "../../src/results/capacity-schema.js";
import { deriveSeed, Prng } from "../../src/foundation/prng.js";

export interface SimulatedSearches {
  readonly searches: number;
  /** Of all probes, those that a stall makes fail or luck makes hold, from 0 to 1. */
  readonly spoiltShare: number;
  /** Of the spoilt ones those that hold, from 0 to 1. */
  readonly luckShare: number;
  /** Standard deviation of a probe's capacity, as a ratio less 1. */
  readonly noise: number;
  readonly confirmations: number;
}

/** Shares of all searches, from 0 to 1, and how many probes they took: median and most. */
export interface SearchQuality {
  readonly belowHalf: number;
  /** Above the true capacity by more than 10 %. */
  readonly above: number;
  /** Below it by more than 10 %. */
  readonly below: number;
  /** With the true capacity in the interval. */
  readonly covered: number;
  /** Median of what the results claim. */
  readonly resolution: number;
  readonly probes: number;
  readonly probesMost: number;
}

/** Servers carry 20 to 20 000 a second. */
const CAPACITY = { least: 20, factor: 1000 };
const LIMITS = { leastRatePerSecond: 1, mostRatePerSecond: 100_000, precision: CAPACITY_PRECISION };

function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());
}

interface OneSearch {
  /** Of what was found to what is true; 0 where nothing was found. */
  readonly ratio: number;
  readonly isCovered: boolean;
  readonly resolution: number;
  readonly probes: number;
}

async function searchOne(
  seed: number,
  { spoiltShare, luckShare, noise, confirmations }: SimulatedSearches,
): Promise<OneSearch> {
  const prng = new Prng(seed);
  const capacity = CAPACITY.least * CAPACITY.factor ** prng.float();
  const outcomes: RateOutcome[] = [];
  const { ratePerSecond: rate, failsAtPerSecond } = await searchCapacity(
    (ratePerSecond, { discarded }) => {
      const spoilt = prng.float() / spoiltShare;
      const own = ratePerSecond <= capacity * Math.exp(noise * normal(prng));
      const held = discarded !== true && (spoilt < 1 ? spoilt < luckShare : own);
      outcomes.push({ ratePerSecond, held });
      return Promise.resolve(held);
    },
    { startRatePerSecond: 50, confirmations, ...LIMITS },
  );
  const probes = outcomes.length;
  if (rate === null) return { ratio: 0, isCovered: false, resolution: Number.POSITIVE_INFINITY, probes };
  const { ciLow, ciHigh, resolution } = capacityInterval(outcomes.slice(1), rate, failsAtPerSecond);
  return {
    ratio: rate / capacity,
    isCovered: (ciLow ?? 0) <= capacity && capacity <= (ciHigh ?? Number.POSITIVE_INFINITY),
    resolution: resolution ?? Number.POSITIVE_INFINITY,
    probes,
  };
}

function medianAndMost(values: readonly number[]): [median: number, most: number] {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0];
}

/** The same seed gives the same searches. */
export async function simulateSearches(seed: number, simulated: SimulatedSearches): Promise<SearchQuality> {
  const all: OneSearch[] = [];
  for (let i = 0; i < simulated.searches; i++)
    all.push(await searchOne(deriveSeed(seed, "search", i), simulated));
  const share = (is: (one: OneSearch) => boolean): number => all.filter(is).length / all.length;
  const [probes, probesMost] = medianAndMost(all.map((one) => one.probes));
  return {
    belowHalf: share(({ ratio }) => ratio < 0.5),
    below: share(({ ratio }) => ratio < 0.9),
    above: share(({ ratio }) => ratio > 1.1),
    covered: share(({ isCovered }) => isCovered),
    resolution: medianAndMost(all.map((one) => one.resolution))[0],
    ...{ probes, probesMost },
  };
}
