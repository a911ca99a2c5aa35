import * as z from "zod";
import { connectionUrlSchema, urlsOf, type UrlKeys } from "../../database/urls.js";
import type { Finding } from "../../syntax/problems.js";
import {
  determinedSettingProblems,
  externalSettingProblems,
  LOGIN_KEY,
  POOLER_KEYS,
  poolerKeyProblems,
  poolModeSchema,
  poolSizeSchema,
  RECONNECT_KEY,
  reconnectText,
  resolvePooler,
  settingsSchema,
  settingTexts,
  type Login,
  type PoolerSettings,
  type PoolMode,
  type Reconnect,
} from "../keys.js";
import { placementProblems, sessionModeProblems } from "../pooler-demand.js";
import type { PoolDemand, PoolProblem, PoolSettingsOf } from "../strategy.js";

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

const SETTINGS_THAT_ADD_TRANSACTIONS = [
  "server_reset_query",
  "server_reset_query_always",
  "server_check_query",
  "server_check_delay",
  "application_name_add_host",
];

export interface PgBouncerPool extends PoolerSettings {
  readonly strategy: "pgbouncer";
  readonly mode: PoolMode;
  readonly reconnect: Reconnect;
  /** `max_prepared_statements` of a managed PgBouncer, or of the user's as the scenario states it; 0 for none. */
  readonly maxPreparedStatements: number;
  /** How clients log in to a managed PgBouncer; undefined if `target.auth` decides. */
  readonly login?: Login;
  readonly settings?: Readonly<Record<string, string>>;
}

const keys = {
  size: poolSizeSchema("pgbouncer: server connections of each PgBouncer"),
  mode: poolModeSchema("PgBouncer's pool_mode. Default transaction."),
  reconnect: RECONNECT_KEY,
  ...POOLER_KEYS,
  maxPreparedStatements: z.int().min(0).max(100_000).optional().meta({
    description:
      "PgBouncer's max_prepared_statements (1.21 and later); 0 is none. For your own PgBouncer: the value in its configuration. Default: 200 for managed ones, 0 for your own.",
  }),
  login: LOGIN_KEY,
  settings: settingsSchema(
    "Settings of the PgBouncers that train-sim starts, such as server_lifetime: 3600; true and false mean 1 and 0. For your own: settings that add transactions, such as server_reset_query_always, unless adminUrl shows them.",
  ),
  adminUrl: connectionUrlSchema(
    "Admin console (database pgbouncer) of a running PgBouncer, for its statistics.",
  ).optional(),
};

/** Refuses settings that the target's TLS determines. With `login: certificate` its own check refuses them. */
function tlsProblems(
  { urls, login, settings = {} }: PgBouncerPool,
  { isOverTls }: PoolDemand,
): PoolProblem[] {
  if (!isOverTls || urls.length > 0 || login === "certificate") return [];
  const message = "is set by train-sim, because the target has TLS; remove it";
  return CLIENT_TLS_FILES.filter((name) => name in settings).map((name) => ({
    path: `pool.settings.${name}`,
    message,
  }));
}

interface PgBouncerKeys extends UrlKeys {
  readonly login?: Login | undefined;
  readonly settings?: object | undefined;
}

function settingProblems({ login, settings = {}, ...given }: PgBouncerKeys): Finding[] {
  if (urlsOf(given).length > 0)
    return externalSettingProblems("PgBouncer", settings, SETTINGS_THAT_ADD_TRANSACTIONS);
  const loginSettings = login === "certificate" ? CLIENT_TLS_FILES : [];
  return determinedSettingProblems(settings, (name) =>
    loginSettings.includes(name) ? "pool.login" : SETTING_SOURCES[name],
  );
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
      ...(login && { login }),
      ...(settings && { settings: settingTexts(settings, (value) => String(Number(value))) }),
    };
  },
  keyProblems: (given) => [...poolerKeyProblems("PgBouncer", given, ["login"]), ...settingProblems(given)],
  problems: (pool, demand) => [
    ...placementProblems("PgBouncer", pool, demand),
    ...sessionModeProblems("PgBouncer", pool, demand),
    ...tlsProblems(pool, demand),
  ],
  text: ({ mode, reconnect, size, login, settings = {} }) =>
    [
      `pgbouncer, ${mode} mode, ${reconnectText(reconnect)}${size} server connections each`,
      ...(login === undefined ? [] : [`login by ${login}`]),
      ...Object.entries(settings).map(([name, value]) => `${name} ${value}`),
    ].join(", "),
};
