// Runs the program's own search for capacity on simulated servers of known capacity. A share of the probes is disturbed: a
// stall makes it fail, or luck makes it hold. The first probe of a search meets a cold server and fails; an overload may
// leave less capacity to the probes after it. It is seeded and has no clock.
import { capacityInterval } from "../../src/engine/capacity/capacity-interval.js";
import type { RateOutcome } from "../../src/engine/capacity/capacity-likelihood.js";
import {
  CapacitySearch,
  counts,
  type ProbeRequest,
  type SearchOptions,
  type SearchResult,
} from "../../src/engine/capacity/capacity-search.js";
import { CAPACITY_PRECISION } from "../../src/results/capacity-schema.js";
import { deriveSeed, Prng } from "../../src/foundation/prng.js";

export interface SimulatedSearches {
  readonly searches: number;
  readonly confirmations: number;
  /** Noise of a probe: the standard deviation of the logarithm of its capacity. */
  readonly noise: number;
  /** Share of its noise that a probe takes over from the previous probe. */
  readonly kept?: number;
  /** Share by which the server's capacity rises from probe to probe. The true capacity is then the mean over the search. */
  readonly drift?: number;
  /** Share of probes whose outcome is wrong: a stall makes a probe fail, or luck makes it hold. */
  readonly disturbedShare?: number;
  /** Share of the wrong outcomes that are lucky. */
  readonly luckShare?: number;
  /**
   * Effect of an overload: the share of its capacity that the next probe lacks, and the share of that lack which is left
   * one probe later.
   */
  readonly afterEffect?: { readonly share: number; readonly left: number };
}

/** Outcomes of simulated searches: shares from 0 to 1, and medians over the searches that found a rate. */
export interface SearchQuality {
  /** Share of searches that report that they found no rate. */
  readonly refused: number;
  /** Share of the searches that found a rate whose interval holds the true capacity. */
  readonly covered: number;
  /** Share of all searches that found a rate with an interval that misses the true capacity. */
  readonly wrong: number;
  readonly belowHalf: number;
  /** Share of searches that end below the true capacity by more than 10 %. */
  readonly below: number;
  /** Share of searches that end above the true capacity by more than 10 %. */
  readonly above: number;
  /** Ratio of the found rate to the true capacity. */
  readonly ratio: number;
  readonly resolution: number;
  readonly probes: number;
  readonly probesMost: number;
}

/** Range of true capacities: 20 to 20 000 per second. */
const CAPACITY = { least: 20, factor: 1000 };
const LIMITS = { leastRatePerSecond: 1, mostRatePerSecond: 100_000, precision: CAPACITY_PRECISION };
/** Largest share of its capacity that a server may lack after several overloads. */
const LACK_MOST = 0.8;

function normal(prng: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());
}

interface OneSearch {
  /** Result of one search; undefined if it found no rate. */
  readonly found?: { readonly ratio: number; readonly isCovered: boolean; readonly resolution: number };
  readonly probes: number;
}

/** Walks through a search. `holds` answers each probe; if it returns undefined, the search stops. */
export function walkSearch(
  options: SearchOptions,
  holds: (probe: ProbeRequest) => boolean | undefined,
): SearchResult {
  const search = new CapacitySearch(options);
  const asking = search.probes();
  for (let asked = asking.next(); !asked.done;) {
    const held = holds(asked.value);
    if (held === undefined) break;
    asked = asking.next(held);
  }
  return search.result;
}

function searchOne(seed: number, simulated: SimulatedSearches): OneSearch {
  const { disturbedShare = 0, luckShare = 0.5, noise, kept = 0, drift = 0, confirmations } = simulated;
  const { share, left } = simulated.afterEffect ?? { share: 0, left: 0 };
  const prng = new Prng(seed);
  const first = CAPACITY.least * CAPACITY.factor ** prng.float();
  const outcomes: RateOutcome[] = [];
  let [probes, lack, value] = [0, 0, normal(prng)];
  const { ratePerSecond: rate, failsAtPerSecond } = walkSearch(
    { startRatePerSecond: 50, confirmations, ...LIMITS },
    (asked) => {
      const disturbance = prng.float() / disturbedShare;
      value = kept * value + Math.sqrt(1 - kept ** 2) * normal(prng);
      const own = first * (1 + drift) ** probes * Math.exp(noise * value);
      const isCarried = asked.ratePerSecond <= own * (1 - lack);
      lack = Math.min(LACK_MOST, lack * left + (isCarried ? 0 : share));
      const held = asked.discarded !== true && (disturbance < 1 ? disturbance < luckShare : isCarried);
      if (counts(asked)) outcomes.push({ ratePerSecond: asked.ratePerSecond, held, position: probes });
      probes++;
      return held;
    },
  );
  if (rate === null) return { probes };
  const { ciLow, ciHigh, resolution } = capacityInterval(outcomes, rate, failsAtPerSecond);
  const middle = outcomes.reduce((sum, { position }) => sum + position, 0) / outcomes.length;
  const capacity = first * (1 + drift) ** middle;
  const isCovered = (ciLow ?? 0) <= capacity && capacity <= (ciHigh ?? Number.POSITIVE_INFINITY);
  const ratio = rate / capacity;
  return { found: { ratio, isCovered, resolution: resolution ?? Number.POSITIVE_INFINITY }, probes };
}

function medianAndMost(values: readonly number[]): [median: number, most: number] {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[sorted.length >> 1] ?? 0, sorted.at(-1) ?? 0];
}

/** Simulates searches. The same seed gives the same searches. */
export function simulateSearches(seed: number, simulated: SimulatedSearches): SearchQuality {
  const all: OneSearch[] = [];
  for (let i = 0; i < simulated.searches; i++) all.push(searchOne(deriveSeed(seed, "search", i), simulated));
  const found = all.flatMap((one) => one.found ?? []);
  const share = (count: number): number => count / all.length;
  const shareOf = (is: (one: (typeof found)[number]) => boolean): number => share(found.filter(is).length);
  const covered = found.filter(({ isCovered }) => isCovered).length;
  const [probes, probesMost] = medianAndMost(all.map((one) => one.probes));
  return {
    refused: share(all.length - found.length),
    covered: found.length === 0 ? 1 : covered / found.length,
    wrong: share(found.length - covered),
    belowHalf: shareOf(({ ratio }) => ratio < 0.5),
    below: shareOf(({ ratio }) => ratio < 0.9),
    above: shareOf(({ ratio }) => ratio > 1.1),
    ratio: medianAndMost(found.map(({ ratio }) => ratio))[0],
    resolution: medianAndMost(found.map(({ resolution }) => resolution))[0],
    ...{ probes, probesMost },
  };
}
