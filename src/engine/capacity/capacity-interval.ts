// The interval of a capacity: every capacity that the probes do not contradict, and both ends of a possible drift.
// bench/capacity-searches.mjs shows how often it holds the true capacity.
import { CAPACITY_PRECISION, type Capacity } from "../../results/capacity-schema.js";
import { capacityDrift, DRIFT_GAIN_MIN } from "./capacity-drift.js";
import { KNEE_WIDTHS, capacityLikelihoods, type RateOutcome } from "./capacity-likelihood.js";

/**
 * Drop in log likelihood that bounds the interval: twice the drop of a 95 % interval, because here each rate was chosen by
 * the results of earlier probes.
 */
const LOG_LIKELIHOOD_DROP = 3.84;
/** Step between candidate capacities, as a logarithm. */
const LN_CAPACITY_STEP = 0.01;
/** How far beyond the probed rates the capacity is searched, as a logarithm. */
const LN_RATE_MARGIN = Math.LN2;

/** The likely range of the capacity, in rates; an end is null if the probes leave it open. */
function likelyRange(probes: readonly RateOutcome[]): [low: number | null, high: number | null] {
  const lnRates = probes.map(({ ratePerSecond }) => Math.log(ratePerSecond));
  const first = Math.min(...lnRates) - LN_RATE_MARGIN;
  const last = Math.max(...lnRates) + LN_RATE_MARGIN;
  const grid = { first, step: LN_CAPACITY_STEP, count: Math.ceil((last - first) / LN_CAPACITY_STEP) + 1 };
  const profile = new Float64Array(grid.count);
  for (const width of KNEE_WIDTHS)
    for (const [i, each] of capacityLikelihoods(probes, grid, { width, drift: 0, middle: 0 }).entries())
      profile[i] = Math.max(profile[i] as number, each);
  const least = Math.max(...profile) * Math.exp(-LOG_LIKELIHOOD_DROP);
  const low = profile.findIndex((each) => each >= least);
  const high = profile.findLastIndex((each) => each >= least);
  const at = (i: number): number | null =>
    i <= 0 || i >= profile.length - 1 ? null : Math.exp(first + i * LN_CAPACITY_STEP);
  return [at(low), at(high)];
}

export type CapacityInterval = Required<Pick<Capacity, "ciLow" | "ciHigh" | "resolution">>;

/**
 * The interval of the capacity. `ratePerSecond` is the rate that held; `failsAtPerSecond` is null if no higher rate failed.
 */
export function capacityInterval(
  probes: readonly RateOutcome[],
  ratePerSecond: number,
  failsAtPerSecond: number | null,
): CapacityInterval {
  const [low, high] = likelyRange(probes);
  const driftEndRates = Object.values(capacityDrift(probes, DRIFT_GAIN_MIN.possible) ?? {});
  const ciLow = low === null ? null : Math.min(low, ratePerSecond, ...driftEndRates);
  const ciHigh =
    high === null || failsAtPerSecond === null ? null : Math.max(high, failsAtPerSecond, ...driftEndRates);
  const width = ciLow === null || ciHigh === null ? null : ciHigh / ciLow - 1;
  return { ciLow, ciHigh, resolution: width === null ? null : Math.max(CAPACITY_PRECISION, width) };
}
