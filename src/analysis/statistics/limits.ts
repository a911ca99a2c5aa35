// Separate from the tests that use them: a browser cannot load the modules that the tests need.

import type { ResultDocument } from "../../results/result-schema.js";

export { BLOCKS_MIN } from "../../metrics/blocks-min.js";

export const SIGNIFICANCE = 0.05;

/** Ratios that are surely within this factor of 1 are called indistinguishable. */
export const EQUIVALENCE = 1.05;

export interface ClaimBounds {
  /** Level at which intervals and tests claim, 0 .. 0.05: less than 5 % if the trials were looked at before. */
  readonly level: number;
  /** The factor within which two sides are the same. */
  readonly equivalence: number;
}

export const PLAIN_BOUNDS: ClaimBounds = { level: SIGNIFICANCE, equivalence: EQUIVALENCE };

export function boundsOf({ stopping }: Pick<ResultDocument, "stopping">): ClaimBounds {
  return stopping ? { level: stopping.level, equivalence: 1 + stopping.within } : PLAIN_BOUNDS;
}

/** Share of single blocks that must lie within the factor `nearOf` for two sides to be the same. */
export const NEAR_SHARE = 0.9;

/** Share of trials that may be of a kind that none of `trials` trials showed, with 95 % confidence. */
export function largestUnseenShare(trials: number): number {
  return 1 - SIGNIFICANCE ** (1 / trials);
}

/** Factor twice as far from 1 as an equivalence. */
export function nearFactor(equivalence: number): number {
  return 1 + 2 * (equivalence - 1);
}

export const NEAR = nearFactor(EQUIVALENCE);

/** A trial beyond this factor of its treatment's median is no noise. */
export const OUTLYING = 2;
