// The likelihood of a capacity, given which probes held. The farther a probe is below it, the more surely it holds, over a knee
// whose width the probes show; one probe in twenty goes either way.
import type { CapacityProbe } from "../../results/capacity-schema.js";

/** Share of probes that fail below the capacity, and share of probes that hold above it, for unrelated reasons. */
const DISTURBED_PROBE_RATIO = 0.05;
/** Candidate widths of the knee, as ratios less 1. */
export const KNEE_WIDTHS = [0.002, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32];

export interface RateOutcome extends Pick<CapacityProbe, "ratePerSecond" | "held"> {
  readonly position: number;
}

/** Candidate capacities: logarithms from `first` on, `step` apart. */
export interface CapacityGrid {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** Natural logarithm of the largest odds that still show in a share of this precision. */
const LOG_ODDS_MAX = 37;

/** The likelihood of each capacity at position `middle`, with that width of the knee and that drift from probe to probe. */
export function capacityLikelihoods(
  probes: readonly RateOutcome[],
  { first, step, count }: CapacityGrid,
  { width, drift, middle }: { readonly width: number; readonly drift: number; readonly middle: number },
): Float64Array {
  const result = new Float64Array(count).fill(1);
  const logOddsStep = step / width;
  for (const { ratePerSecond, held, position } of probes) {
    const [disturbedShare, undisturbedShare] = held
      ? [DISTURBED_PROBE_RATIO, 1 - 2 * DISTURBED_PROBE_RATIO]
      : [1 - DISTURBED_PROBE_RATIO, 2 * DISTURBED_PROBE_RATIO - 1];
    let logOdds = (Math.log(ratePerSecond) - first - drift * (position - middle)) / width;
    let i = 0;
    for (; i < count && logOdds > LOG_ODDS_MAX; i++, logOdds -= logOddsStep)
      result[i] = (result[i] as number) * disturbedShare;
    const factor = Math.exp(-logOddsStep);
    for (let odds = Math.exp(logOdds); i < count; i++, odds *= factor)
      result[i] = (result[i] as number) * (disturbedShare + undisturbedShare / (1 + odds));
  }
  return result;
}
