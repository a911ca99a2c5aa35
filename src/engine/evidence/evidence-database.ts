// The database as a source of evidence: the sampler's readings, and what is counted at the ends of the window.
import type { Endpoint } from "../../database/endpoint.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { sampledIn } from "../../workloads/namespace.js";
import { workloadOf } from "../../workloads/registry.js";
import { dialectOf } from "../../database/postgres/dialects/registry.js";
import { databaseOf } from "../../database/registry.js";
import { DatabaseSampler } from "../../database/postgres/evidence/sampler.js";
import type { DatabaseEvidence, WaitShare } from "../../results/result-schema.js";
import type { EvidenceReading, EvidenceSource, SkippedSource, WindowEvidence } from "./evidence-source.js";
import type { Statement } from "../../database/sql.js";

/** Shares of all samples of active sessions, most frequent first. */
export function waitsOf(window: WindowEvidence): WaitShare[] {
  const seen = window.family("wait.");
  const all = [...seen.values()].reduce((sum, sessions) => sum + sessions, 0);
  const active = window.gauge("sessions.active")?.mean ?? 0;
  return [...seen]
    .map(([event, sessions]) => ({ event, share: sessions / all, sessions: (sessions / all) * active }))
    .sort((a, b) => b.share - a.share);
}

export class DatabaseSource implements EvidenceSource {
  readonly name = "database";
  private readonly sampler: DatabaseSampler;
  private readonly workloadStatements: readonly Statement[];
  private counted: Pick<DatabaseEvidence, "statements" | "scans"> = {};
  private tableChanges: DatabaseEvidence["tableChanges"];

  constructor(
    private readonly endpoint: Endpoint,
    settings: TreatmentSettings,
  ) {
    const { dialect, namespace, target } = settings;
    const workload = workloadOf(settings);
    this.workloadStatements = workload.statements(settings);
    this.sampler = new DatabaseSampler({
      ...{ endpoint, dialect: dialectOf(dialect) },
      workload: sampledIn(workload, dialect, namespace),
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
    return {
      ...(await this.sampler.sample()),
      "transactions.control": databaseOf(this.endpoint).server.controlTransactions(),
    };
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
    const { statements, scans } = this.counted;
    const waits = waitsOf(window);
    return {
      ...(waits.length > 0 && { waits }),
      ...(statements && { statements }),
      // A server that counted rows from 0 again in the window counted these so, too.
      ...(scans && window.total("tuples.inserted") !== undefined && { scans }),
      ...(tableChanges.length > 0 && { tableChanges }),
    };
  }

  close(): Promise<void> {
    return this.sampler.close();
  }
}
