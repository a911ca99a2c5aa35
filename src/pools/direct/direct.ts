// Strategy `direct`: each client has a database connection of its own, kept for the trial, or, with
// `reconnect: per-transaction`, opened and closed around every transaction as `pgbench -C` does. The time to
// connect is then pool wait, and counts as service time.
import { ClientConnections } from "../client-connections.js";
import type { PoolStrategy } from "../strategy.js";
import { directSettings, type DirectPool } from "./settings.js";

export const direct = {
  settings: directSettings,
  source: ({ reconnect }, options) => new ClientConnections(options, reconnect),
} satisfies PoolStrategy<DirectPool>;
