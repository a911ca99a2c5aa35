import { ClientConnections } from "../client-connections.js";
import type { PoolStrategy } from "../strategy.js";
import { directSettings, type DirectPool } from "./settings.js";

export const direct = {
  settings: directSettings,
  source: ({ reconnect }, options) => new ClientConnections(options, reconnect),
} satisfies PoolStrategy<DirectPool>;
