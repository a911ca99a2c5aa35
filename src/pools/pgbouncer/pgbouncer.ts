// The wait for a server connection is inside a client's first statement, as is service time: on this side of the wire the
// two cannot be separated.
import { APPLICATION_NAME } from "../../database/contract.js";
import { ClientConnections } from "../client-connections.js";
import { ConsoleStatistics } from "../console.js";
import { findProgram, isVersionAtLeast } from "../find-program.js";
import type { PoolerKind, PoolStrategy } from "../strategy.js";
import { settingsAt, versionAt } from "./console.js";
import { pgbouncerObstacles } from "./obstacles.js";
import { ownTransactions } from "./own-transactions.js";
import { openFilesNeeded, type PgBouncerSettings } from "./pgbouncer-config.js";
import { pause, pauseObstacle } from "./pause.js";
import { POOL_READER } from "./pooler-statistics.js";
import { pgbouncerSettings, type PgBouncerPool } from "./settings.js";
import { hasPreparedStatements, startPgBouncer } from "./start-pgbouncer.js";

const PROGRAM_REQUIREMENT = {
  product: "PgBouncer",
  command: "pgbouncer",
  variable: "TRAIN_SIM_PGBOUNCER",
  versionIn: /PgBouncer (?:version )?(\d+(?:\.\d+)+)/i,
  hint:
    'Only a pool "pgbouncer" without urls needs one: install it (Debian, Ubuntu: sudo apt-get install pgbouncer; macOS: brew install pgbouncer; Docker: apk add or apt-get install pgbouncer in the image), ' +
    "or set TRAIN_SIM_PGBOUNCER to its path, or list running ones as pool.urls.",
};

export const pgbouncerKind: PoolerKind<
  Pick<PgBouncerPool, "mode" | "size" | "instances" | "maxPreparedStatements" | "login" | "settings">
> = {
  product: PROGRAM_REQUIREMENT.product,
  variable: PROGRAM_REQUIREMENT.variable,
  find: (env) => findProgram(PROGRAM_REQUIREMENT, env),
  caveat: (version) =>
    isVersionAtLeast(version, "1.21")
      ? ""
      : "Below 1.21: no prepared statements in transaction mode; train-sim does without them there.",
  openFiles: (settings: PgBouncerSettings) => openFilesNeeded(settings),
  start: (program, settings, upstream) => startPgBouncer(program, settings, upstream),
  prepares: ({ mode, maxPreparedStatements }, version) =>
    mode === "session" ||
    (maxPreparedStatements > 0 && (version === undefined || hasPreparedStatements(version))),
  statistics: (consoles, endpoints, connectTimeoutMs) =>
    ConsoleStatistics.connect(POOL_READER, consoles, endpoints, connectTimeoutMs),
  pause: { obstacle: pauseObstacle, hold: pause },
  versionAt,
  settingsAt,
  obstacles: pgbouncerObstacles,
};

export const pgbouncer = {
  settings: pgbouncerSettings,
  ownTransactions,
  // One name for all roles: PgBouncer sends an extra SET, one more round trip, whenever it assigns a server connection to a
  // client whose application_name differs from the previous client's.
  source: ({ reconnect }, options) =>
    new ClientConnections({ ...options, applicationName: APPLICATION_NAME }, reconnect),
  pooler: pgbouncerKind,
} satisfies PoolStrategy<PgBouncerPool>;
