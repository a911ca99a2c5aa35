// The ini and the user list of one managed PgBouncer. Values that could begin another setting are refused. The server's
// password is in the user list only, a file of mode 0600.
import { UsageError } from "../../foundation/errors.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import type { UpstreamTlsFiles } from "../pooler-login.js";
import type { ManagedPoolerDemand } from "../strategy.js";
import type { PgBouncerPool } from "./settings.js";

export type PgBouncerSettings = ManagedPoolerDemand &
  Pick<PgBouncerPool, "mode" | "size" | "instances" | "maxPreparedStatements" | "login" | "settings">;

export interface PgBouncerFiles extends UpstreamTlsFiles {
  readonly port: number;
  readonly userListFile: string;
  /**
   * Files for clients over TLS: PgBouncer's own certificate (which also signs the clients' certificate), its key, and the
   * HBA rules of a log-in by certificate.
   */
  readonly login?: { readonly certFile: string; readonly keyFile: string; readonly hbaFile?: string };
}

/**
 * Name under which clients know the upstream's database. It needs no quoting, while pgbouncer.ini may be unable to hold the
 * real name.
 */
export const CLIENT_DATABASE = "train_sim";
/** The database name under which every PgBouncer offers its admin console. */
export const ADMIN_DATABASE = "pgbouncer";
export const ADMIN_USER = "train_sim_admin";
/** Number of connections to the admin console that are allowed in addition to the clients'. */
const ADMIN_CONNECTIONS = 10;

/** File descriptors that one instance may need: clients, server connections, listeners, log, resolver. */
export function openFilesNeeded(settings: PgBouncerSettings): number {
  return settings.maxClientConnections + ADMIN_CONNECTIONS + settings.size + 32;
}

export const RESET_QUERY = "DISCARD ALL";

/** True if PgBouncer resets after every transaction; by default it resets in session mode only. */
function resetsEveryTransaction({ settings }: Pick<PgBouncerPool, "settings">): boolean {
  return settings?.["server_reset_query_always"] === "1";
}

/** True if a server connection keeps its set-up: a reset between two clients would undo it. */
export function keepsSessionSetUp(settings: Pick<PgBouncerPool, "mode" | "settings">): boolean {
  return settings.mode !== "session" && !resetsEveryTransaction(settings);
}

export function pgBouncerIni(
  settings: PgBouncerSettings,
  upstream: Endpoint,
  files: PgBouncerFiles,
  hasPreparedStatements: boolean,
): string {
  const searchPath = keepsSessionSetUp(settings) ? upstream.searchPath : undefined;
  const place = `host=${quotedSetting(upstream.host, upstream)} port=${upstream.port} dbname=${quotedSetting(upstream.database, upstream)}`;
  // The client also states the schema at log-in; a server connection gets it from `connect_query`.
  const connectQueryText =
    searchPath === undefined
      ? ""
      : ` connect_query=${quotedSetting(`SET search_path TO ${searchPath}`, upstream)}`;
  const entries: Record<string, string | number> = {
    listen_addr: "127.0.0.1",
    listen_port: files.port,
    unix_socket_dir: "",
    // The backlog must hold all clients, since they connect at once.
    listen_backlog: Math.max(128, settings.maxClientConnections),
    ...loginEntries(settings, files),
    auth_file: files.userListFile,
    admin_users: ADMIN_USER,
    stats_users: ADMIN_USER,
    pool_mode: settings.mode,
    default_pool_size: settings.size,
    max_client_conn: settings.maxClientConnections + ADMIN_CONNECTIONS,
    ignore_startup_parameters: `extra_float_digits${searchPath === undefined ? "" : ", search_path"}`,
    // Used in session mode only: in the other modes a client leaves no state that could be reset.
    server_reset_query: RESET_QUERY,
    // Retries a server soon after it returns: the default of 15 s would be most of a trial.
    server_login_retry: 1,
    ...(hasPreparedStatements && { max_prepared_statements: settings.maxPreparedStatements }),
    ...upstreamTlsEntries(upstream, files),
    // A log line per connection would make the pooler slower than in production.
    log_connections: 0,
    log_disconnections: 0,
    log_stats: 0,
    ...settings.settings,
  };
  const lines = Object.entries(entries).map(([key, value]) => `${key} = ${value}`);
  return [
    "[databases]",
    `${CLIENT_DATABASE} = ${place}${connectQueryText}`,
    "",
    "[pgbouncer]",
    ...lines,
    "",
  ].join("\n");
}

function loginEntries({ auth }: PgBouncerSettings, { login }: PgBouncerFiles): Record<string, string> {
  const passwordEntries = { auth_type: auth === "trust" ? "trust" : "scram-sha-256" };
  if (!login) return passwordEntries;
  return {
    ...(login.hbaFile === undefined
      ? { ...passwordEntries, client_tls_sslmode: "require" }
      : {
          auth_type: "hba",
          auth_hba_file: login.hbaFile,
          client_tls_sslmode: "verify-ca",
          client_tls_ca_file: login.certFile,
        }),
    client_tls_cert_file: login.certFile,
    client_tls_key_file: login.keyFile,
  };
}

/** Text of the HBA file: clients log in by certificate; the console takes a password, also over TLS. */
export const CERTIFICATE_HBA_RULES = [
  `hostssl ${ADMIN_DATABASE} ${ADMIN_USER} 127.0.0.1/32 scram-sha-256`,
  `hostssl ${CLIENT_DATABASE} all 127.0.0.1/32 cert`,
  "",
].join("\n");

export function pgBouncerUserList(upstream: Endpoint, clientPassword: string, adminPassword: string): string {
  const users = [
    [upstream.user, clientPassword],
    [ADMIN_USER, adminPassword],
  ] as const;
  return users
    .map(([user, password]) => `${doubleQuoted(user, upstream)} ${doubleQuoted(password, upstream)}\n`)
    .join("");
}

function upstreamTlsEntries(upstream: Endpoint, files: PgBouncerFiles): Record<string, string> {
  return {
    server_tls_sslmode: upstream.tls?.mode ?? "disable",
    ...(files.caFile && { server_tls_ca_file: files.caFile }),
    ...(files.certFile && { server_tls_cert_file: files.certFile }),
    ...(files.keyFile && { server_tls_key_file: files.keyFile }),
  };
}

function doubleQuoted(text: string, upstream: Endpoint): string {
  return `"${requireOneLine(text, upstream).replaceAll('"', '""')}"`;
}

function quotedSetting(text: string, upstream: Endpoint): string {
  return `'${requireOneLine(text, upstream).replaceAll("'", "''")}'`;
}

/** Returns the text unless it holds control characters, which would begin a new line of the configuration. */
function requireOneLine(text: string, upstream: Endpoint): string {
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw new UsageError(
    `${JSON.stringify(describeEndpoint(upstream))} has a control character in its host, database, user or password, which PgBouncer's files cannot hold`,
    "Correct the URL.",
  );
}
