// The workload opens its connections itself and states their number; the strategy opens and lends nothing.
import type { ConnectionSource } from "../../database/session.js";
import type { SourceOptions } from "../source-options.js";
import type { PoolStrategy } from "../strategy.js";
import { ownSettings, type OwnPool } from "./settings.js";

export const own = {
  settings: ownSettings,
  shared: ({ size }) => size,
  isHeldByWorkload: true,
  ownTransactions: () => "the workload opens its own connections, whose transactions are not counted",
  source: (_, options) => emptyConnectionSource(options),
} satisfies PoolStrategy<OwnPool>;

function emptyConnectionSource({ endpoints }: SourceOptions): ConnectionSource {
  return {
    acquire: () => Promise.reject(new Error("pool strategy own lends no connections")),
    endpointOf: () => 0,
    contacts: endpoints.map(() => ({ connects: 0, refused: 0, lost: 0 })),
    openConnections: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
