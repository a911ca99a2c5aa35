// Settings that would open a server that train-sim starts to the network, move its files or run programs.
import type { Refusal } from "../syntax/problems.js";

/** Connections for train-sim's control sessions and for superuser_reserved_connections, besides the scenario's. */
export const SPARE_CONNECTIONS = 13;

type Settings = Readonly<Record<string, string>>;

const REFUSED_SETTINGS: Readonly<Record<string, string>> = {
  port: "a free port is picked; target.port sets that of an embedded server",
  listen_addresses: "the server listens on 127.0.0.1 only",
  unix_socket_directories: "the socket is in the server's private directory",
  data_directory: "the data directory is made by train-sim and removed afterwards",
  config_file: "put the parameters into target.settings",
  hba_file: "log-in is by a generated password",
  ident_file: "log-in is by a generated password",
  external_pid_file: "nothing is written outside the server's private directory",
};

/** Patterns of names of settings that are refused, each with the reason. */
const REFUSED_SETTING_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/_command$/, "a scenario must not run programs on this machine"],
  [
    /^log_(destination|directory|filename|file_mode)$|^logging_collector$|^syslog_|^event_source$/,
    "the server's log is kept in its private directory, where train-sim reads the reason of a failure",
  ],
  [
    /^ssl(_.*_(file|dir))?$|_keyfile$|^(dynamic_library|extension_control)_path$/,
    "nothing outside the server's private directory is read",
  ],
];
/** Names of settings that load libraries. Such a setting is refused only if its value has a path. */
const LIBRARY_SETTING_PATTERN = /_libraries$|_library$|^jit_provider$/;

/** The canonical name of a setting: PostgreSQL takes names in any case and with dashes, such as `Shared-Buffers`. */
export function canonicalSetting(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

function refusalReason(name: string, value: string): string | undefined {
  const kind = REFUSED_SETTING_PATTERNS.find(([pattern]) => pattern.test(name));
  if (kind) return kind[1];
  if (LIBRARY_SETTING_PATTERN.test(name) && /[/\\]/.test(value))
    return "name libraries of the server, without a path";
  return Object.hasOwn(REFUSED_SETTINGS, name) ? REFUSED_SETTINGS[name] : undefined;
}

/** A setting that is refused. */
export interface SettingRefusal extends Refusal {
  /** The name in the user's spelling. */
  readonly name: string;
}

/** Refusals of settings that would open the server to the network, move its files or run programs. */
export function settingRefusals(settings: Settings): SettingRefusal[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const way = refusalReason(canonicalSetting(name), value);
    return way === undefined ? [] : [{ name, words: "cannot be set", way }];
  });
}

/** Refusals of a max_connections that is too small for the scenario's connections and the spare ones. */
export function connectionRefusals(settings: Settings, maxConnectionsNeeded: number): SettingRefusal[] {
  const needed = maxConnectionsNeeded + SPARE_CONNECTIONS;
  const words = (value: string): string =>
    `is ${value}, but the scenario needs ${needed}: ${maxConnectionsNeeded} for its clients and ${SPARE_CONNECTIONS} ` +
    "for train-sim itself and the superuser";
  const way = "raise or leave out max_connections, or lower the number of clients or the pool's size";
  return Object.entries(settings)
    .filter(([name, value]) => canonicalSetting(name) === "max_connections" && /^\s*\d+\s*$/.test(value))
    .filter(([, value]) => Number(value) < needed)
    .map(([name, value]) => ({ name, words: words(value), way }));
}
