import * as z from "zod";
import { connectionUrlSchema, urlsOf } from "../../database/urls.js";
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
import type { PoolSettingsOf } from "../strategy.js";

/** Settings of a managed Odyssey that train-sim determines, each with the key or reason that determines it. */
const SETTING_SOURCES: Readonly<Record<string, string>> = {
  pool: "pool.mode",
  pool_size: "pool.size",
  pool_reserve_prepared_statement: "pool.preparedStatements",
  ...Object.fromEntries(
    [
      ...["authentication", "password", "auth_common_name", "auth_query", "auth_query_db", "auth_query_user"],
      ...["auth_pam_service", "auth_module", "password_passthrough", "hba_file", "load_module", "include"],
      ...["storage", "storage_db", "storage_user", "storage_password", "backend_startup_options", "role"],
      ...["listen", "host", "port", "type", "tls", "tls_ca_file", "tls_cert_file", "tls_key_file"],
      ...["database", "user", "daemonize", "pid_file", "unix_socket_dir", "unix_socket_mode", "locks_dir"],
      ...["log_format", "log_to_stdout", "log_file", "log_async", "log_syslog", "client_max"],
      ...["max_sigterms_to_die", "enable_online_restart", "bindwith_reuseport", "pool_routing"],
    ].map((name) => [name, "its way to start an Odyssey"]),
  ),
};

const SETTINGS_THAT_ADD_TRANSACTIONS = ["pool_discard", "pool_smart_discard", "pool_discard_query"];

export interface OdysseyPool extends PoolerSettings {
  readonly strategy: "odyssey";
  readonly mode: PoolMode;
  readonly reconnect: Reconnect;
  /** True if named prepared statements work outside session mode: `pool_reserve_prepared_statement`. */
  readonly preparedStatements: boolean;
  /** How clients log in to a managed Odyssey; undefined if `target.auth` decides. */
  readonly login?: Login;
  readonly settings?: Readonly<Record<string, string>>;
}

const keys = {
  size: poolSizeSchema("odyssey: server connections of each Odyssey"),
  mode: poolModeSchema("Odyssey's pool: session or transaction. Default transaction."),
  reconnect: RECONNECT_KEY,
  ...POOLER_KEYS,
  preparedStatements: z.boolean().optional().meta({
    description:
      "Odyssey's pool_reserve_prepared_statement. For your own Odyssey: the value in its configuration. Default: true for managed ones, false for your own.",
  }),
  login: LOGIN_KEY,
  settings: settingsSchema(
    "Settings of the Odysseys that train-sim starts, of any section, such as workers: 2; true and false mean yes and no. For your own: those that add transactions, such as pool_discard.",
  ),
  adminUrl: connectionUrlSchema(
    "Console (a database with a local storage) of a running Odyssey, for its statistics.",
  ).optional(),
};

export const odysseySettings: PoolSettingsOf<OdysseyPool, typeof keys> = {
  name: "odyssey",
  databases: ["PostgreSQL"],
  description: "through Odysseys, started by train-sim unless url, urls name running ones",
  keys,
  lacks: {
    maxPreparedStatements: "Odyssey follows all prepared statements or none: preparedStatements",
  },
  resolve({ mode = "transaction", reconnect = "never", preparedStatements, login, settings, ...given }) {
    const pooler = resolvePooler(given);
    return {
      strategy: "odyssey",
      mode,
      reconnect,
      ...pooler,
      preparedStatements: preparedStatements ?? pooler.urls.length === 0,
      ...(login && { login }),
      ...(settings && { settings: settingTexts(settings, (value) => (value ? "yes" : "no")) }),
    };
  },
  keyProblems({ settings = {}, ...given }) {
    const findings = poolerKeyProblems("Odyssey", given, ["login"]);
    if (given.mode === "statement") {
      const message = "Odyssey pools by session or by transaction; choose one of these";
      findings.push({ path: ["pool", "mode"], message });
    }
    const settingFindings =
      urlsOf(given).length > 0
        ? externalSettingProblems("Odyssey", settings, SETTINGS_THAT_ADD_TRANSACTIONS)
        : determinedSettingProblems(settings, (name) => SETTING_SOURCES[name]);
    return [...findings, ...settingFindings];
  },
  problems: (pool, demand) => [
    ...placementProblems("Odyssey", pool, demand),
    ...sessionModeProblems("Odyssey", pool, demand),
  ],
  examples: {
    valid: {
      title: "Odyssey with one thread and with two, against PgBouncer",
      yaml: `name: odyssey-threads
target: { kind: embedded }
factors:
  pool:
    - { strategy: pgbouncer, size: 16 }
    - { strategy: odyssey, size: 16, preparedStatements: true }
    - { strategy: odyssey, size: 16, preparedStatements: true, settings: { workers: 2 } }
clients: 64
`,
    },
    refused: {
      title: "a number of prepared statements for Odyssey, which follows all or none",
      yaml: "name: x\npool: { strategy: odyssey, maxPreparedStatements: 100 }",
    },
  },
  text: ({ mode, reconnect, size, login, settings = {} }) =>
    [
      `odyssey, ${mode} mode, ${reconnectText(reconnect)}${size} server connections each`,
      ...(login === undefined ? [] : [`login by ${login}`]),
      ...Object.entries(settings).map(([name, value]) => `${name} ${value}`),
    ].join(", "),
};
