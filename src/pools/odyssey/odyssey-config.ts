// The configuration of one managed Odyssey, which holds the server's password: a file of mode 0600. Odyssey 1.5 knows no
// escapes in strings, so values that a string cannot hold are refused.
import { UsageError } from "../../foundation/errors.js";
import { describeEndpoint, type Endpoint } from "../../database/endpoint.js";
import { isLoginByCertificate, type UpstreamTlsFiles } from "../pooler-login.js";
import type { ManagedPoolerDemand } from "../strategy.js";
import type { OdysseyPool } from "./settings.js";

export type OdysseySettings = ManagedPoolerDemand &
  Pick<OdysseyPool, "mode" | "size" | "instances" | "preparedStatements" | "login" | "settings">;

export interface OdysseyFiles {
  readonly port: number;
  readonly upstream: UpstreamTlsFiles;
  /** Files for clients over TLS: Odyssey's own certificate, which also signs the clients', and its key. */
  readonly clients?: { readonly certFile: string; readonly keyFile: string };
}

export interface OdysseyPasswords {
  readonly client: string;
  readonly admin: string;
}

export const ADMIN_DATABASE = "train_sim_console";
export const ADMIN_USER = "train_sim_admin";
const ADMIN_CONNECTIONS = 10;

/** File descriptors that one instance may need: clients, server connections, threads, log. */
export function openFilesNeeded(settings: OdysseySettings): number {
  return settings.maxClientConnections + ADMIN_CONNECTIONS + settings.size + 64;
}

/** Settings with their values as the configuration notes them. */
type Entries = Readonly<Record<string, string | number>>;
type Section = "global" | "listen" | "storage" | "user";

const SETTINGS_BY_SECTION: Readonly<Record<Exclude<Section, "global">, readonly string[]>> = {
  listen: ["backlog", "client_login_timeout", "compression", "tls_protocols"],
  storage: ["endpoints_status_poll_interval", "server_max_routing"],
  user: [
    ...[
      "application_name_add_host",
      "catchup_checks",
      "catchup_timeout",
      "client_fwd_error",
      "client_show_id",
    ],
    ...["group_checker_interval", "maintain_params", "min_pool_size", "quantiles", "target_session_attrs"],
    ...["reserve_session_server_connection", "server_drop_on_cached_plan_error", "server_lifetime"],
  ],
};

/** The section of a setting; a user's section also has every setting whose name begins with `pool_`. */
function sectionOf(name: string): Section {
  const named = Object.entries(SETTINGS_BY_SECTION).find(([, names]) => names.includes(name));
  if (named) return named[0] as Section;
  return name.startsWith("pool_") ? "user" : "global";
}

const GLOBAL_SETTINGS: Entries = {
  // Odyssey aborts without a format. Written by a thread, the last messages of an Odyssey that ends would be lost.
  ...{ log_format: String.raw`"%l (%c) %m\n"`, log_to_stdout: "yes", log_async: "no" },
  // A log line per connection would make the pooler slower than in production.
  ...{ log_config: "no", log_session: "no", log_stats: "no" },
  ...{ daemonize: "no", enable_online_restart: "no", bindwith_reuseport: "no", enable_host_watcher: "no" },
  // Ends it at the first signal, without waiting for clients.
  max_sigterms_to_die: 1,
  // Pages of memory, as in Debian's configuration; the default is 4.
  coroutine_stack_size: 24,
};

export function odysseyConf(
  settings: OdysseySettings,
  upstream: Endpoint,
  passwords: OdysseyPasswords,
  files: OdysseyFiles,
): string {
  const quote = (text: string): string => quoted(text, upstream);
  const own = (section: Section): Entries =>
    Object.fromEntries(
      Object.entries(settings.settings ?? {})
        .filter(([name]) => sectionOf(name) === section)
        .map(([name, text]) => [name, /^(?:yes|no|-?\d+)$/.test(text) ? text : quote(text)]),
    );
  const user: Entries = {
    ...clientLogin(settings, quote(passwords.client)),
    ...{ storage: '"server"', storage_password: quote(passwords.client) },
    ...{ pool: quote(settings.mode), pool_size: settings.size },
    pool_reserve_prepared_statement: settings.preparedStatements ? "yes" : "no",
    // Odyssey's default resets the session after each transaction.
    pool_discard: settings.mode === "session" ? "yes" : "no",
    ...own("user"),
  };
  const admin: Entries = {
    ...{ authentication: '"scram-sha-256"', password: quote(passwords.admin), role: '"admin"' },
    ...{ storage: '"console"', pool: '"session"' },
  };
  return [
    linesOf({ ...GLOBAL_SETTINGS, ...own("global") }),
    block('storage "server"', { ...storageEntries(upstream, files.upstream, quote), ...own("storage") }),
    block('storage "console"', { type: '"local"' }),
    block(`database ${quote(upstream.database)}`, {}, [
      block(`user ${quote(upstream.user)}`, user, startupOptions(upstream, quote)),
    ]),
    block(`database "${ADMIN_DATABASE}"`, {}, [block(`user "${ADMIN_USER}"`, admin)]),
    block("listen", { ...listenEntries(settings, files, quote), ...own("listen") }),
  ].join("");
}

const linesOf = (entries: Entries): string =>
  Object.entries(entries)
    .map(([name, value]) => `${name} ${value}\n`)
    .join("");

const block = (head: string, entries: Entries, inner: readonly string[] = []): string =>
  `${head} {\n${linesOf(entries)}${inner.join("")}}\n`;

function clientLogin(settings: OdysseySettings, quotedPassword: string): Entries {
  if (isLoginByCertificate(settings)) return { authentication: '"cert"', auth_common_name: "default" };
  if (settings.auth === "trust") return { authentication: '"none"' };
  return { authentication: '"scram-sha-256"', password: quotedPassword };
}

function storageEntries(
  { host, port, tls }: Endpoint,
  { caFile, certFile, keyFile }: UpstreamTlsFiles,
  quote: (text: string) => string,
): Entries {
  return {
    type: '"remote"',
    host: quote(host.startsWith("/") ? `unix://${host}/.s.PGSQL.${port}` : `[${host}]:${port}`),
    tls: tls ? '"verify_ca"' : '"disable"',
    ...(caFile !== undefined && { tls_ca_file: quote(caFile) }),
    ...(certFile !== undefined && { tls_cert_file: quote(certFile) }),
    ...(keyFile !== undefined && { tls_key_file: quote(keyFile) }),
  };
}

function listenEntries(
  { maxClientConnections }: OdysseySettings,
  { port, clients }: OdysseyFiles,
  quote: (text: string) => string,
): Entries {
  return {
    ...{ host: '"127.0.0.1"', port },
    // The backlog must hold all clients, since they connect at once.
    backlog: Math.max(128, maxClientConnections),
    ...(clients && {
      ...{ tls: '"require"', tls_ca_file: quote(clients.certFile) },
      ...{ tls_cert_file: quote(clients.certFile), tls_key_file: quote(clients.keyFile) },
    }),
  };
}

/** Options with which server connections start, so that a reset of the session returns to them. */
function startupOptions({ searchPath }: Endpoint, quote: (text: string) => string): string[] {
  if (searchPath === undefined) return [];
  const schema = /^"([a-z_][a-z0-9_]*)"$/.exec(searchPath)?.[1] ?? searchPath;
  return [block("backend_startup_options", { '"search_path"': quote(schema) })];
}

function quoted(text: string, upstream: Endpoint): string {
  if (!/["\u0000-\u001f\u007f]|\\$/.test(text)) return `"${text}"`;
  throw new UsageError(
    `${JSON.stringify(describeEndpoint(upstream))} has a double quote, a control character or a final backslash in its host, database, user or password, which Odyssey's configuration cannot hold`,
    "Correct the URL, or use pool: pgbouncer.",
  );
}
