// The names of what is sampled once a second beside the client's own numbers, with their meaning: the database, its
// tables, the pooler, the machine. One table, so that the sampler, `evidence.csv`, the report and the docs agree on it.
// A name ends in its unit, or is a plain count; a rate is what was counted since the sample before, per second.

/** How a value is to be read: a reading of that moment, or what was counted, per second, since the sample before. */
export type EvidenceKind = "gauge" | "rate";

export interface EvidenceMetric {
  readonly kind: EvidenceKind;
  readonly meaning: string;
}

/** One sample: values by metric name. A metric that could not be read is left out, never 0. */
export type EvidenceValues = Readonly<Record<string, number>>;

const gauge = (meaning: string): EvidenceMetric => ({ kind: "gauge", meaning });
const rate = (meaning: string): EvidenceMetric => ({ kind: "rate", meaning });

/** Names that end in `*` stand for a family, as `wait.Lock:tuple`. Sessions are those of the load, where not others'. */
export const EVIDENCE_METRICS: Readonly<Record<string, EvidenceMetric>> = {
  "sessions.active": gauge("sessions of the load that run a statement"),
  "sessions.idleInTransaction": gauge("sessions that hold a transaction open and wait for the client"),
  "sessions.idle": gauge("sessions without a transaction"),
  "foreign.active": gauge("sessions of others on the server that run a statement"),
  "foreign.activeHere": gauge("of these, in the database of the load"),
  "foreignSessions.*": gauge("the same by database/user/application, the five with most"),
  "wait.*": gauge("active sessions by wait event, `wait.CPU` for those that wait for nothing"),
  "locks.blocked": gauge("sessions that wait for a lock of another"),
  "locks.longestChain": gauge("sessions in the longest chain of who waits for whom, the holder not counted"),
  "contention.events": gauge("CockroachDB: waits for other transactions that were noted in the last second"),
  "contention.waitMs": gauge("CockroachDB: how long they took together"),
  "queue.pending": gauge("events that wait to be claimed: the backlog"),
  "queue.processing": gauge("events in flight"),
  "queue.complete": gauge("events complete and not archived"),
  "queue.failed": gauge("events failed and not archived"),
  "queue.oldestPendingMs": gauge(
    "how long the first event of the backlog has waited since it was last touched",
  ),
  "xmin.ageTransactions": gauge("transactions since the oldest snapshot that vacuum must respect"),
  "xmin.oldestTransactionMs": gauge("age of the oldest open transaction"),
  "vacuum.workers": gauge("autovacuum workers at work on the workload's tables"),
  "vacuum.autovacuums": rate("runs of autovacuum that ended on the workload's tables"),
  "tuples.dead": gauge("dead rows of the workload's tables, as the statistics estimate them"),
  "size.tableBytes": gauge("the workload's tables without indexes and TOAST"),
  "size.indexBytes": gauge("their indexes"),
  "size.toastBytes": gauge("their TOAST tables with indexes"),
  "gin.pendingPages": gauge("pages of the GIN pending lists"),
  "wal.bytes": rate("write-ahead log"),
  "wal.records": rate("records of the write-ahead log"),
  "wal.fullPageImages": rate("full-page images in the write-ahead log"),
  "wal.fsyncs": rate("fsyncs of the write-ahead log"),
  "wal.fsyncMs": rate("time in them (track_wal_io_timing)"),
  "wal.zeroBytes": rate("zeros written into new files of the write-ahead log (PostgreSQL 18)"),
  "transactions.commits": rate("transactions committed in the database"),
  "transactions.rollbacks": rate("transactions rolled back"),
  "transactions.logins": rate("sessions that were opened in the database; each is a transaction"),
  "transactions.control": rate("transactions of train-sim's own control work, on all servers"),
  "transactions.elsewhere": rate("transactions in other databases of the server"),
  "transactions.deadlocks": rate("deadlocks"),
  "blocks.hit": rate("blocks found in shared buffers"),
  "blocks.read": rate("blocks read from outside of them"),
  "blocks.written": rate("blocks written, or added to a file, by whatever process"),
  "temporary.bytes": rate("written to temporary files"),
  "checkpoints.done": rate("checkpoints"),
  "tuples.inserted": rate("rows inserted into the workload's tables"),
  "tuples.updated": rate("rows updated"),
  "tuples.hotUpdated": rate("of these, updated without touching an index (HOT)"),
  "tuples.deleted": rate("rows deleted"),
  "pooler.clientsActive": gauge("pooler: clients that have a server connection, or need none"),
  "pooler.clientsWaiting": gauge("pooler: clients that wait for a server connection"),
  "pooler.maxWaitMs": gauge("pooler: how long the first of them has waited"),
  "pooler.serversActive": gauge("pooler: server connections in use"),
  "pooler.serversIdle": gauge("pooler: server connections that are free"),
  "pooler.transactions": rate("pooler: transactions"),
  "pooler.waitMs": rate("pooler: time that clients waited for a server connection"),
  "pooler.queryMs": rate("pooler: time of queries since they arrived, that wait included"),
  "host.serverCpuMs": rate("CPU time of the database server, where its processes are on this machine"),
  "host.poolerCpuMs": rate("CPU time of the pooler, where it is ours"),
  "host.clientCpuMs": rate("CPU time of train-sim itself"),
  "host.otherCpuMs": rate("CPU time of all other programs"),
  "host.foreignCpuMs": rate("CPU time of the server's backends that serve others"),
  "host.diskReadBytes": rate("read by the machine's disks"),
  "host.diskWriteBytes": rate("written by the machine's disks"),
};

/** The metric of a name, whether named itself or by its family. */
export function evidenceMetricOf(name: string): EvidenceMetric | undefined {
  return EVIDENCE_METRICS[name] ?? EVIDENCE_METRICS[name.replace(/\..*$/s, ".*")];
}
