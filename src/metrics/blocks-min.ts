/**
 * Fewest trials of each treatment (one per block) with which a comparison can be conclusive; the default number of trials.
 */
export const BLOCKS_MIN = 5;
