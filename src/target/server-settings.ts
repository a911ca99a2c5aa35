// The configuration of a PostgreSQL server that train-sim starts: what it needs, what suits a benchmark, and what
// the user's `target.settings` say, which win. It refuses the settings that would open the server to the network,
// move its files or have it run programs, since a scenario may come from anywhere, and a max_connections that the
// scenario does not fit into.
import { UsageError } from "../foundation/errors.js";

/** PostgreSQL configuration parameters, as `shared_buffers: 256MB`. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Connections for train-sim's own sessions and for superuser_reserved_connections. */
export const SPARE_CONNECTIONS = 13;
const DEFAULT_MAX_CONNECTIONS = 100;

const OURS: Readonly<Record<string, string>> = {
  port: "train-sim picks a free port; target.port sets that of an embedded server.",
  listen_addresses: "The server listens on 127.0.0.1 only.",
  unix_socket_directories: "The socket is in the server's private directory.",
  data_directory: "The data directory is made by train-sim and removed afterwards.",
  config_file: "Put the parameters into target.settings.",
  hba_file: "Log-in is by a generated password.",
  ident_file: "Log-in is by a generated password.",
  external_pid_file: "Nothing is written outside the server's private directory.",
};

/** Kinds of settings, by the ends of their names. */
const KINDS_OF_OURS: readonly (readonly [RegExp, string])[] = [
  [/_command$/, "A scenario has no programs run on this machine."],
  [
    /^log_(destination|directory|filename|file_mode)$|^logging_collector$|^syslog_|^event_source$/,
    "The server's log is kept in its private directory, where train-sim reads the reason of a failure.",
  ],
  [
    /^ssl(_.*_(file|dir))?$|_keyfile$|^(dynamic_library|extension_control)_path$/,
    "Nothing outside the server's private directory is read.",
  ],
];
/** Names of libraries that the server loads, which are its own unless they are paths. */
const LIBRARIES = /_libraries$|_library$|^jit_provider$/;

/** Why that setting is not the user's to make, if so. */
function refusalOf(name: string, value: string): string | undefined {
  const kind = KINDS_OF_OURS.find(([pattern]) => pattern.test(name));
  if (kind) return kind[1];
  if (LIBRARIES.test(name) && /[/\\]/.test(value))
    return "Name libraries of the server's own, without a path.";
  return OURS[name];
}

/**
 * Apt for one machine that runs load and server together: enough WAL and buffers that a run of minutes measures
 * the workload and not checkpoints, and the counters that explain a result. Durability is PostgreSQL's default.
 * A new server makes its log's files as it goes, and uses them again later: filled with zeros first, they cost the
 * first trial an eighth of its events and double its p99 (docs/performance.md), and later ones nothing.
 */
const BENCHMARK_DEFAULTS: ServerSettings = {
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  wal_init_zero: "off",
  track_io_timing: "on",
  log_checkpoints: "on",
};

/** Of the embedded server, whose version is known to have them: how long fsyncs of the log take. */
const EMBEDDED_DEFAULTS: ServerSettings = { track_wal_io_timing: "on" };

export interface LaunchFacts {
  readonly port: number;
  /** Empty for none. */
  readonly socketDirectory: string;
  readonly maxConnectionsNeeded: number;
  readonly modules: ReadonlySet<string>;
  readonly tls: "off" | "on" | "with-client-ca";
}

/** PostgreSQL takes names in any case and with dashes: `Shared-Buffers`. */
function canonical(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** UsageError for settings that are not the user's to make, or that leave too few connections. */
export function assertSettings(settings: ServerSettings, maxConnectionsNeeded: number): void {
  for (const [name, value] of Object.entries(settings)) {
    const why = refusalOf(canonical(name), value);
    if (why !== undefined) throw new UsageError(`target.settings.${name} cannot be set`, why);
    if (canonical(name) !== "max_connections") continue;
    const neededWithSpare = maxConnectionsNeeded + SPARE_CONNECTIONS;
    if (/^\d+$/.test(value.trim()) && Number(value) < neededWithSpare) {
      throw new UsageError(
        `target.settings.${name} is ${value}, but the scenario needs ${neededWithSpare}: ${maxConnectionsNeeded} for its clients and ${SPARE_CONNECTIONS} for train-sim itself and the superuser`,
        "Raise or leave out max_connections, or lower the number of clients or the pool's size.",
      );
    }
  }
}

/** Every `name=value` to start an embedded server with; a later one wins. */
export function serverSettings(settings: ServerSettings, facts: LaunchFacts): string[] {
  const wanted = new Map<string, string>(
    Object.entries({ ...recommendedSettings(facts), ...EMBEDDED_DEFAULTS }),
  );
  for (const [name, value] of Object.entries(settings)) wanted.set(canonical(name), value);
  wanted.set("listen_addresses", "127.0.0.1");
  wanted.set("port", String(facts.port));
  wanted.set("unix_socket_directories", facts.socketDirectory);
  if (facts.tls !== "off") {
    wanted.set("ssl", "on");
    if (facts.tls === "with-client-ca") wanted.set("ssl_ca_file", "client-ca.crt");
  }
  return [...wanted].map(([name, value]) => `${name}=${value}`);
}

/** What any server that train-sim starts is given before the user's settings. */
export function recommendedSettings(
  facts: Pick<LaunchFacts, "maxConnectionsNeeded" | "modules">,
): Record<string, string> {
  return {
    ...BENCHMARK_DEFAULTS,
    max_connections: String(
      Math.max(DEFAULT_MAX_CONNECTIONS, facts.maxConnectionsNeeded + SPARE_CONNECTIONS),
    ),
    ...(facts.modules.has("pg_stat_statements") && { shared_preload_libraries: "pg_stat_statements" }),
  };
}

/** The user's setting that a server's complaint names, if any. */
export function blameSetting(complaint: string, settings: ServerSettings): string | undefined {
  const words = new Set(complaint.toLowerCase().match(/[a-z_][a-z0-9_.]*[a-z0-9_]/g));
  return Object.keys(settings).find((name) => words.has(canonical(name)));
}
