import { connectionUrlSchema } from "../../database/urls.js";
import {
  POOLER_KEYS,
  poolerKeyProblems,
  poolSizeSchema,
  RECONNECT_KEY,
  reconnectText,
  resolvePooler,
  type PoolerSettings,
  type Reconnect,
} from "../keys.js";
import { placementProblems, busiestPoolerClients } from "../pooler-demand.js";
import type { PoolSettingsOf } from "../strategy.js";

export interface PgpoolPool extends PoolerSettings {
  readonly strategy: "pgpool";
  readonly reconnect: Reconnect;
}

const keys = {
  reconnect: RECONNECT_KEY,
  size: poolSizeSchema("pgpool: clients that each Pgpool-II serves at once, each with a server connection"),
  ...POOLER_KEYS,
  adminUrl: connectionUrlSchema(
    "URL of a running Pgpool-II, for its statistics: the session takes one of its processes.",
  ).optional(),
};

export const pgpoolSettings: PoolSettingsOf<PgpoolPool, typeof keys> = {
  name: "pgpool",
  databases: ["PostgreSQL"],
  description: "through Pgpool-IIs, started by train-sim unless url, urls name running ones",
  keys,
  lacks: {
    mode: "Pgpool-II pools by session only; a client has a server connection until it disconnects",
    maxPreparedStatements:
      "Pgpool-II pools by session, where named prepared statements work without being followed",
  },
  resolve: ({ reconnect = "never", ...given }) => ({
    strategy: "pgpool",
    reconnect,
    ...resolvePooler(given),
  }),
  keyProblems: (given) => poolerKeyProblems("Pgpool-II", given),
  problems(pool, demand) {
    const { reconnect, size, urls } = pool;
    const problems = placementProblems("Pgpool-II", pool, demand);
    if (demand.isOverTls && urls.length === 0) {
      const message =
        "a Pgpool-II that train-sim starts reaches a server without TLS only; use pool: pgbouncer, or a target without " +
        "tls and auth: cert";
      return [...problems, { path: "pool", message }];
    }
    const { most, words } = busiestPoolerClients("Pgpool-II", demand);
    if (reconnect === "per-transaction" || size >= most) return problems;
    const message =
      `Pgpool-II gives every connected client its own process and server connection: ${words} need a size ` +
      `of at least ${most}, not ${size}; raise pool.size, lower the clients, or use reconnect: per-transaction`;
    return [...problems, { path: "pool.size", message }];
  },
  examples: {
    valid: {
      title: "Through your own Pgpool-II, with a new connection for every transaction",
      yaml: `name: external-pgpool
target: { url: "postgresql://app@db.example:5432/app" }
pool:
  strategy: pgpool
  reconnect: per-transaction
  size: 32
  url: postgresql://app@pgpool.example:9999/app
  adminUrl: postgresql://app@pgpool.example:9999/app
clients: 128
`,
    },
    refused: {
      title: "transaction mode, which Pgpool-II does not have",
      yaml: "name: x\npool: { strategy: pgpool, mode: transaction }",
    },
  },
  text: ({ reconnect, size }) => `pgpool, ${reconnectText(reconnect)}${size} server connections each`,
};
