import { poolSizeSchema, shareProblems, sizeOf } from "../keys.js";
import type { PoolSettingsOf } from "../strategy.js";

export interface PgPoolSettings {
  readonly strategy: "pg-pool";
  readonly size: number;
}

const keys = { size: poolSizeSchema("pg-pool: connections over all worker threads together") };

export const pgPoolSettings: PoolSettingsOf<PgPoolSettings, typeof keys> = {
  name: "pg-pool",
  databases: ["PostgreSQL"],
  description: "node-postgres' pool in each worker thread",
  keys,
  resolve: (given) => ({ strategy: "pg-pool", size: sizeOf(given) }),
  problems: shareProblems,
  text: ({ size }) => `pg-pool of ${size}`,
};
