// Product, version, settings and room for connections of the server. Settings that can hold a secret or a path stay out.
import type { ConnectionBudget, ServerInfo } from "../contract.js";
import type { SqlClient } from "./admin.js";
import type { SqlRow } from "../sql.js";
import type { DialectName } from "./settings.js";

export type Product = "PostgreSQL" | "CockroachDB" | "Aurora DSQL" | "Cloudberry" | "Greenplum" | "unknown";

/** Dialects of products that are no PostgreSQL; products that are not listed speak PostgreSQL. */
const DIALECT_BY_PRODUCT: Readonly<Partial<Record<Product, DialectName>>> = {
  PostgreSQL: "postgres",
  CockroachDB: "cockroachdb",
  "Aurora DSQL": "dsql",
  Cloudberry: "cloudberry",
  Greenplum: "cloudberry",
};

export function dialectOfProduct(product: Product): DialectName | undefined {
  return DIALECT_BY_PRODUCT[product];
}

/** Settings that are always shown, since an evaluation of a queue needs them even if they have their defaults. */
const ALWAYS_SHOWN_SETTINGS = [
  "autovacuum",
  "autovacuum_naptime",
  "checkpoint_timeout",
  "deadlock_timeout",
  "default_toast_compression",
  "effective_cache_size",
  "fsync",
  "full_page_writes",
  "io_method",
  "jit",
  "maintenance_work_mem",
  "max_connections",
  "max_wal_size",
  "random_page_cost",
  "server_version",
  "shared_buffers",
  "synchronous_commit",
  "wal_buffers",
  "wal_compression",
  "wal_init_zero",
  "wal_level",
  "work_mem",
];

/**
 * Settings that are never shown: they can hold a password or a command line, state where files are, or differ at every
 * start.
 */
const HIDDEN_SETTINGS_PATTERN =
  "(conninfo|passphrase|command|password|secret|token|keyfile|_file$|_director|_path|_key|preset|^port$)";

/** The product in the text of `version()`. A table `sys.jobs` (`hasJobs`) tells Aurora DSQL from PostgreSQL. */
export function productOf(versionText: string, hasJobs = false): Product {
  if (/^CockroachDB/.test(versionText)) return "CockroachDB";
  if (/Cloudberry/.test(versionText)) return "Cloudberry";
  if (/Greenplum/.test(versionText)) return "Greenplum";
  if (hasJobs) return "Aurora DSQL";
  return /^PostgreSQL/.test(versionText) ? "PostgreSQL" : "unknown";
}

export function versionOf(versionText: string): string {
  const productVersion = /\((?:Apache Cloudberry|Cloudberry Database|Greenplum Database) ([\d.]+)/.exec(
    versionText,
  )?.[1];
  return productVersion ?? /\bv?\d+(?:\.\d+)*(?:(?:beta|rc|devel)\d*)?/.exec(versionText)?.[0] ?? "unknown";
}

function textOf(row: SqlRow | undefined, column: string): string {
  const value = row?.[column];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export async function readSettings(client: SqlClient): Promise<Record<string, string>> {
  // `source` shows what an administrator set. Our session lifts some settings; `reset_val` has their original values.
  const rows = await client.query(
    `SELECT name, CASE source WHEN 'session' THEN reset_val || coalesce(unit, '')
                              ELSE current_setting(name, true) END AS value
       FROM pg_settings
      WHERE (name = ANY (string_to_array($1, ',')) OR source NOT IN ('default', 'client', 'session', 'override')
             OR (source = 'session' AND reset_val <> boot_val))
        AND name !~ $2
        AND coalesce(category, '') NOT IN ('File Locations', 'Preset Options')
      ORDER BY name`,
    [ALWAYS_SHOWN_SETTINGS.join(","), HIDDEN_SETTINGS_PATTERN],
  );
  return Object.fromEntries(rows.map((row) => [textOf(row, "name"), textOf(row, "value")]));
}

async function readConnections(client: SqlClient): Promise<ConnectionBudget> {
  // A role without the right to see other users' sessions gets a null backend_type, but gets the database.
  const [row] = await client.query(
    `SELECT current_setting('max_connections')::int AS max,
            current_setting('superuser_reserved_connections')::int
              + coalesce(current_setting('reserved_connections', true)::int, 0) AS reserved,
            (SELECT count(*) FROM pg_stat_activity
              WHERE datid IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend') AS in_use`,
  );
  const number = (column: string): number => Number(textOf(row, column));
  return { max: number("max"), reserved: number("reserved"), inUse: number("in_use") };
}

export async function readServerInfo(client: SqlClient): Promise<ServerInfo> {
  const [row] = await client.query(
    "SELECT version() AS version, to_regclass('sys.jobs') IS NOT NULL AS jobs",
  );
  const versionText = textOf(row, "version");
  const product = productOf(versionText, row?.jobs === true);
  const hasPostgresSettings = product === "PostgreSQL" || dialectOfProduct(product) === "cloudberry";
  return {
    product,
    dialect: dialectOfProduct(product),
    version: versionOf(versionText),
    versionText,
    settings: hasPostgresSettings ? await readSettings(client) : {},
    connections: hasPostgresSettings
      ? await readConnections(client)
      : { max: undefined, reserved: 0, inUse: 0 },
  };
}
