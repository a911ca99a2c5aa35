// The only list of the metrics of a server, its tables and statements, a pooler and the machine: all consumers iterate it
// by way of `workloads/evidence.ts`, where a workload adds more.
import {
  evidenceReason,
  cost,
  counter,
  gauge,
  growth,
  last,
  most,
  ratio,
  spread,
  total,
  type EvidenceMetric,
  type Numbers,
} from "./evidence-metric.js";
import { OUTSIDE_EVIDENCE, SESSIONS_PANEL } from "./outside-evidence.js";

export const EVIDENCE = [
  gauge("sessions.active", "sessions", "sessions of the load that run a statement", {
    live: { line: [SESSIONS_PANEL, "active"] },
    window: spread("sessionsActive"),
  }),
  gauge(
    "sessions.idleInTransaction",
    "sessions",
    "sessions that hold a transaction open and wait for the client",
    {
      window: spread("sessionsIdleInTransaction", {
        reason: evidenceReason(
          "idle",
          0.3,
          "{now} sessions on average were idle in a transaction against {then}",
        ),
      }),
    },
  ),
  gauge("sessions.idle", "sessions", "sessions without a transaction"),
  gauge("foreign.active", "sessions", "sessions of others on the server that run a statement"),
  gauge("foreign.activeHere", "sessions", "of these, in the database of the load"),
  gauge("foreignSessions.*", "sessions", "the same by database/user/application, the five with most"),
  gauge("wait.*", "sessions", "active sessions by wait event, `wait.CPU` for those that wait for nothing"),
  gauge("locks.blocked", "sessions", "sessions that wait for a lock of another", {
    live: { word: "blocked", line: [SESSIONS_PANEL, "blocked by a lock"] },
    window: spread("blocked", {
      reason: evidenceReason(
        "locks",
        0.2,
        "{now} sessions on average were blocked by another against {then}",
      ),
    }),
  }),
  counter("locks.rowWaits", "", "InnoDB: waits for a row lock", {
    window: total("rowLockWaits", {
      isThreshold: true,
      reason: evidenceReason("locks", 0.05, "{now} row locks per event were waited for against {then}", {
        per: "event",
      }),
    }),
  }),
  counter("locks.rowWaitMs", "ms", "InnoDB: time in them", { window: total("rowLockWaitMs") }),
  gauge("locks.longestChain", "sessions", "sessions in the longest chain of lock waits, without the holder", {
    window: most("longestChain", { isWhole: true }),
  }),
  gauge(
    "contention.events",
    "",
    "CockroachDB: waits for other transactions that were noted in the last second",
  ),
  gauge("contention.waitMs", "ms", "CockroachDB: how long they took together"),
  counter("operations.inserts", "", "MongoDB: inserts of all clients (opcounters)"),
  counter("operations.queries", "", "MongoDB: queries of all clients"),
  counter("operations.updates", "", "MongoDB: updates of all clients, without findAndModify"),
  counter("operations.commands", "", "MongoDB: commands of all clients, findAndModify among them"),
  counter("operations.writeConflicts", "", "MongoDB: writes that met another write of the same document", {
    window: total("writeConflicts", {
      reason: evidenceReason("conflicts", 0.05, "{now} writes per event met another write against {then}", {
        per: "event",
      }),
    }),
  }),
  gauge("connections.open", "connections", "MongoDB: connections of all clients"),
  gauge("cache.bytes", "bytes", "MongoDB: contents of the cache of WiredTiger"),
  gauge("cache.dirtyBytes", "bytes", "MongoDB: of these, not written to the data files yet", {
    window: spread("cacheDirtyBytes"),
  }),
  gauge(
    "xmin.ageTransactions",
    "transactions",
    "transactions since the oldest snapshot that vacuum must respect",
    {
      window: most("oldestXminAge", {
        reason: evidenceReason("xmin", 1000, "the oldest snapshot was {now} transactions old against {then}"),
      }),
    },
  ),
  gauge("xmin.oldestTransactionMs", "ms", "age of the oldest open transaction", {
    window: most("oldestTransactionMs", {
      reason: evidenceReason("xmin", 1000, "the oldest transaction was open for {now} against {then}"),
    }),
  }),
  gauge("vacuum.workers", "", "autovacuum workers at work on the workload's tables"),
  counter("vacuum.autovacuums", "", "runs of autovacuum that ended on the workload's tables", {
    window: total("autovacuums", { isWhole: true }),
  }),
  counter("wal.bytes", "bytes", "write-ahead log", {
    source: "log",
    window: total("walBytes", { isThreshold: true }),
    perEvent: cost("walBytes", "WAL per event", {
      reason: evidenceReason("wal", 100, "{who} wrote {now} of WAL per event against {then}"),
    }),
  }),
  counter("wal.records", "records", "records of the write-ahead log", {
    window: total("walRecords", { isThreshold: true }),
    perEvent: cost("walRecords", "WAL records per event"),
  }),
  counter("wal.fullPageImages", "pages", "full-page images in the write-ahead log", {
    window: total("walFullPageImages", { isThreshold: true }),
    perEvent: cost("walFullPageImages", "Full-page images per event", {
      reason: evidenceReason("pages", 0.05, "the WAL held {now} full pages per event against {then}"),
    }),
  }),
  counter("wal.buffersFull", "", "writes of the write-ahead log because wal_buffers was full", {
    window: total("walBuffersFull", {
      isThreshold: true,
      reason: evidenceReason(
        "buffers",
        0.05,
        "the WAL was written {now} times per transaction for full wal_buffers against {then}",
        {
          per: "transaction",
        },
      ),
    }),
  }),
  counter("wal.fsyncs", "", "fsyncs of the write-ahead log", {
    window: total("walFsyncs", {
      reason: evidenceReason(
        "fsync",
        0.05,
        "there were {now} fsyncs of the WAL per transaction against {then}",
        {
          per: "transaction",
        },
      ),
    }),
  }),
  counter("wal.fsyncMs", "ms", "time in them (track_wal_io_timing)", {
    window: total("walFsyncMs", {
      reason: evidenceReason("fsync", 0.1, "one fsync of the WAL took {now} against {then}", {
        per: "fsync",
      }),
    }),
  }),
  gauge("wal.checkpointAgeBytes", "bytes", "InnoDB: redo log since the last checkpoint", {
    window: most("checkpointAgeBytes", { chart: "Checkpoint age, at most" }),
  }),
  counter("wal.zeroBytes", "bytes", "zeros written into new files of the write-ahead log (PostgreSQL 18)", {
    window: total("walZeroBytes"),
  }),
  counter("transactions.commits", "transactions", "transactions committed in the database", {
    window: total("commits"),
  }),
  counter("transactions.rollbacks", "transactions", "transactions rolled back", {
    window: total("rollbacks"),
  }),
  counter(
    "transactions.logins",
    "transactions",
    "transactions by which sessions and, from PostgreSQL 18 on, parallel workers were started in the database",
  ),
  counter(
    "transactions.control",
    "transactions",
    "transactions of train-sim's own control work, on all servers",
    { source: "client" },
  ),
  counter("transactions.elsewhere", "transactions", "transactions in other databases of the server"),
  counter("transactions.deadlocks", "", "deadlocks", { window: total("deadlocks", { isThreshold: true }) }),
  counter("blocks.hit", "blocks", "blocks found in shared buffers", { window: total("blocksHit") }),
  counter("blocks.read", "blocks", "blocks read from outside of them", {
    window: total("blocksRead", {
      reason: evidenceReason(
        "reads",
        0.1,
        "{now} blocks per event were not in shared buffers against {then}",
        {
          per: "event",
        },
      ),
    }),
  }),
  counter("temporary.bytes", "bytes", "written to temporary files", {
    window: total("temporaryBytes", {
      isThreshold: true,
      reason: evidenceReason("files", 100, "{now} of temporary files per event were written against {then}", {
        per: "event",
      }),
    }),
  }),
  counter("checkpoints.done", "", "checkpoints", {
    window: total("checkpoints", {
      reason: evidenceReason("pages", 1, "there were {now} checkpoints a minute against {then}", {
        per: "minute",
      }),
    }),
  }),
  gauge("size.tableBytes", "bytes", "the workload's tables without indexes and TOAST", {
    window: last("tableBytes", { isThreshold: true, chart: "Tables" }),
    perEvent: cost("tableBytes", "Table growth per event", {
      reason: evidenceReason("tables", 100, "{who}'s tables grew by {now} per event against {then}"),
    }),
  }),
  gauge("size.indexBytes", "bytes", "their indexes", {
    window: last("indexBytes", { isThreshold: true, chart: "Indexes" }),
    perEvent: cost("indexBytes", "Index growth per event", {
      reason: evidenceReason("indexes", 50, "{who}'s indexes grew by {now} per event against {then}"),
    }),
  }),
  gauge("size.toastBytes", "bytes", "their TOAST tables with indexes", {
    window: last("toastBytes", { isThreshold: true, chart: "TOAST" }),
    perEvent: cost("toastBytes", "TOAST growth per event", {
      reason: evidenceReason("tables", 100, "{who}'s TOAST grew by {now} per event against {then}"),
    }),
  }),
  gauge("size.bytes", "bytes", "tables, indexes and TOAST together", {
    isSampled: false,
    window: {
      field: "sizeBytes",
      isStored: false,
      isThreshold: true,
      compute: ({ tableBytes, indexBytes, toastBytes = 0 }: Numbers) =>
        tableBytes === undefined || indexBytes === undefined
          ? undefined
          : tableBytes + indexBytes + toastBytes,
    },
  }),
  gauge("tuples.dead", "rows", "dead rows of the workload's tables, as the statistics estimate them", {
    window: spread("deadTuples", {
      chart: "Dead rows, mean",
      reason: evidenceReason("dead", 500, "the tables held {now} dead rows on average against {then}"),
    }),
    // Every update, HOT or not, and every delete leaves one dead version behind.
    perEvent: cost("deadTuples", "Dead rows per event", {
      of: ["tuples.updated", "tuples.deleted"],
      help: "Rows that died, whether or not they were vacuumed since",
      reason: evidenceReason("dead", 0.1, "{now} rows per event died against {then}"),
    }),
  }),
  counter("tuples.inserted", "rows", "rows inserted into the workload's tables", {
    window: total("rowsInserted"),
  }),
  counter("tuples.updated", "rows", "rows updated", { window: total("rowsUpdated") }),
  counter("tuples.hotUpdated", "rows", "of these, updated without touching an index (HOT)", {
    window: total("rowsHotUpdated"),
  }),
  ratio("tuples.hotRatio", "%", "HOT updates among the updates of the workload's tables", {
    isSampled: false,
    better: "higher",
    window: {
      field: "hotRatio",
      isThreshold: true,
      compute: ({ rowsUpdated = 0, rowsHotUpdated }: Numbers) =>
        rowsUpdated > 0 && rowsHotUpdated !== undefined
          ? Math.min(1, rowsHotUpdated / rowsUpdated)
          : undefined,
      chart: "HOT updates",
      reason: evidenceReason("HOT", 0.05, "{now} of the updates were HOT against {then}"),
    },
  }),
  counter("tuples.deleted", "rows", "rows deleted", { window: total("rowsDeleted") }),
  gauge(
    "undo.historyLength",
    "transactions",
    "InnoDB: transactions whose old row versions are not yet purged",
    {
      window: most("historyLength", {
        reason: evidenceReason("undo", 1000, "up to {now} transactions were not yet purged against {then}"),
      }),
    },
  ),
  gauge("gin.pendingPages", "pages", "pages of the GIN pending lists", {
    window: most("ginPendingPages", {
      chart: "GIN pending list, at most",
      reason: evidenceReason("gin", 8, "the GIN pending lists held up to {now} pages against {then}"),
    }),
    growth: growth("ginPendingGrowthPages"),
  }),
  counter("statements.blocksDirtied", "blocks", "buffers that statements of the workload dirtied", {
    source: "statements",
    isSampled: false,
    perEvent: cost("buffersDirtied", "Buffers dirtied per event", {
      help: "By statements of the workload, from pg_stat_statements",
      reason: evidenceReason("blocks", 0.1, "{now} buffers per event became dirty against {then}"),
    }),
  }),
  counter("statements.calls", "", "statements of the workload that the server ran", {
    source: "statements",
    isSampled: false,
    perEvent: cost("statementCalls", "Statements per event", {
      help: "Of the workload, from pg_stat_statements",
    }),
  }),
  counter("blocks.written", "blocks", "blocks that any process wrote, or added to a file", {
    window: total("blocksWritten", { isThreshold: true }),
    perEvent: cost("blocksWritten", "Blocks written per event", {
      reason: evidenceReason("blocks", 0.1, "{now} blocks per event were written against {then}", {
        viewSince: 16,
      }),
    }),
  }),
  counter("blocks.fsyncs", "", "InnoDB: fsyncs of all files, the log's included", {
    window: total("fileFsyncs"),
  }),
  ...OUTSIDE_EVIDENCE,
] as const satisfies readonly EvidenceMetric[];
