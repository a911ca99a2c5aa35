// Views by version (13 to 18). Statistics take no lock of the workload's tables; sizes take the weakest.
import { STATISTICS_BEGAN, type WatchedWorkload } from "../../evidence.js";
import type { SqlClient } from "../admin.js";
import { FOREIGN_SESSIONS, FOREIGN_TRANSACTIONS } from "./postgres-foreign.js";
import { SESSIONS_VIEW, WORKING_SESSIONS } from "./postgres-sessions.js";
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
  tableList,
} from "./view.js";

const NO_WAL_TIMING = "track_wal_io_timing is off on the server";
const ifWalTiming = (column: string): string =>
  `CASE WHEN current_setting('track_wal_io_timing')::bool THEN ${column} END`;

const WAL_VIEWS: readonly View[] = [
  {
    source: "pg_current_wal_insert_lsn",
    gives: ["wal.bytes"],
    // The position in the log is exact and up to date, unlike pg_stat_wal, to which a busy session reports once a
    // second.
    text: () => `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS "wal.bytes"`,
  },
  {
    source: "pg_stat_wal",
    from: 14,
    gives: ["wal.records", "wal.fullPageImages", "wal.buffersFull"],
    text: () => `SELECT wal_records AS "wal.records", wal_fpi AS "wal.fullPageImages", wal_buffers_full AS "wal.buffersFull"
      FROM pg_stat_wal`,
  },
  {
    source: "pg_stat_io (wal)",
    from: 18,
    gives: ["wal.fsyncs", "wal.fsyncMs", "wal.zeroBytes"],
    text: () => `SELECT sum(fsyncs) AS "wal.fsyncs", ${ifWalTiming("sum(fsync_time)")} AS "wal.fsyncMs",
        sum(write_bytes) FILTER (WHERE context = 'init') AS "wal.zeroBytes"
      FROM pg_stat_io WHERE object = 'wal'`,
    ifNull: { "wal.fsyncMs": NO_WAL_TIMING },
  },
  {
    source: "pg_stat_wal (fsync)",
    from: 14,
    until: 17,
    gives: ["wal.fsyncs", "wal.fsyncMs"],
    text: () =>
      `SELECT wal_sync AS "wal.fsyncs", ${ifWalTiming("wal_sync_time")} AS "wal.fsyncMs" FROM pg_stat_wal`,
    ifNull: { "wal.fsyncMs": NO_WAL_TIMING },
  },
];

/**
 * Views of buffers that were written. Blocks added to a file count as well; up to version 15, `buffers_backend` has them.
 */
const BUFFER_VIEWS: readonly View[] = [
  {
    source: "pg_stat_io",
    from: 18,
    gives: ["blocks.written"],
    text: () => `SELECT sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) / current_setting('block_size')::int
        AS "blocks.written"
      FROM pg_stat_io WHERE object = 'relation'`,
  },
  {
    source: "pg_stat_io",
    from: 16,
    until: 17,
    gives: ["blocks.written"],
    text: () => `SELECT sum(coalesce(writes, 0) + coalesce(extends, 0)) AS "blocks.written"
      FROM pg_stat_io WHERE object = 'relation'`,
  },
  {
    source: "pg_stat_bgwriter",
    until: 15,
    gives: ["blocks.written"],
    text: () =>
      `SELECT buffers_checkpoint + buffers_clean + buffers_backend AS "blocks.written" FROM pg_stat_bgwriter`,
  },
  {
    source: "pg_stat_checkpointer",
    from: 18,
    gives: ["checkpoints.done"],
    text: () => `SELECT num_done AS "checkpoints.done" FROM pg_stat_checkpointer`,
  },
  {
    source: "pg_stat_checkpointer",
    from: 17,
    until: 17,
    gives: ["checkpoints.done"],
    text: () => `SELECT num_timed + num_requested AS "checkpoints.done" FROM pg_stat_checkpointer`,
  },
  {
    source: "pg_stat_bgwriter",
    until: 16,
    gives: ["checkpoints.done"],
    text: () => `SELECT checkpoints_timed + checkpoints_req AS "checkpoints.done" FROM pg_stat_bgwriter`,
  },
];

const DATABASE_VIEW: View = {
  source: "pg_stat_database",
  gives: [
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
  gives: [STATISTICS_BEGAN],
  text: () => `SELECT extract(epoch FROM stats_reset)::float8 AS "${STATISTICS_BEGAN}" FROM pg_stat_bgwriter`,
};

const TABLES_VIEW: View = {
  source: "pg_stat_user_tables",
  gives: [
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
    FROM unnest(ARRAY[${tableList(survey)}]::oid[]) AS t`,
};

const VACUUM_VIEW: View = {
  source: "pg_stat_progress_vacuum",
  gives: ["vacuum.workers"],
  // A row of another role may hide its table; the number of workers is then not known.
  text: (survey) => `SELECT CASE WHEN count(*) FILTER (WHERE relid IS NULL) = 0
      THEN count(*) FILTER (WHERE relid IN (${tableList(survey)})) END AS "vacuum.workers"
    FROM pg_stat_progress_vacuum WHERE datname = current_database()`,
  ifNull: {
    "vacuum.workers": "the sampler's role does not see the vacuums of other roles: GRANT pg_monitor to it",
  },
};

const SIZES_VIEW: View = {
  source: "pg_relation_size",
  gives: ["size.tableBytes", "size.indexBytes", "size.toastBytes"],
  text: (survey) => `SELECT sum(pg_relation_size(oid)) AS "size.tableBytes",
      sum(pg_indexes_size(oid)) AS "size.indexBytes",
      sum(CASE WHEN reltoastrelid = 0 THEN 0 ELSE pg_total_relation_size(reltoastrelid) END) AS "size.toastBytes"
    FROM pg_class WHERE oid IN (${tableList(survey)})`,
};

const pendingPages = (indexes: readonly string[], pages: string): string | undefined =>
  indexes.length === 0
    ? undefined
    : `SELECT sum(${pages}) AS "gin.pendingPages"
        FROM unnest(ARRAY[${indexes.map((index) => `'${index.replaceAll("'", "''")}'`).join(", ")}]::text[]) AS i`;

const GIN_VIEWS: readonly View[] = [
  {
    source: "pgstatginindex",
    extension: "pgstattuple",
    gives: ["gin.pendingPages"],
    text: ({ extensions, invertedIndexes }) =>
      pendingPages(
        invertedIndexes,
        `(${extensions.get("pgstattuple") ?? ""}.pgstatginindex(i::regclass)).pending_pages`,
      ),
  },
  {
    source: "gin_metapage_info",
    extension: "pageinspect",
    gives: ["gin.pendingPages"],
    text: ({ extensions, invertedIndexes }) => {
      const schema = extensions.get("pageinspect") ?? "";
      return pendingPages(
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
        FROM pg_stat_user_tables WHERE relid IN (${tableList(survey)})
      UNION ALL SELECT indexrelname, 'index', idx_scan
        FROM pg_stat_user_indexes WHERE relid IN (${tableList(survey)})) AS read
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

async function survey(client: SqlClient, workload: WatchedWorkload): Promise<ViewContext> {
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
  const named = partitions.map(({ partition }) => String(partition));
  return {
    ...workload,
    // A partitioned table holds no rows itself, so its partitions are watched.
    tables: { ...workload.tables, ...Object.fromEntries(named.map((name) => [name, name])) },
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
  installation: [
    "CREATE EXTENSION IF NOT EXISTS pg_stat_statements",
    "CREATE EXTENSION IF NOT EXISTS pgstattuple",
  ],
  statements: POSTGRES_STATEMENTS,
  scans: SCANS_SOURCE,
  tables: POSTGRES_TABLES,
  plans: POSTGRES_PLANS,
  workingSessions: WORKING_SESSIONS,
  survey,
};
