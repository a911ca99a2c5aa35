// The workload opens its connections itself and states their number. Roles that lease have a connection for each client.
import { ClientConnections } from "../client-connections.js";
import type { PoolStrategy } from "../strategy.js";
import { ownSettings, type OwnPool } from "./settings.js";

/** Connections that are opened at the first lease, since most clients take none. */
class LazyConnections extends ClientConnections {
  override openConnections(): Promise<void> {
    return Promise.resolve();
  }
}

export const own = {
  settings: ownSettings,
  shared: ({ size }) => size,
  isHeldByWorkload: true,
  ownTransactions: () => "the workload opens its own connections, whose transactions are not counted",
  source: (_, options) => new LazyConnections(options, "never"),
} satisfies PoolStrategy<OwnPool>;
