// The interval of a capacity, from all probes that count: which capacities they do not contradict. A probe at a rate
// below the capacity holds the more surely the farther below it is, over a knee whose width the probes themselves show;
// one in twenty may go either way for another reason. The interval holds every capacity whose likelihood, with the knee
// that suits it best, is near that of the best one, and the bracket that the search ended with. How often it holds the
// true one is what bench/capacity-searches.mjs shows. Pure.
import { CAPACITY_PRECISION, type Capacity, type CapacityProbe } from "../../results/capacity-schema.js";

/** Share of probes that fail below the capacity, and of those that hold above it, for reasons of their own. */
const SPOILT = 0.05;
/** Widths of the knee, as ratios less 1. */
const WIDTHS = [0.002, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32];
/**
 * Twice what holds the truth in 95 % where rates are chosen beforehand, which is half that point of chi-squared: here
 * each rate was chosen by what the probes before it showed.
 */
const LOG_LIKELIHOOD_DROP = 3.84;
/** Between the capacities that are looked at, as a logarithm. */
const STEP = 0.01;
/** How far beyond the probed rates a capacity is looked for, as a logarithm. */
const BEYOND = Math.LN2;

export type RateOutcome = Pick<CapacityProbe, "ratePerSecond" | "held">;

interface RateCounts {
  readonly logRate: number;
  held: number;
  failed: number;
}

function countsByRate(probes: readonly RateOutcome[]): RateCounts[] {
  const counts = new Map<number, RateCounts>();
  for (const { ratePerSecond, held } of probes) {
    const own = counts.get(ratePerSecond) ?? { logRate: Math.log(ratePerSecond), held: 0, failed: 0 };
    counts.set(ratePerSecond, own);
    own[held ? "held" : "failed"]++;
  }
  return [...counts.values()];
}

function logLikelihood(logCapacity: number, width: number, rates: readonly RateCounts[]): number {
  return rates.reduce((sum, { logRate, held, failed }) => {
    const holds = SPOILT + (1 - 2 * SPOILT) / (1 + Math.exp((logRate - logCapacity) / width));
    return sum + held * Math.log(holds) + failed * Math.log(1 - holds);
  }, 0);
}

/** Ends in rates, null where the probes leave one open. */
function likelyRange(probes: readonly RateOutcome[]): [low: number | null, high: number | null] {
  const rates = countsByRate(probes);
  const first = Math.min(...rates.map(({ logRate }) => logRate)) - BEYOND;
  const last = Math.max(...rates.map(({ logRate }) => logRate)) + BEYOND;
  const profile = Array.from({ length: Math.ceil((last - first) / STEP) + 1 }, (_, i) =>
    Math.max(...WIDTHS.map((width) => logLikelihood(first + i * STEP, width, rates))),
  );
  const least = Math.max(...profile) - LOG_LIKELIHOOD_DROP;
  const low = profile.findIndex((each) => each >= least);
  const high = profile.findLastIndex((each) => each >= least);
  const at = (i: number): number | null =>
    i <= 0 || i >= profile.length - 1 ? null : Math.exp(first + i * STEP);
  return [at(low), at(high)];
}

export type CapacityInterval = Required<Pick<Capacity, "ciLow" | "ciHigh" | "resolution">>;

/** `ratePerSecond` was found to hold; `failsAtPerSecond` is null where nothing failed above it. */
export function capacityInterval(
  probes: readonly RateOutcome[],
  ratePerSecond: number,
  failsAtPerSecond: number | null,
): CapacityInterval {
  const [low, high] = likelyRange(probes);
  const ciLow = low === null ? null : Math.min(low, ratePerSecond);
  const ciHigh = high === null || failsAtPerSecond === null ? null : Math.max(high, failsAtPerSecond);
  const width = ciLow === null || ciHigh === null ? null : ciHigh / ciLow - 1;
  return { ciLow, ciHigh, resolution: width === null ? null : Math.max(CAPACITY_PRECISION, width) };
}
