/**
 * Fewest trials of each treatment, one in each block, with which a comparison can be conclusive; so it is a scenario's
 * default.
 */
export const BLOCKS_MIN = 5;
