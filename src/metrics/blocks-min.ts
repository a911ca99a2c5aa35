/** Trials of each treatment, one in each block. With fewer, every comparison is inconclusive; so it is a scenario's default. */
export const BLOCKS_MIN = 5;
