// What a pool strategy runs with, as a scenario resolves it.
// Types, and how managed poolers are shared out over servers.
import type { EndpointUrl } from "../database/endpoint/endpoint.js";
import { shareOf } from "../foundation/share.js";

export const POOL_MODES = ["session", "transaction", "statement"] as const;

export type PoolMode = (typeof POOL_MODES)[number];

export type PoolSettings =
  | { readonly strategy: "direct"; readonly reconnect: "never" | "per-transaction" }
  | {
      readonly strategy: "pg-pool";
      /** Connections over all worker threads together. */
      readonly size: number;
    }
  | {
      readonly strategy: "pgbouncer";
      readonly mode: PoolMode;
      /** Server connections of each PgBouncer (`default_pool_size`). */
      readonly size: number;
      /** Managed PgBouncers to start. */
      readonly instances: number;
      /** `max_prepared_statements` of a managed PgBouncer, or of the external ones as the user states it; 0 is none. */
      readonly maxPreparedStatements: number;
      /** Running PgBouncers; empty means managed. */
      readonly urls: readonly EndpointUrl[];
      /** Admin console of an external PgBouncer. */
      readonly adminUrl?: string;
    };

/** PgBouncers of ours before each of so many servers: shared out evenly, one before each at the least. */
export function poolersBefore(servers: number, instances: number): number[] {
  return Array.from({ length: servers }, (_, index) => Math.max(1, shareOf(instances, servers, index)));
}
