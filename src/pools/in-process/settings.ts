import { poolSizeSchema, shareProblems, sizeOf } from "../keys.js";
import type { PoolSettingsOf } from "../strategy.js";

export interface InProcessSettings {
  readonly strategy: "in-process";
  readonly size: number;
}

const keys = { size: poolSizeSchema("in-process: connections over all worker threads together") };

export const inProcessSettings: PoolSettingsOf<InProcessSettings, typeof keys> = {
  name: "in-process",
  description: "train-sim's pool in each worker thread, the same for every database",
  keys,
  resolve: (given) => ({ strategy: "in-process", size: sizeOf(given) }),
  problems: shareProblems,
  text: ({ size }) => `in-process pool of ${size}`,
};
