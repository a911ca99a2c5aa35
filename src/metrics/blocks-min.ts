/**
 * Minimum number of trials of each treatment (one per block) for a conclusive comparison; the default number of trials.
 */
export const BLOCKS_MIN = 5;
