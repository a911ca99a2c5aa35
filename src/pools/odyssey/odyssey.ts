import { APPLICATION_NAME } from "../../database/contract.js";
import { ClientConnections } from "../client-connections.js";
import { ConsoleStatistics } from "../console.js";
import { findProgram } from "../find-program.js";
import type { PoolerKind, PoolStrategy } from "../strategy.js";
import { odysseyObstacles } from "./obstacles.js";
import { openFilesNeeded } from "./odyssey-config.js";
import { pause, ROUTE_READER, versionAt } from "./odyssey-console.js";
import { ownTransactions } from "./own-transactions.js";
import { odysseySettings, type OdysseyPool } from "./settings.js";
import { startOdyssey } from "./start-odyssey.js";

const PROGRAM_REQUIREMENT = {
  product: "Odyssey",
  command: "odyssey",
  variable: "TRAIN_SIM_ODYSSEY",
  versionIn: /odyssey (\d+(?:\.\d+)+)/i,
  hint:
    'Only a pool "odyssey" without urls needs one: install it (Debian sid, or apt.postgresql.org for other Debian and Ubuntu releases: sudo apt-get install odyssey), ' +
    "or set TRAIN_SIM_ODYSSEY to its path, or list running ones as pool.urls.",
};

export const odysseyKind: PoolerKind<
  Pick<OdysseyPool, "mode" | "size" | "instances" | "preparedStatements" | "login" | "settings">
> = {
  product: PROGRAM_REQUIREMENT.product,
  variable: PROGRAM_REQUIREMENT.variable,
  find: (env) => findProgram(PROGRAM_REQUIREMENT, env),
  caveat: () => "",
  openFiles: openFilesNeeded,
  start: (program, settings, upstream) => startOdyssey(program, settings, upstream),
  prepares: ({ mode, preparedStatements }) => mode === "session" || preparedStatements,
  answersBegin: true,
  statistics: (consoles, endpoints, connectTimeoutMs) =>
    ConsoleStatistics.connect(ROUTE_READER, consoles, endpoints, connectTimeoutMs),
  pause: {
    obstacle: ({ mode }) =>
      mode === "session" ? "ends sessions instead of holding them back; use transaction mode" : undefined,
    hold: pause,
  },
  versionAt,
  obstacles: odysseyObstacles,
};

export const odyssey = {
  settings: odysseySettings,
  ownTransactions,
  // One name for all roles: Odyssey sends an extra SET whenever it assigns a server connection to a client whose
  // application_name differs from the previous client's.
  source: ({ reconnect }, options) =>
    new ClientConnections({ ...options, applicationName: APPLICATION_NAME }, reconnect),
  pooler: odysseyKind,
} satisfies PoolStrategy<OdysseyPool>;
