// Views by version (13 to 18). Statistics take no lock of the workload's tables; sizes take the weakest.
import { STATISTICS_BEGAN, type WatchedWorkload } from "../../evidence.js";
import type { SqlClient } from "../admin.js";
import { tablesOfSchema } from "../namespace/schema-tables.js";
import { FOREIGN_SESSIONS, FOREIGN_TRANSACTIONS } from "./postgres-foreign.js";
import { SESSIONS_VIEW, WORKING_SESSIONS_QUERY } from "./postgres-sessions.js";
import { POSTGRES_PLANS } from "./postgres-plans.js";
import { POSTGRES_STATEMENTS } from "./postgres-statements.js";
import { POSTGRES_TABLES } from "./postgres-tables.js";
import {
  SAMPLER_MARK,
  type SamplerDialect,
  type ScanSource,
  type ViewContext,
  type View,
  type ViewGroup,
  tableListSql,
} from "./view.js";

const WAL_TIMING_OFF_REASON = "track_wal_io_timing is off on the server";
const ifWalTiming = (column: string): string =>
  `CASE WHEN current_setting('track_wal_io_timing')::bool THEN ${column} END`;

const WAL_VIEWS: readonly View[] = [
  {
    source: "pg_current_wal_insert_lsn",
    metricNames: ["wal.bytes"],
    // The position in the log is exact and up to date, unlike pg_stat_wal, to which a busy session reports once a
    // second.
    text: () => `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS "wal.bytes"`,
  },
  {
    source: "pg_stat_wal",
    fromVersion: 14,
    metricNames: ["wal.records", "wal.fullPageImages", "wal.buffersFull"],
    text: () => `SELECT wal_records AS "wal.records", wal_fpi AS "wal.fullPageImages", wal_buffers_full AS "wal.buffersFull"
      FROM pg_stat_wal`,
  },
  {
    source: "pg_stat_io (wal)",
    fromVersion: 18,
    metricNames: ["wal.fsyncs", "wal.fsyncMs", "wal.zeroBytes"],
    text: () => `SELECT sum(fsyncs) AS "wal.fsyncs", ${ifWalTiming("sum(fsync_time)")} AS "wal.fsyncMs",
        sum(write_bytes) FILTER (WHERE context = 'init') AS "wal.zeroBytes"
      FROM pg_stat_io WHERE object = 'wal'`,
    ifNull: { "wal.fsyncMs": WAL_TIMING_OFF_REASON },
  },
  {
    source: "pg_stat_wal (fsync)",
    fromVersion: 14,
    untilVersion: 17,
    metricNames: ["wal.fsyncs", "wal.fsyncMs"],
    text: () =>
      `SELECT wal_sync AS "wal.fsyncs", ${ifWalTiming("wal_sync_time")} AS "wal.fsyncMs" FROM pg_stat_wal`,
    ifNull: { "wal.fsyncMs": WAL_TIMING_OFF_REASON },
  },
];

/**
 * Views of buffers that were written. Blocks added to a file count as well; up to version 15, `buffers_backend` has them.
 */
const BUFFER_VIEWS: readonly View[] = [
  {
    source: "pg_stat_io",
    fromVersion: 18,
    metricNames: ["blocks.written"],
    text: () => `SELECT sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) / current_setting('block_size')::int
        AS "blocks.written"
      FROM pg_stat_io WHERE object = 'relation'`,
  },
  {
    source: "pg_stat_io",
    fromVersion: 16,
    untilVersion: 17,
    metricNames: ["blocks.written"],
    text: () => `SELECT sum(coalesce(writes, 0) + coalesce(extends, 0)) AS "blocks.written"
      FROM pg_stat_io WHERE object = 'relation'`,
  },
  {
    source: "pg_stat_bgwriter",
    untilVersion: 15,
    metricNames: ["blocks.written"],
    text: () =>
      `SELECT buffers_checkpoint + buffers_clean + buffers_backend AS "blocks.written" FROM pg_stat_bgwriter`,
  },
  {
    source: "pg_stat_checkpointer",
    fromVersion: 18,
    metricNames: ["checkpoints.done"],
    text: () => `SELECT num_done AS "checkpoints.done" FROM pg_stat_checkpointer`,
  },
  {
    source: "pg_stat_checkpointer",
    fromVersion: 17,
    untilVersion: 17,
    metricNames: ["checkpoints.done"],
    text: () => `SELECT num_timed + num_requested AS "checkpoints.done" FROM pg_stat_checkpointer`,
  },
  {
    source: "pg_stat_bgwriter",
    untilVersion: 16,
    metricNames: ["checkpoints.done"],
    text: () => `SELECT checkpoints_timed + checkpoints_req AS "checkpoints.done" FROM pg_stat_bgwriter`,
  },
];

const DATABASE_VIEW: View = {
  source: "pg_stat_database",
  metricNames: [
    "transactions.commits",
    "transactions.rollbacks",
    "transactions.deadlocks",
    "blocks.hit",
    "blocks.read",
    "temporary.bytes",
  ],
  text: () => `SELECT xact_commit AS "transactions.commits", xact_rollback AS "transactions.rollbacks",
      deadlocks AS "transactions.deadlocks", blks_hit AS "blocks.hit", blks_read AS "blocks.read",
      temp_bytes AS "temporary.bytes"
    FROM pg_stat_database WHERE datname = current_database()`,
};

/** View of the time at which the server's statistics began: its last crash or reset. */
const STATISTICS_BEGAN_VIEW: View = {
  source: "pg_stat_bgwriter (stats_reset)",
  metricNames: [STATISTICS_BEGAN],
  text: () => `SELECT extract(epoch FROM stats_reset)::float8 AS "${STATISTICS_BEGAN}" FROM pg_stat_bgwriter`,
};

const TABLES_VIEW: View = {
  source: "pg_stat_user_tables",
  metricNames: [
    "tuples.inserted",
    "tuples.updated",
    "tuples.hotUpdated",
    "tuples.deleted",
    "tuples.dead",
    "vacuum.autovacuums",
  ],
  // The functions behind pg_stat_user_tables: the view itself would first group all tables of the database.
  text: (survey) => `SELECT sum(pg_stat_get_tuples_inserted(t)) AS "tuples.inserted",
      sum(pg_stat_get_tuples_updated(t)) AS "tuples.updated",
      sum(pg_stat_get_tuples_hot_updated(t)) AS "tuples.hotUpdated",
      sum(pg_stat_get_tuples_deleted(t)) AS "tuples.deleted",
      sum(pg_stat_get_dead_tuples(t)) AS "tuples.dead",
      sum(pg_stat_get_autovacuum_count(t)) AS "vacuum.autovacuums"
    FROM unnest(ARRAY[${tableListSql(survey)}]::oid[]) AS t`,
};

const VACUUM_VIEW: View = {
  source: "pg_stat_progress_vacuum",
  metricNames: ["vacuum.workers"],
  // A row of another role may hide its table; the number of workers is then not known.
  text: (survey) => `SELECT CASE WHEN count(*) FILTER (WHERE relid IS NULL) = 0
      THEN count(*) FILTER (WHERE relid IN (${tableListSql(survey)})) END AS "vacuum.workers"
    FROM pg_stat_progress_vacuum WHERE datname = current_database()`,
  ifNull: {
    "vacuum.workers": "the sampler's role does not see the vacuums of other roles: GRANT pg_monitor to it",
  },
};

const SIZES_VIEW: View = {
  source: "pg_relation_size",
  metricNames: ["size.tableBytes", "size.indexBytes", "size.toastBytes"],
  text: (survey) => `SELECT sum(pg_relation_size(oid)) AS "size.tableBytes",
      sum(pg_indexes_size(oid)) AS "size.indexBytes",
      sum(CASE WHEN reltoastrelid = 0 THEN 0 ELSE pg_total_relation_size(reltoastrelid) END) AS "size.toastBytes"
    FROM pg_class WHERE oid IN (${tableListSql(survey)})`,
};

const pendingPagesQuery = (indexes: readonly string[], pages: string): string | undefined =>
  indexes.length === 0
    ? undefined
    : `SELECT sum(${pages}) AS "gin.pendingPages"
        FROM unnest(ARRAY[${indexes.map((index) => `'${index.replaceAll("'", "''")}'`).join(", ")}]::text[]) AS i`;

const GIN_VIEWS: readonly View[] = [
  {
    source: "pgstatginindex",
    extension: "pgstattuple",
    metricNames: ["gin.pendingPages"],
    text: ({ extensions, invertedIndexes }) =>
      pendingPagesQuery(
        invertedIndexes,
        `(${extensions.get("pgstattuple") ?? ""}.pgstatginindex(i::regclass)).pending_pages`,
      ),
  },
  {
    source: "gin_metapage_info",
    extension: "pageinspect",
    metricNames: ["gin.pendingPages"],
    text: ({ extensions, invertedIndexes }) => {
      const schema = extensions.get("pageinspect") ?? "";
      return pendingPagesQuery(
        invertedIndexes,
        `(${schema}.gin_metapage_info(${schema}.get_raw_page(i, 0))).n_pending_pages`,
      );
    },
  },
];

const SCANS_SOURCE: ScanSource = {
  name: "pg_stat_user_indexes",
  counts: (survey) => `SELECT ${SAMPLER_MARK} read.*, whole.stats_reset::text AS since
    FROM pg_stat_database AS whole, (
      SELECT relname AS name, 'table' AS kind, seq_scan AS scans
        FROM pg_stat_user_tables WHERE relid IN (${tableListSql(survey)})
      UNION ALL SELECT indexrelname, 'index', idx_scan
        FROM pg_stat_user_indexes WHERE relid IN (${tableListSql(survey)})) AS read
    WHERE whole.datname = current_database()`,
};

const VIEW_GROUPS: readonly ViewGroup[] = [
  {
    name: "statistics",
    views: [
      STATISTICS_BEGAN_VIEW,
      DATABASE_VIEW,
      ...WAL_VIEWS,
      ...BUFFER_VIEWS,
      SESSIONS_VIEW,
      FOREIGN_SESSIONS,
      ...FOREIGN_TRANSACTIONS,
      TABLES_VIEW,
      VACUUM_VIEW,
    ],
    isVital: true,
  },
  { name: "sizes", views: [SIZES_VIEW, ...GIN_VIEWS], isVital: false },
];

async function survey(client: SqlClient, watched: WatchedWorkload): Promise<ViewContext> {
  const others = watched.schema === undefined ? [] : await tablesOfSchema(client, watched.schema);
  const tables = { ...Object.fromEntries(others.map((name) => [name, name])), ...watched.tables };
  const workload = { ...watched, tables };
  const [version] = await client.query("SELECT current_setting('server_version_num')::int / 10000 AS major");
  const extensions = await client.query(
    `SELECT extname, quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace`,
  );
  const indexes = await client.query(
    `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS index
       FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
       JOIN pg_am AS a ON a.oid = c.relam
      WHERE a.amname = 'gin' AND i.indrelid = ANY (string_to_array($1, '|')::regclass[]::oid[])`,
    [Object.values(workload.tables).join("|")],
  );
  const partitions = await client.query(
    `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS partition
       FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE i.inhparent = ANY (string_to_array($1, '|')::regclass[]::oid[]) AND c.relkind IN ('r', 'p')`,
    [Object.values(workload.tables).join("|")],
  );
  const partitionNames = partitions.map(({ partition }) => String(partition));
  return {
    ...workload,
    // A partitioned table holds no rows itself, so its partitions are watched.
    tables: { ...workload.tables, ...Object.fromEntries(partitionNames.map((name) => [name, name])) },
    version: Number(version?.major),
    extensions: new Map(extensions.map(({ extname, schema }) => [String(extname), String(schema)])),
    invertedIndexes: indexes.map(({ index }) => String(index)),
  };
}

export const POSTGRES_SAMPLER: SamplerDialect = {
  groups: VIEW_GROUPS,
  // The sampler must not hinder the load: it gives up soon, takes no second processor and compiles nothing.
  preamble: `SET LOCAL statement_timeout = '1s'; SET LOCAL lock_timeout = '50ms'; SET LOCAL jit = off;
    SET LOCAL max_parallel_workers_per_gather = 0;`,
  installationStatements: [
    "CREATE EXTENSION IF NOT EXISTS pg_stat_statements",
    "CREATE EXTENSION IF NOT EXISTS pgstattuple",
  ],
  statements: POSTGRES_STATEMENTS,
  scans: SCANS_SOURCE,
  tables: POSTGRES_TABLES,
  plans: POSTGRES_PLANS,
  workingSessionsQuery: WORKING_SESSIONS_QUERY,
  survey,
};
