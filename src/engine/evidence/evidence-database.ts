// The database as a source of evidence: the sampler's readings, and what they come to in the result.
// It adds nothing that was not read: a total without both its readings is left out.
import type { Endpoint } from "../../database/endpoint.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { sampledIn } from "../../workloads/namespace.js";
import { workloadOf } from "../../workloads/registry.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import { controlTransactions } from "../../database/postgres/admin.js";
import { DatabaseSampler } from "../../database/postgres/evidence/sampler.js";
import type { DatabaseEvidence, WaitShare } from "../../results/result-schema.js";
import type { EvidenceReading, EvidenceSource, SkippedSource, WindowEvidence } from "./evidence-source.js";
import type { Statement } from "../../database/contract.js";

/** Fields that state what was counted from one end of the window to the other. */
const TOTALS = {
  walBytes: "wal.bytes",
  walRecords: "wal.records",
  walFullPageImages: "wal.fullPageImages",
  walFsyncs: "wal.fsyncs",
  walFsyncMs: "wal.fsyncMs",
  walZeroBytes: "wal.zeroBytes",
  commits: "transactions.commits",
  rollbacks: "transactions.rollbacks",
  deadlocks: "transactions.deadlocks",
  blocksRead: "blocks.read",
  blocksHit: "blocks.hit",
  blocksWritten: "blocks.written",
  temporaryBytes: "temporary.bytes",
  checkpoints: "checkpoints.done",
  rowsInserted: "tuples.inserted",
  rowsUpdated: "tuples.updated",
  rowsHotUpdated: "tuples.hotUpdated",
  rowsDeleted: "tuples.deleted",
  autovacuums: "vacuum.autovacuums",
} as const;

/** Fields that state a gauge's mean and maximum over the samples. */
const GAUGES = {
  sessionsActive: "sessions.active",
  sessionsIdleInTransaction: "sessions.idleInTransaction",
  blocked: "locks.blocked",
  backlog: "queue.pending",
  backlogAgeMs: "queue.oldestPendingMs",
  deadTuples: "tuples.dead",
} as const;

const MAXIMA = {
  longestChain: "locks.longestChain",
  oldestXminAge: "xmin.ageTransactions",
  oldestTransactionMs: "xmin.oldestTransactionMs",
  ginPendingPages: "gin.pendingPages",
} as const;

/** Gauges of which the growth is stated too: what was put off and is still to be done. */
const GROWTH = { ginPendingGrowthPages: "gin.pendingPages" } as const;

const AT_THE_END = {
  tableBytes: "size.tableBytes",
  indexBytes: "size.indexBytes",
  toastBytes: "size.toastBytes",
} as const;

/** Those of the fields that have a value. */
function present<Field extends string, Value>(
  fields: Readonly<Record<Field, string>>,
  valueOf: (metric: string) => Value | undefined,
): Partial<Record<Field, Value>> {
  const entries = Object.entries(fields) as [Field, string][];
  const known = entries.flatMap(([field, metric]) => {
    const value = valueOf(metric);
    return value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(known) as Partial<Record<Field, Value>>;
}

/** Shares of all samples of active sessions, most frequent first. */
export function waitsOf(window: WindowEvidence): WaitShare[] {
  const seen = window.family("wait.");
  const all = [...seen.values()].reduce((sum, sessions) => sum + sessions, 0);
  const active = window.gauge("sessions.active")?.mean ?? 0;
  return [...seen]
    .map(([event, sessions]) => ({ event, share: sessions / all, sessions: (sessions / all) * active }))
    .sort((a, b) => b.share - a.share);
}

function growthOf(window: WindowEvidence, metric: string): number | undefined {
  const [first, last] = [window.first(metric), window.last(metric)];
  return first === undefined || last === undefined ? undefined : last - first;
}

export function databaseSummary(
  window: WindowEvidence,
  { statements, scans }: Pick<DatabaseEvidence, "statements" | "scans"> = {},
): Partial<DatabaseEvidence> {
  const totals = present(TOTALS, (metric) => window.total(metric));
  const { rowsUpdated = 0, rowsHotUpdated } = totals;
  const waits = waitsOf(window);
  return {
    ...totals,
    ...(rowsUpdated > 0 &&
      rowsHotUpdated !== undefined && { hotRatio: Math.min(1, rowsHotUpdated / rowsUpdated) }),
    ...present(GAUGES, (metric) => window.gauge(metric)),
    ...present(MAXIMA, (metric) => window.gauge(metric)?.max),
    ...present(GROWTH, (metric) => growthOf(window, metric)),
    ...present(AT_THE_END, (metric) => window.last(metric)),
    ...(waits.length > 0 && { waits }),
    ...(statements && { statements }),
    // A server that counted rows from 0 again in the window counted these so, too.
    ...(scans && totals.rowsInserted !== undefined && { scans }),
  };
}

export class DatabaseSource implements EvidenceSource {
  readonly name = "database";
  private readonly sampler: DatabaseSampler;
  private readonly workloadStatements: readonly Statement[];
  private counted: Pick<DatabaseEvidence, "statements" | "scans"> = {};
  private tableChanges: DatabaseEvidence["tableChanges"];

  constructor(endpoint: Endpoint, settings: TreatmentSettings) {
    const { dialect, namespace, target } = settings;
    const workload = workloadOf(settings);
    this.workloadStatements = workload.statements(settings);
    this.sampler = new DatabaseSampler({
      ...{ endpoint, dialect: dialectOf(dialect) },
      workload: sampledIn(workload, dialectOf(dialect), namespace),
      isOurs: target.kind !== "url",
    });
  }

  get skipped(): readonly SkippedSource[] {
    return this.sampler.skipped;
  }

  /** Backends of others at the last sample. */
  get foreignPids(): readonly number[] {
    return this.sampler.foreignPids;
  }

  async prepare(): Promise<void> {
    await this.sampler.open().catch(() => undefined);
  }

  async sample(): Promise<EvidenceReading> {
    return { ...(await this.sampler.sample()), "transactions.control": controlTransactions() };
  }

  async opened(): Promise<void> {
    await this.sampler.openStatements();
    await this.sampler.openScans();
    await this.sampler.openTables();
  }

  async closed(): Promise<void> {
    const statements = await this.sampler.closeStatements(this.workloadStatements);
    this.counted = { statements, scans: await this.sampler.closeScans() };
    this.tableChanges = await this.sampler.closeTables();
  }

  summary(window: WindowEvidence): Partial<DatabaseEvidence> {
    const { tableChanges = [] } = this;
    return { ...databaseSummary(window, this.counted), ...(tableChanges.length > 0 && { tableChanges }) };
  }

  close(): Promise<void> {
    return this.sampler.close();
  }
}
