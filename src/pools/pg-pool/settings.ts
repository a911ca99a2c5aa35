import { poolSizeSchema, sizeOf } from "../keys.js";
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
  problems({ size }, { workers }) {
    if (size >= workers) return [];
    const message = `${size} connections cannot be shared out over ${workers} worker threads, which each have a pool; raise pool.size to at least ${workers}, or lower the workers`;
    return [{ path: "pool.size", message }];
  },
  text: ({ size }) => `pg-pool of ${size}`,
};
