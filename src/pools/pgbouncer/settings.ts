import * as z from "zod";
import { connectionUrlSchema, urlsOf, type UrlKeys } from "../../database/urls.js";
import type { Finding } from "../../syntax/problems.js";
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
import type { PoolDemand, PoolProblem, PoolSettingsOf } from "../strategy.js";

export const POOL_MODES = ["session", "transaction", "statement"] as const;
export type PoolMode = (typeof POOL_MODES)[number];

const LOGIN_METHODS = ["password", "certificate"] as const;
type Login = (typeof LOGIN_METHODS)[number];

const DEFAULT_PREPARED_STATEMENTS = 200;

/** Settings of a managed PgBouncer that train-sim determines, each with the key or reason that determines it. */
const SETTING_SOURCES: Readonly<Record<string, string>> = {
  pool_mode: "pool.mode",
  default_pool_size: "pool.size",
  max_prepared_statements: "pool.maxPreparedStatements",
  max_client_conn: "the number of clients",
  auth_type: "target.auth",
  ...Object.fromEntries(
    [
      "listen_addr",
      "listen_port",
      "unix_socket_dir",
      "auth_file",
      "admin_users",
      "stats_users",
      "ignore_startup_parameters",
      "logfile",
      "pidfile",
      "user",
      "syslog",
      "conffile",
      "resolv_conf",
      "server_tls_sslmode",
      "server_tls_ca_file",
      "server_tls_cert_file",
      "server_tls_key_file",
      "client_tls_sslmode",
      "auth_query",
      "auth_user",
      "auth_dbname",
      "auth_hba_file",
      "so_reuseport",
    ].map((name) => [name, "what train-sim needs"]),
  ),
};

/** Settings that train-sim also determines if clients log in by certificate. */
const CLIENT_TLS_FILES = ["client_tls_ca_file", "client_tls_cert_file", "client_tls_key_file"];

/** Settings that determine how many transactions a PgBouncer adds. */
const ALLOWED_EXTERNAL_SETTINGS = [
  "server_reset_query",
  "server_reset_query_always",
  "server_check_query",
  "server_check_delay",
  "application_name_add_host",
];

const SettingValue = z.union([
  z.string().regex(/^[^\u0000-\u001f\u007f]*$/, "has a control character, which pgbouncer.ini cannot hold"),
  z.number(),
  z.boolean(),
]);

export interface PgBouncerPool extends PoolerSettings {
  readonly strategy: "pgbouncer";
  readonly mode: PoolMode;
  readonly reconnect: Reconnect;
  /** `max_prepared_statements` of a managed PgBouncer, or of the user's as the scenario states it; 0 for none. */
  readonly maxPreparedStatements: number;
  /** How clients log in to a managed PgBouncer; undefined for a password. */
  readonly login?: Extract<Login, "certificate">;
  readonly settings?: Readonly<Record<string, string>>;
}

const keys = {
  size: poolSizeSchema("pgbouncer: server connections of each PgBouncer"),
  mode: z.enum(POOL_MODES).optional().meta({ description: "PgBouncer's pool_mode. Default transaction." }),
  reconnect: RECONNECT_KEY,
  ...POOLER_KEYS,
  maxPreparedStatements: z.int().min(0).max(100_000).optional().meta({
    description:
      "PgBouncer's max_prepared_statements (1.21 and later); 0 is none. For your own PgBouncer: the value in its configuration. Default: 200 for managed ones, 0 for your own.",
  }),
  login: z.enum(LOGIN_METHODS).optional().meta({
    description:
      "How clients log in to the PgBouncers that train-sim starts: by password (see target.auth), or over TLS by a certificate that train-sim makes. Default password.",
  }),
  settings: z
    .record(z.string().regex(/^[a-z][a-z_]*$/, "not the name of a setting of PgBouncer"), SettingValue)
    .optional()
    .meta({
      description:
        "Settings of the PgBouncers that train-sim starts, such as server_lifetime: 3600; true and false mean 1 and 0. For your own: settings that add transactions, such as server_reset_query_always, unless adminUrl shows them. " +
        "Set unless named: server_reset_query DISCARD ALL, server_login_retry 1, no log of connections.",
    }),
  adminUrl: connectionUrlSchema(
    "Admin console (database pgbouncer) of a running PgBouncer, for its statistics.",
  ).optional(),
};

/**
 * Refuses more clients than server connections in session mode. A client keeps its server connection until it disconnects,
 * which our clients do only with `reconnect`; others would wait for the whole trial.
 */
function sessionModeProblems({ mode, reconnect, size }: PgBouncerPool, demand: PoolDemand): PoolProblem[] {
  const { most, words } = busiestPoolerClients("PgBouncer", demand);
  if (mode !== "session" || reconnect === "per-transaction" || size >= most) return [];
  const message =
    `session mode gives every connected client its own server connection: ${words} need a size of ` +
    `at least ${most}, not ${size}; raise pool.size, lower the clients, or use mode: transaction or reconnect: per-transaction`;
  return [{ path: "pool.size", message }];
}

/** Refuses settings that the target's TLS determines. With `login: certificate` the key's own check refuses them. */
function tlsProblems(
  { urls, login, settings = {} }: PgBouncerPool,
  { isOverTls }: PoolDemand,
): PoolProblem[] {
  if (!isOverTls || urls.length > 0 || login !== undefined) return [];
  const message = "is set by train-sim, because the target has TLS; remove it";
  return CLIENT_TLS_FILES.filter((name) => name in settings).map((name) => ({
    path: `pool.settings.${name}`,
    message,
  }));
}

function settingTexts(settings: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  const text = (value: string | number | boolean): string =>
    String(typeof value === "boolean" ? Number(value) : value);
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, text(value)]));
}

interface PgBouncerKeys extends UrlKeys {
  readonly login?: Login | undefined;
  readonly settings?: object | undefined;
}

/** Findings about keys whose PgBouncer setting train-sim determines itself. */
function settingProblems({ login, settings = {}, ...given }: PgBouncerKeys): Finding[] {
  if (urlsOf(given).length > 0) return externalSettingProblems(settings);
  const loginSettings = login === "certificate" ? CLIENT_TLS_FILES : [];
  return Object.keys(settings).flatMap((name) => {
    const source = loginSettings.includes(name) ? "pool.login" : SETTING_SOURCES[name];
    if (source === undefined) return [];
    const message = `is set by train-sim, from ${source}; remove it`;
    return [{ path: ["pool", "settings", name], message, isAboutKey: true }];
  });
}

/**
 * Findings about settings stated for a running PgBouncer: the scenario can state only the settings that determine what is
 * counted.
 */
function externalSettingProblems(settings: object): Finding[] {
  const refusedNames = Object.keys(settings).filter((name) => !ALLOWED_EXTERNAL_SETTINGS.includes(name));
  const message = `is for PgBouncers that train-sim starts; for your own, settings can state ${ALLOWED_EXTERNAL_SETTINGS.join(", ")}`;
  return refusedNames.map((name) => ({ path: ["pool", "settings", name], message, isAboutKey: true }));
}

export const pgbouncerSettings: PoolSettingsOf<PgBouncerPool, typeof keys> = {
  name: "pgbouncer",
  databases: ["PostgreSQL"],
  description: "through PgBouncers, started by train-sim unless url, urls name running ones",
  keys,
  resolve({ mode = "transaction", reconnect = "never", maxPreparedStatements, login, settings, ...given }) {
    const pooler = resolvePooler(given);
    const byDefault = pooler.urls.length > 0 ? 0 : DEFAULT_PREPARED_STATEMENTS;
    return {
      strategy: "pgbouncer",
      mode,
      reconnect,
      ...pooler,
      maxPreparedStatements: maxPreparedStatements ?? byDefault,
      ...(login === "certificate" && { login }),
      ...(settings && { settings: settingTexts(settings) }),
    };
  },
  keyProblems: (given) => [...poolerKeyProblems("PgBouncer", given, ["login"]), ...settingProblems(given)],
  problems: (pool, demand) => [
    ...placementProblems("PgBouncer", pool, demand),
    ...sessionModeProblems(pool, demand),
    ...tlsProblems(pool, demand),
  ],
  text: ({ mode, reconnect, size, login, settings = {} }) =>
    [
      `pgbouncer, ${mode} mode, ${reconnectText(reconnect)}${size} server connections each`,
      ...(login === undefined ? [] : [`login by ${login}`]),
      ...Object.entries(settings).map(([name, value]) => `${name} ${value}`),
    ].join(", "),
};
