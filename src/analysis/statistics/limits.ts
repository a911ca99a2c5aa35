// Separate from the tests that use them: a browser cannot load the modules that the tests need.

import type { ResultDocument } from "../../results/result-schema.js";

export { BLOCKS_MIN } from "../../metrics/blocks-min.js";

export const SIGNIFICANCE_LEVEL = 0.05;

/** Factor of 1 within which a ratio must surely lie for its two sides to be called indistinguishable. */
export const EQUIVALENCE_RATIO = 1.05;

export interface ClaimBounds {
  /** Error rate at which intervals and tests claim, 0 .. 0.05: below 0.05 if the trials were looked at before. */
  readonly level: number;
  /** Factor of 1 within which a ratio counts as no difference. */
  readonly equivalence: number;
}

export const PLAIN_BOUNDS: ClaimBounds = { level: SIGNIFICANCE_LEVEL, equivalence: EQUIVALENCE_RATIO };

export function boundsOf({ stopping }: Pick<ResultDocument, "stopping">): ClaimBounds {
  return stopping ? { level: stopping.level, equivalence: 1 + stopping.within } : PLAIN_BOUNDS;
}

/** Share of single blocks whose ratio must lie within `nearFactor` of 1 for two sides to be called the same. */
export const NEAR_BLOCK_SHARE_MIN = 0.9;

/** Largest share of trials that may be of a kind that none of `trials` trials showed, with 95 % confidence. */
export function largestUnseenShare(trials: number): number {
  return 1 - SIGNIFICANCE_LEVEL ** (1 / trials);
}

/** Factor twice as far from 1 as `equivalence`: 1.05 gives 1.1. */
export function nearFactor(equivalence: number): number {
  return 1 + 2 * (equivalence - 1);
}

export const DEFAULT_NEAR_FACTOR = nearFactor(EQUIVALENCE_RATIO);

/** Factor from its treatment's median beyond which a trial counts as outlying, not as noise. */
export const OUTLYING_FACTOR = 2;
