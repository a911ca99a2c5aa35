// The configuration of one managed Pgpool-II, without its failover, load balancing and query cache. Values that could begin
// another setting are refused. The server's password is in the list of passwords only, a file of mode 0600.
import { UsageError } from "../../foundation/errors.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import type { PoolerSettings } from "../keys.js";
import type { ManagedPoolerDemand } from "../strategy.js";

export type PgpoolSettings = ManagedPoolerDemand & Pick<PoolerSettings, "size" | "instances">;

/** Number of processes in addition to the clients', for the session that asks for statistics. */
const STATISTICS_PROCESSES = 1;
/** Number in the name of a control socket in the private directory; no process listens on this network port. */
const CONTROL_PORT = 9898;

export function pgpoolConf(
  { size, maxClientConnections }: PgpoolSettings,
  upstream: Endpoint,
  { directory, port }: { readonly directory: string; readonly port: number },
): string {
  const processes = size + STATISTICS_PROCESSES;
  const entries: Record<string, string | number> = {
    backend_clustering_mode: "raw",
    listen_addresses: "127.0.0.1",
    port,
    socket_dir: directory,
    pcp_listen_addresses: "",
    pcp_port: CONTROL_PORT,
    pcp_socket_dir: directory,
    backend_hostname0: upstream.host,
    backend_port0: upstream.port,
    // Keeps using a server that failed and came back.
    backend_flag0: "DISALLOW_TO_FAILOVER",
    failover_on_backend_error: "off",
    num_init_children: processes,
    // The backlog must hold all clients, since they connect at once.
    listen_backlog_multiplier: Math.max(2, Math.ceil(maxClientConnections / processes)),
    // One connection per process suffices, because all clients have the same user and database.
    max_pool: 1,
    connection_cache: "on",
    child_life_time: 0,
    child_max_connections: 0,
    connection_life_time: 0,
    client_idle_limit: 0,
    enable_pool_hba: "on",
    pool_passwd: `${directory}/pool_passwd`,
    load_balance_mode: "off",
    memory_cache_enabled: "off",
    // The default is 128 MB of shared memory for the catalogue, which here has a few tables.
    memqcache_total_size: "4MB",
    memqcache_max_num_cache: 10_000,
    sr_check_period: 0,
    health_check_period: 0,
    log_destination: "stderr",
    // A log line per connection would make the pooler slower than in production.
    log_connections: "off",
    log_disconnections: "off",
    logdir: directory,
    work_dir: directory,
    pid_file_name: `${directory}/pgpool.pid`,
  };
  const quotedValue = (value: string | number): string =>
    typeof value === "number" ? String(value) : `'${requireOneLine(value, upstream).replaceAll("'", "''")}'`;
  return Object.entries(entries)
    .map(([key, value]) => `${key} = ${quotedValue(value)}\n`)
    .join("");
}

export function pgpoolPasswords(upstream: Endpoint, password: string): string {
  if (upstream.user.includes(":"))
    throw new UsageError(
      `${describeEndpoint(upstream)} has a colon in its user, which Pgpool-II's list of passwords cannot hold`,
      "Use another role, or another pool.",
    );
  return `${requireOneLine(upstream.user, upstream)}:TEXT${requireOneLine(password, upstream)}\n`;
}

export const poolHbaText = ({ auth = "scram-sha-256" }: Pick<ManagedPoolerDemand, "auth">): string =>
  `host all all 127.0.0.1/32 ${auth}\n`;

/** Maximum number of files that one process holds open: each client has a separate process. */
export const PROCESS_OPEN_FILES_MAX = 64;

/** Returns the text unless it holds control characters, which would begin a new line of the configuration. */
function requireOneLine(text: string, upstream: Endpoint): string {
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw new UsageError(
    `${JSON.stringify(describeEndpoint(upstream))} has a control character in its host, user or password, which Pgpool-II's files cannot hold`,
    "Correct the URL.",
  );
}
