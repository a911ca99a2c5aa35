// From how much on something is concluded, once. Here and not beside the tests that use it, because a chart draws some of it
// too, and a browser cannot load what they need.

export { BLOCKS_MIN } from "../../metrics/blocks-min.js";

export const SIGNIFICANCE = 0.05;

/** What is surely within this factor of 1 is called indistinguishable. */
export const EQUIVALENCE = 1.05;

/** How near to 1 single blocks have to be for that: this share of them within this factor. */
export const NEAR = 1.1;
export const NEAR_SHARE = 0.9;

/** A block, or a trial beside the others of its treatment, beyond this factor is no noise. */
export const OUTLYING = 2;
