// The ini and the user list of one managed PgBouncer. Values that could begin another setting are refused. The server's
// password is in the user list only, a file of mode 0600.
import { UsageError } from "../../foundation/errors.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import type { Admitted } from "../strategy.js";
import type { PgBouncerPool } from "./settings.js";

export type PgBouncerSettings = Admitted &
  Pick<PgBouncerPool, "mode" | "size" | "instances" | "maxPreparedStatements" | "login" | "settings">;

export interface PgBouncerFiles {
  readonly port: number;
  readonly userListFile: string;
  /** Paths of the upstream's certificates, where it has TLS. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  /** Files for log-in by certificate: PgBouncer's own, which signs the clients', its key, and the rules of log-in. */
  readonly login?: { readonly certFile: string; readonly keyFile: string; readonly hbaFile: string };
}

/** The upstream's database as clients name it: one that needs no quoting, which PgBouncer's ini does not have for it. */
export const CLIENT_DATABASE = "train_sim";
/** The database that stands for the admin console in every PgBouncer. */
export const ADMIN_DATABASE = "pgbouncer";
export const ADMIN_USER = "train_sim_admin";
/** Sessions of the admin console, beyond the clients. */
const ADMIN_CONNECTIONS = 10;

/** Descriptors that one instance may need: clients, server connections, listeners, log, resolver. */
export function openFilesNeeded(settings: PgBouncerSettings): number {
  return settings.maxClientConnections + ADMIN_CONNECTIONS + settings.size + 32;
}

export const RESET_QUERY = "DISCARD ALL";

/** PgBouncer's own is for session mode, unless it is asked for after every transaction. */
function resetsAlways({ settings }: Pick<PgBouncerPool, "settings">): boolean {
  return settings?.["server_reset_query_always"] === "1";
}

/** Whether a server connection stays as it was set up: a reset between two clients would undo it. */
export function keepsSetUp(settings: Pick<PgBouncerPool, "mode" | "settings">): boolean {
  return settings.mode !== "session" && !resetsAlways(settings);
}

/** Text of pgbouncer.ini. */
export function pgBouncerIni(
  settings: PgBouncerSettings,
  upstream: Endpoint,
  files: PgBouncerFiles,
  hasPreparedStatements: boolean,
): string {
  const searchPath = keepsSetUp(settings) ? upstream.searchPath : undefined;
  const place = `host=${quoted(upstream.host, upstream)} port=${upstream.port} dbname=${quoted(upstream.database, upstream)}`;
  // The client names the schema too when it logs in; a server connection has it once and for all.
  const setUp =
    searchPath === undefined ? "" : ` connect_query=${quoted(`SET search_path TO ${searchPath}`, upstream)}`;
  const entries: Record<string, string | number> = {
    listen_addr: "127.0.0.1",
    listen_port: files.port,
    unix_socket_dir: "",
    // Clients that connect all at once must not be turned away by the backlog.
    listen_backlog: Math.max(128, settings.maxClientConnections),
    ...loginEntries(settings, files),
    auth_file: files.userListFile,
    admin_users: ADMIN_USER,
    stats_users: ADMIN_USER,
    pool_mode: settings.mode,
    default_pool_size: settings.size,
    max_client_conn: settings.maxClientConnections + ADMIN_CONNECTIONS,
    ignore_startup_parameters: `extra_float_digits${searchPath === undefined ? "" : ", search_path"}`,
    // Used in session mode only: in the other modes a client leaves nothing behind that could be reset.
    server_reset_query: RESET_QUERY,
    // A server that comes back is tried again soon; the default of 15 s would be most of a trial.
    server_login_retry: 1,
    ...(hasPreparedStatements && { max_prepared_statements: settings.maxPreparedStatements }),
    ...upstreamTls(upstream, files),
    // A line per connection would make the pooler slower than the one in production.
    log_connections: 0,
    log_disconnections: 0,
    log_stats: 0,
    ...settings.settings,
  };
  const lines = Object.entries(entries).map(([key, value]) => `${key} = ${value}`);
  return ["[databases]", `${CLIENT_DATABASE} = ${place}${setUp}`, "", "[pgbouncer]", ...lines, ""].join("\n");
}

function loginEntries({ auth }: PgBouncerSettings, { login }: PgBouncerFiles): Record<string, string> {
  if (!login) return { auth_type: auth ?? "scram-sha-256" };
  return {
    auth_type: "hba",
    auth_hba_file: login.hbaFile,
    client_tls_sslmode: "verify-ca",
    client_tls_ca_file: login.certFile,
    client_tls_cert_file: login.certFile,
    client_tls_key_file: login.keyFile,
  };
}

/** Text of the HBA file: clients by certificate; the console by password, over TLS too. */
export const LOGIN_BY_CERTIFICATE = [
  `hostssl ${ADMIN_DATABASE} ${ADMIN_USER} 127.0.0.1/32 scram-sha-256`,
  `hostssl ${CLIENT_DATABASE} all 127.0.0.1/32 cert`,
  "",
].join("\n");

/** Text of the user list: the client's user, whose password logs in to the server too, and the admin. */
export function pgBouncerUserList(upstream: Endpoint, clientPassword: string, adminPassword: string): string {
  const users = [
    [upstream.user, clientPassword],
    [ADMIN_USER, adminPassword],
  ] as const;
  return users
    .map(([user, password]) => `${doubleQuoted(user, upstream)} ${doubleQuoted(password, upstream)}\n`)
    .join("");
}

function upstreamTls(upstream: Endpoint, files: PgBouncerFiles): Record<string, string> {
  return {
    server_tls_sslmode: upstream.tls?.mode ?? "disable",
    ...(files.caFile && { server_tls_ca_file: files.caFile }),
    ...(files.certFile && { server_tls_cert_file: files.certFile }),
    ...(files.keyFile && { server_tls_key_file: files.keyFile }),
  };
}

function doubleQuoted(text: string, upstream: Endpoint): string {
  return `"${oneLine(text, upstream).replaceAll('"', '""')}"`;
}

function quoted(text: string, upstream: Endpoint): string {
  return `'${oneLine(text, upstream).replaceAll("'", "''")}'`;
}

/** Control characters would begin a new line of the configuration. */
function oneLine(text: string, upstream: Endpoint): string {
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw new UsageError(
    `${JSON.stringify(describeEndpoint(upstream))} has a control character in its host, database, user or password, which PgBouncer's files cannot hold`,
    "Correct the URL.",
  );
}
