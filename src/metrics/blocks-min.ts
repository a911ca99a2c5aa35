/** Fewest trials of each treatment, one in each block, with which a comparison can be conclusive; the default. */
export const BLOCKS_MIN = 5;
