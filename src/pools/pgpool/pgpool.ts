// A Pgpool-II has a process for each client and keeps the server connection of a client that left. With `reconnect:
// per-transaction` the wait for a free process is in the time to connect, which is pool wait.
import { APPLICATION_NAME } from "../../database/contract.js";
import { ClientConnections } from "../client-connections.js";
import { ConsoleStatistics } from "../console.js";
import { findProgram, isVersionAtLeast } from "../find-program.js";
import type { PoolerKind, PoolStrategy } from "../strategy.js";
import { PROCESS_OPEN_FILES_MAX } from "./pgpool-config.js";
import { PROCESS_READER, settingsAt, versionAt } from "./pgpool-console.js";
import { pgpoolSettings, type PgpoolPool } from "./settings.js";
import { startPgpool } from "./start-pgpool.js";

const PROGRAM_REQUIREMENT = {
  product: "Pgpool-II",
  command: "pgpool",
  variable: "TRAIN_SIM_PGPOOL",
  versionIn: /pgpool-II version (\d+(?:\.\d+)+)/i,
  hint:
    'Only a pool "pgpool" without urls needs one: install it (Debian, Ubuntu: sudo apt-get install pgpool2), ' +
    "or set TRAIN_SIM_PGPOOL to its path, or list running ones as pool.urls.",
};

export const pgpoolKind: PoolerKind<PgpoolPool> = {
  product: PROGRAM_REQUIREMENT.product,
  variable: PROGRAM_REQUIREMENT.variable,
  find: (env) => findProgram(PROGRAM_REQUIREMENT, env),
  caveat: (version) =>
    isVersionAtLeast(version, "4.3") ? "" : "Below 4.3: no statistics of what its processes do.",
  openFiles: () => PROCESS_OPEN_FILES_MAX,
  start: (program, settings, upstream) => startPgpool(program, settings, upstream),
  // Pgpool-II pools by session: a client's prepared statements exist as long as the client does.
  prepares: () => true,
  statistics: (consoles, _, connectTimeoutMs) =>
    ConsoleStatistics.connect(PROCESS_READER, consoles, consoles, connectTimeoutMs),
  versionAt,
  settingsAt,
  obstacles: () => Promise.resolve([]),
};

const RESET_QUERIES = "ABORT; DISCARD ALL";

/**
 * Number of transactions that Pgpool-II adds to each: after a client has left, each reset query but ABORT; for the next
 * client, a SET of its name.
 */
function ownTransactions(
  { reconnect }: Pick<PgpoolPool, "reconnect">,
  { reset_query_list: list = RESET_QUERIES }: Readonly<Record<string, string>> = {},
): number {
  if (reconnect === "never") return 0;
  return 1 + list.split(";").filter((query) => !/^\s*(abort\s*)?$/i.test(query)).length;
}

export const pgpool = {
  settings: pgpoolSettings,
  ownTransactions,
  // One name for all roles: an extra SET would rename a server connection when another client gets it.
  source: ({ reconnect }, options) =>
    new ClientConnections({ ...options, applicationName: APPLICATION_NAME }, reconnect),
  pooler: pgpoolKind,
} satisfies PoolStrategy<PgpoolPool>;
