// Apart from the tests that use these limits: charts draw some of them, and a browser cannot load what the tests need.

import type { ResultDocument } from "../../results/result-schema.js";

export { BLOCKS_MIN } from "../../metrics/blocks-min.js";

export const SIGNIFICANCE = 0.05;

/** What is surely within this factor of 1 is called indistinguishable. */
export const EQUIVALENCE = 1.05;

/** What the claims of an experiment are held to. */
export interface ClaimBounds {
  /** At which intervals and tests claim, 0 .. 0.05: less than 5 % where the trials were looked at before. */
  readonly level: number;
  /** The factor within which two sides are the same. */
  readonly equivalence: number;
}

export const PLAIN_BOUNDS: ClaimBounds = { level: SIGNIFICANCE, equivalence: EQUIVALENCE };

/** Those of a stored result. */
export function boundsOf({ stopping }: Pick<ResultDocument, "stopping">): ClaimBounds {
  return stopping ? { level: stopping.level, equivalence: 1 + stopping.within } : PLAIN_BOUNDS;
}

/** How near to 1 single blocks have to be for that: this share of them within the factor that `nearOf` gives. */
export const NEAR_SHARE = 0.9;

/** Share of trials that may be of a kind of which none was seen in `trials`, with 95 % confidence. */
export function mostUnseen(trials: number): number {
  return 1 - SIGNIFICANCE ** (1 / trials);
}

/** Twice as far from 1 as an equivalence. */
export function nearOf(equivalence: number): number {
  return 1 + 2 * (equivalence - 1);
}

export const NEAR = nearOf(EQUIVALENCE);

/** A trial beyond this factor of its treatment's median is no noise. */
export const OUTLYING = 2;
