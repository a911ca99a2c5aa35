// Product, version, settings and identity of a server, and obstacles to a run on it.
import { distinct } from "../../foundation/distinct.js";
import { messageOf, TrainSimError, UsageError } from "../../foundation/errors.js";
import { findProcess } from "../../foundation/find-process.js";
import { readOrNothing } from "../../foundation/machine-usage.js";
import { requireConnections } from "../connection-budget.js";
import type { Database, Obstacle, ServerDemand, ServerInfo } from "../contract.js";
import { describeEndpoint, type Endpoint } from "../endpoint.js";
import { connectMySqlAdmin, controlTransactions, type MySqlAdmin } from "./admin.js";
import type { MySqlDialect } from "./capabilities.js";
import { requireDroppableNamespace } from "./namespaces.js";
import { remedyOf } from "./remedies.js";

/** Settings that an evaluation needs. A server lacks some of them: MariaDB has no `innodb_redo_log_capacity`. */
const SHOWN_SETTINGS = [
  "binlog_format",
  "character_set_server",
  "innodb_adaptive_hash_index",
  "innodb_buffer_pool_size",
  "innodb_deadlock_detect",
  "innodb_doublewrite",
  "innodb_flush_log_at_trx_commit",
  "innodb_flush_method",
  "innodb_io_capacity",
  "innodb_lock_wait_timeout",
  "innodb_log_buffer_size",
  "innodb_log_file_size",
  "innodb_page_size",
  "innodb_redo_log_capacity",
  "innodb_rollback_on_timeout",
  "innodb_snapshot_isolation",
  "log_bin",
  "max_connections",
  "performance_schema",
  "rpl_semi_sync_master_enabled",
  "rpl_semi_sync_source_enabled",
  "sql_mode",
  "sync_binlog",
  "thread_handling",
  "transaction_isolation",
  "tx_isolation",
];

const PRODUCTS = { mysql: "MySQL", mariadb: "MariaDB" } as const satisfies Record<MySqlDialect, string>;

const listOf = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** Values of global variables or counters by lower-case name. */
async function valuesOf(
  admin: MySqlAdmin,
  kind: "VARIABLES" | "STATUS",
  names: readonly string[],
): Promise<Record<string, string>> {
  const rows = await admin.query(`SHOW GLOBAL ${kind} WHERE Variable_name IN (${listOf(names)})`);
  return Object.fromEntries(
    rows.map((row) => [String(row["Variable_name"]).toLowerCase(), String(row["Value"])]),
  );
}

async function versionOf(
  admin: MySqlAdmin,
): Promise<Pick<ServerInfo, "version" | "versionText"> & { readonly dialect: MySqlDialect }> {
  const [row] = await admin.query("SELECT VERSION() AS version, @@version_comment AS comment");
  const text = String(row?.["version"]);
  const dialect = /mariadb/i.test(`${text} ${String(row?.["comment"])}`) ? "mariadb" : "mysql";
  return {
    dialect,
    version: /^\d+(?:\.\d+)*/.exec(text.replace(/^5\.5\.5-/, ""))?.[0] ?? "unknown",
    versionText: `${PRODUCTS[dialect]} ${text}`,
  };
}

async function info(admin: MySqlAdmin): Promise<ServerInfo> {
  const version = await versionOf(admin);
  const settings = await valuesOf(admin, "VARIABLES", SHOWN_SETTINGS);
  const status = await valuesOf(admin, "STATUS", ["Threads_connected"]);
  return {
    ...version,
    product: PRODUCTS[version.dialect],
    settings,
    // One connection more than max_connections is for administrators only.
    connections: {
      max: Number(settings["max_connections"]),
      reserved: 0,
      inUse: Number(status["threads_connected"]),
    },
  };
}

/** Seconds by which the start of one server can be read differently, since clock and up-time are whole seconds. */
const START_JITTER_SECONDS = 2;
/** Starts of servers, in seconds since 1970, as they were read first. */
const knownStarts = new Map<string, number>();

/** The start of a server, the same for all readings of one start. */
export function startOf(server: string, readSeconds: number): number {
  const known = knownStarts.get(server);
  if (known !== undefined && Math.abs(known - readSeconds) <= START_JITTER_SECONDS) return known;
  knownStarts.set(server, readSeconds);
  return readSeconds;
}

async function identity(endpoint: Endpoint) {
  const admin = await connectMySqlAdmin(endpoint, { purpose: "identity" });
  try {
    const { dialect, version } = await versionOf(admin);
    const settings = await valuesOf(admin, "VARIABLES", [
      ...SHOWN_SETTINGS,
      "server_uuid",
      "hostname",
      "port",
    ]);
    const { uptime } = await valuesOf(admin, "STATUS", ["Uptime"]);
    const [row] = await admin.query("SELECT UNIX_TIMESTAMP() AS now");
    const { server_uuid: uuid, hostname, port, ...others } = settings;
    return {
      // MariaDB has no identifier of a data directory.
      systemIdentifier: uuid ?? `${hostname}:${port}`,
      version: `${PRODUCTS[dialect]} ${version}`,
      startedAt: new Date(
        startOf(describeEndpoint(endpoint), Number(row?.["now"]) - Number(uptime)) * 1000,
      ).toISOString(),
      settings: others,
      missing: [],
    };
  } finally {
    await admin.close();
  }
}

export function obstacleOf(error: unknown): Obstacle {
  if (error instanceof TrainSimError)
    return { kind: "unreachable", words: error.message, remedy: error.hint };
  const words = `the server was not checked: ${messageOf(error)}`;
  return { kind: "evidence", words, remedy: remedyOf(error) ?? "" };
}

async function obstacles(demand: ServerDemand): Promise<Obstacle[]> {
  const clientObstacles = Promise.all(
    demand.clientEndpoints.map(async ({ endpoint }) => {
      try {
        await (await connectMySqlAdmin(endpoint, { purpose: "preflight" })).close();
        return [];
      } catch (error) {
        return [obstacleOf(error)];
      }
    }),
  );
  const found = await serverObstacles(demand).catch((error: unknown) => [obstacleOf(error)]);
  return distinct([...found, ...(await clientObstacles).flat()]);
}

async function serverObstacles({ admin: at, namespaces, tablesOf }: ServerDemand): Promise<Obstacle[]> {
  const admin = await connectMySqlAdmin(at, { purpose: "preflight" });
  try {
    const { read_only, performance_schema } = await valuesOf(admin, "VARIABLES", [
      "read_only",
      "performance_schema",
    ]);
    const found: Obstacle[] = [];
    if (read_only === "ON")
      found.push({
        kind: "unfit",
        words: `${describeEndpoint(at)} takes no writes: read_only is ON`,
        remedy: "Name the primary in target.urls or target.adminUrl.",
      });
    if (performance_schema === "OFF")
      found.push({
        kind: "evidence",
        words: `${describeEndpoint(at)} has performance_schema OFF: statements and sessions of the load are not shown`,
        remedy: "Start the server with performance_schema = ON.",
      });
    for (const namespace of namespaces)
      await requireDroppableNamespace(admin, namespace, tablesOf).catch((error: unknown) => {
        if (!(error instanceof UsageError)) throw error;
        found.push({ kind: "unfit", words: error.message, remedy: error.hint });
      });
    return [...found, ...(await rightsObstacles(admin, namespaces))];
  } finally {
    await admin.close();
  }
}

/** Names of namespaces that the user may neither see nor make. */
async function rightsObstacles(admin: MySqlAdmin, namespaces: readonly string[]): Promise<Obstacle[]> {
  const [row] = await admin.query("SELECT CURRENT_USER() AS account");
  const rows = await admin.query("SHOW GRANTS");
  const grants = rows.flatMap((grant) => Object.values(grant).map(String));
  const covers = (namespace: string): boolean =>
    grants.some((grant) => {
      const [, rights = "", on = ""] = /^GRANT (.*) ON (\S+) TO /.exec(grant) ?? [];
      const pattern = on.replace(/\.\*$/, "").replaceAll("`", "").replaceAll("\\_", "_");
      const isHere = pattern === "*" || new RegExp(`^${pattern.replaceAll("%", ".*")}$`).test(namespace);
      return isHere && /ALL PRIVILEGES|\bCREATE\b/.test(rights);
    });
  return namespaces
    .filter((namespace) => !covers(namespace))
    .map((namespace) => ({
      kind: "unfit",
      words: `account ${String(row?.["account"])} may not create database "${namespace}"`,
      remedy: `GRANT ALL ON \`${namespace}\`.* TO ${String(row?.["account"]).replace(/^(.*)@(.*)$/, "'$1'@'$2'")};`,
    }));
}

export const server: Database<MySqlAdmin>["server"] = {
  info,
  identity,
  async clockMs(admin) {
    const [row] = await admin.query("SELECT UNIX_TIMESTAMP(NOW(6)) * 1000 AS ms");
    return Number(row?.["ms"]);
  },
  async serverProcessOf(admin) {
    // Sessions are threads of the server's process, whose number only its pid file shows.
    const [row] = await admin.query("SELECT @@pid_file AS file, UNIX_TIMESTAMP() AS now");
    const pid = Number(readOrNothing(String(row?.["file"])).trim());
    if (!(pid > 0)) return undefined;
    const { uptime } = await valuesOf(admin, "STATUS", ["Uptime"]);
    return findProcess(pid, Number(row?.["now"]) - Number(uptime))?.pid;
  },
  requireConnections,
  obstacles,
  // A proxy of MySQL's protocol gives no sign of itself.
  poolerRefusal: () => Promise.resolve(undefined),
  controlTransactions,
};
