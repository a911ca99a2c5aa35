import { poolSizeSchema, sizeOf } from "../keys.js";
import type { PoolSettingsOf } from "../strategy.js";

export interface OwnPool {
  readonly strategy: "own";
  readonly size: number;
}

const keys = {
  size: poolSizeSchema("own: connections that the workload opens over all worker threads together"),
};

export const ownSettings: PoolSettingsOf<OwnPool, typeof keys> = {
  name: "own",
  description: "the workload opens its connections itself, like a library with its own pool",
  keys,
  resolve: (given) => ({ strategy: "own", size: sizeOf(given) }),
  text: ({ size }) => `${size} opened by the workload`,
};
