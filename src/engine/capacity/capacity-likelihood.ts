// The likelihood of a capacity, given which probes held. A probe below the capacity holds the more surely the farther
// below it its rate is, over a knee whose width the probes themselves show; one probe in twenty goes either way. Pure.
import type { CapacityProbe } from "../../results/capacity-schema.js";

/** Share of probes that fail below the capacity, and share of probes that hold above it, for unrelated reasons. */
const SPOILT = 0.05;
/** Widths of the knee, as ratios less 1. */
export const KNEE_WIDTHS = [0.002, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32];

export interface RateOutcome extends Pick<CapacityProbe, "ratePerSecond" | "held"> {
  /** Number of probes before it in its search. */
  readonly position: number;
}

export interface CapacityModel {
  /** Natural logarithm of the capacity at position 0. */
  readonly logCapacity: number;
  readonly width: number;
  /** Change of the logarithm from one position to the next. */
  readonly drift: number;
}

export function logLikelihood(
  probes: readonly RateOutcome[],
  { logCapacity, width, drift }: CapacityModel,
): number {
  let likelihood = 1;
  for (const { ratePerSecond, held, position } of probes) {
    const above = Math.log(ratePerSecond) - logCapacity - drift * position;
    const holds = SPOILT + (1 - 2 * SPOILT) / (1 + Math.exp(above / width));
    likelihood *= held ? holds : 1 - holds;
  }
  return Math.log(likelihood);
}
