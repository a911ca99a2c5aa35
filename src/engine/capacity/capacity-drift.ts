// Whether the capacity changed during its search: a capacity that changes by one share from probe to probe is compared with a
// constant one. bench/capacity-searches.mjs shows how often a drift is found, rightly or wrongly.
import type { CapacityDrift } from "../../results/capacity-schema.js";
import { KNEE_WIDTHS, capacityLikelihoods, type RateOutcome } from "./capacity-likelihood.js";

/** Candidate changes of capacity from probe to probe, as logarithms. */
const TRIED_DRIFTS = [0.0025, 0.005, 0.01, 0.02, 0.04].flatMap((size) => [-size, size]);
/** Range around the highest rate that held in which the capacity is searched, and its steps, as logarithms. */
const CAPACITY_SEARCH_RANGE = { below: 0.8, above: 0.4, step: 0.02 };
const STEPS = Math.ceil(
  (CAPACITY_SEARCH_RANGE.below + CAPACITY_SEARCH_RANGE.above) / CAPACITY_SEARCH_RANGE.step,
);
/**
 * Gains in log likelihood over a constant capacity: `possible` widens the interval by the drift, a reported drift ends the search.
 */
export const DRIFT_GAIN_MIN = { possible: 1, reported: 4 } as const;

interface DriftFit {
  readonly likelihood: number;
  readonly drift: number;
  /** Logarithm of the capacity at the middle of the search. */
  readonly lnCapacity: number;
}

function bestFit(probes: readonly RateOutcome[], middle: number, drifts: readonly number[]): DriftFit {
  const best = Math.log(
    Math.max(...probes.filter(({ held }) => held).map(({ ratePerSecond }) => ratePerSecond)),
  );
  const grid = {
    first: best - CAPACITY_SEARCH_RANGE.below,
    step: CAPACITY_SEARCH_RANGE.step,
    count: STEPS + 1,
  };
  let fit: DriftFit = { likelihood: 0, drift: 0, lnCapacity: best };
  for (const drift of drifts)
    for (const width of KNEE_WIDTHS)
      for (const [i, likelihood] of capacityLikelihoods(probes, grid, { width, drift, middle }).entries())
        if (likelihood > fit.likelihood) fit = { likelihood, drift, lnCapacity: grid.first + i * grid.step };
  return fit;
}

/** The drift whose log likelihood exceeds the one of a constant capacity by `gain`; undefined if none does. */
export function capacityDrift(probes: readonly RateOutcome[], gain: number): CapacityDrift | undefined {
  const [first, last] = [probes[0]?.position, probes.at(-1)?.position];
  if (first === undefined || last === undefined || !probes.some(({ held }) => held)) return undefined;
  const middle = (first + last) / 2;
  const driftFit = bestFit(probes, middle, TRIED_DRIFTS);
  const logLikelihoodGain = Math.log(driftFit.likelihood / bestFit(probes, middle, [0]).likelihood);
  if (logLikelihoodGain <= gain) return undefined;
  const at = (position: number): number =>
    Math.exp(driftFit.lnCapacity + driftFit.drift * (position - middle));
  return { firstPerSecond: at(first), lastPerSecond: at(last) };
}
