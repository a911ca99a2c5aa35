import { UsageError } from "../../foundation/errors.js";
import { hintOf } from "../../syntax/problems.js";
import {
  canonicalSetting,
  connectionRefusals,
  settingRefusals,
  SPARE_CONNECTIONS,
} from "../server-limits.js";

export type ServerSettings = Readonly<Record<string, string>>;

const DEFAULT_MAX_CONNECTIONS = 100;

/**
 * Defaults for one machine that runs load and server together: enough WAL and buffers that a run of minutes measures the
 * workload and not checkpoints, and the counters that explain a result. Durability is PostgreSQL's default. A new server
 * makes its log's files during use, and uses them again later: filled with zeros first, they cost the first trial an eighth
 * of its events and double its p99 (docs/lab/performance.md), and later trials nothing.
 */
const BENCHMARK_DEFAULTS: ServerSettings = {
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  wal_init_zero: "off",
  track_io_timing: "on",
  log_checkpoints: "on",
};

/** Defaults of the embedded server only, since other versions may lack them: it measures the fsyncs of its log. */
const EMBEDDED_DEFAULTS: ServerSettings = { track_wal_io_timing: "on" };

export interface LaunchFacts {
  readonly port: number;
  /** Directory of the Unix socket; empty for no socket. */
  readonly socketDirectory: string;
  readonly maxConnectionsNeeded: number;
  readonly modules: ReadonlySet<string>;
  readonly tls: "off" | "on" | "with-client-ca";
}

/** Throws a UsageError for a setting that is refused, or a max_connections that is too small. */
export function assertSettings(settings: ServerSettings, maxConnectionsNeeded: number): void {
  const [refusal] = [...settingRefusals(settings), ...connectionRefusals(settings, maxConnectionsNeeded)];
  if (!refusal) return;
  throw new UsageError(`target.settings.${refusal.name} ${refusal.words}`, hintOf(refusal));
}

/**
 * Settings for the start of an embedded server, as `name=value`. Mandatory ones override the user's, and these override
 * defaults.
 */
export function serverSettings(settings: ServerSettings, facts: LaunchFacts): string[] {
  const valueByName = new Map<string, string>(
    Object.entries({ ...recommendedSettings(facts), ...EMBEDDED_DEFAULTS }),
  );
  for (const [name, value] of Object.entries(settings)) valueByName.set(canonicalSetting(name), value);
  valueByName.set("listen_addresses", "127.0.0.1");
  valueByName.set("port", String(facts.port));
  valueByName.set("unix_socket_directories", facts.socketDirectory);
  if (facts.tls !== "off") {
    valueByName.set("ssl", "on");
    if (facts.tls === "with-client-ca") valueByName.set("ssl_ca_file", "client-ca.crt");
  }
  return [...valueByName].map(([name, value]) => `${name}=${value}`);
}

/** Settings of any server that train-sim starts, which the user's settings override. */
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

/** Name of the user's setting that a server's error message contains; undefined if there is none. */
export function settingNamedIn(complaint: string, settings: ServerSettings): string | undefined {
  const words = new Set(complaint.toLowerCase().match(/[a-z_][a-z0-9_.]*[a-z0-9_]/g));
  return Object.keys(settings).find((name) => words.has(canonicalSetting(name)));
}
