// A table of every pool strategy with its abilities: the conformance suite runs the same behaviours on each row. A new
// strategy, mode or PgBouncer version is one more row.
import { casesOf } from "./lanes.js";
import { poolerEnv } from "./poolers.js";
import type { PgBouncerKind } from "./pgbouncers.js";
import type { PoolMode, Reconnect } from "../../src/pools/keys.js";
import type { PoolSettings } from "../../src/pools/registry.js";

/** Number of server connections in strategies that share them among clients. */
export const SIZE = 4;

export interface Strategy {
  readonly name: string;
  readonly pool: PoolSettings;
  readonly prepared: boolean;
  /** Environment with the paths of poolers, for strategies whose pooler the program starts. */
  readonly env?: () => NodeJS.ProcessEnv;
  /** True if only `SIZE` clients can be in a transaction at once and others wait; false if no client ever waits. */
  readonly isShared: boolean;
  /** True if a client keeps its server connection, so that no more than `SIZE` clients can be served. */
  readonly isSession: boolean;
  /** True if each statement is a separate transaction and longer transactions are not possible. */
  readonly isStatementOnly: boolean;
}

const PLAIN = { isShared: false, isSession: false, isStatementOnly: false };

function threadPool(name: string, pool: PoolSettings, prepared: boolean): Strategy {
  const isShared = ["pg-pool", "in-process"].includes(pool.strategy);
  return { ...PLAIN, name: `${name}, ${prepared ? "prepared" : "unprepared"}`, pool, prepared, isShared };
}

const direct = (prepared: boolean): Strategy =>
  threadPool("direct", { strategy: "direct", reconnect: "never" }, prepared);
const directPerTransaction = (prepared: boolean): Strategy =>
  threadPool("direct per transaction", { strategy: "direct", reconnect: "per-transaction" }, prepared);
const pgPool = (prepared: boolean): Strategy =>
  threadPool("pg-pool", { strategy: "pg-pool", size: SIZE }, prepared);
const inProcess = (prepared: boolean): Strategy =>
  threadPool("in-process", { strategy: "in-process", size: SIZE }, prepared);

function pgbouncer(
  version: PgBouncerKind,
  mode: PoolMode,
  prepared: boolean,
  reconnect: Reconnect = "never",
): Strategy {
  const isKept = reconnect === "never";
  const kept = isKept ? "" : " per transaction";
  return {
    name: `pgbouncer ${version} in ${mode} mode${kept}, ${prepared ? "prepared" : "unprepared"}`,
    pool: {
      strategy: "pgbouncer",
      mode,
      reconnect,
      size: SIZE,
      instances: 2,
      maxPreparedStatements: prepared ? 100 : 0,
      urls: [],
    },
    prepared,
    env: () => poolerEnv(version),
    isShared: mode === "transaction" || (mode === "session" && !isKept),
    isSession: mode === "session" && isKept,
    isStatementOnly: mode === "statement",
  };
}

function pgpool(reconnect: Reconnect, prepared: boolean): Strategy {
  const isSession = reconnect === "never";
  return {
    ...PLAIN,
    name: `pgpool${isSession ? "" : " per transaction"}, ${prepared ? "prepared" : "unprepared"}`,
    pool: { strategy: "pgpool", reconnect, size: SIZE, instances: 2, urls: [] },
    // Pgpool-II has a process for each client, and one for the session that asks for statistics.
    ...{ prepared, isSession, isShared: false },
    env: () => poolerEnv("pgpool"),
  };
}

function odyssey(
  mode: "session" | "transaction",
  prepared: boolean,
  reconnect: Reconnect = "never",
): Strategy {
  const isKept = reconnect === "never";
  return {
    name: `odyssey in ${mode} mode${isKept ? "" : " per transaction"}, ${prepared ? "prepared" : "unprepared"}`,
    pool: {
      strategy: "odyssey",
      ...{ mode, reconnect, size: SIZE, instances: 2, urls: [] },
      preparedStatements: prepared,
    },
    prepared,
    env: () => poolerEnv("odyssey"),
    isShared: mode === "transaction" || !isKept,
    isSession: mode === "session" && isKept,
    isStatementOnly: false,
  };
}

// PgBouncer before 1.21 follows prepared statements in session mode only.
/** Strategies. `npm test` takes the first ones: every pool, each mode of each PgBouncer that differs, prepared or not. */
export const STRATEGIES: readonly Strategy[] = casesOf(
  [
    direct(true),
    directPerTransaction(false),
    pgPool(true),
    inProcess(true),
    pgbouncer("1.18", "session", true),
    pgbouncer("1.18", "transaction", false),
    pgbouncer("1.26", "session", false),
    pgbouncer("1.26", "transaction", true),
    pgbouncer("1.26", "statement", true),
    pgbouncer("1.26", "transaction", true, "per-transaction"),
    pgpool("never", true),
    pgpool("per-transaction", false),
    odyssey("transaction", true),
    odyssey("session", false),
    direct(false),
    directPerTransaction(true),
    pgPool(false),
    inProcess(false),
    pgbouncer("1.18", "session", false),
    pgbouncer("1.18", "statement", false),
    pgbouncer("1.26", "session", true),
    pgbouncer("1.26", "transaction", false),
    pgbouncer("1.26", "statement", false),
    pgbouncer("1.26", "session", true, "per-transaction"),
    pgbouncer("1.24", "transaction", true),
    pgpool("never", false),
    pgpool("per-transaction", true),
    odyssey("transaction", false),
    odyssey("session", true),
    odyssey("transaction", true, "per-transaction"),
    odyssey("session", true, "per-transaction"),
  ],
  14,
);
