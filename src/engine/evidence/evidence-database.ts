import type { Endpoint } from "../../database/endpoint.js";
import type {
  EvidenceReader,
  EvidenceReading,
  SkippedSource,
  WindowDifferences,
} from "../../database/evidence.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { sampledIn } from "../../workloads/tables.js";
import { storeOf, workloadOf } from "../../workloads/registry.js";
import { databaseOf } from "../../database/registry.js";
import type { DatabaseEvidence, WaitShare } from "../../results/result-schema.js";
import type { EvidenceSource, WindowEvidence } from "./evidence-source.js";
import type { Statement } from "../../database/sql.js";

/** Wait events of active sessions as shares of all samples, the most frequent first. */
export function waitsOf(window: WindowEvidence): WaitShare[] {
  const seen = window.family("wait.");
  const all = [...seen.values()].reduce((sum, sessions) => sum + sessions, 0);
  const activeSessions = window.gauge("sessions.active")?.mean ?? 0;
  return [...seen]
    .map(([event, sessions]) => ({
      event,
      share: sessions / all,
      sessions: (sessions / all) * activeSessions,
    }))
    .sort((a, b) => b.share - a.share);
}

export class DatabaseSource implements EvidenceSource {
  readonly name = "database";
  private readonly reader: EvidenceReader;
  private readonly statements: readonly Statement[];
  private differences: Partial<WindowDifferences> = {};

  constructor(
    private readonly endpoint: Endpoint,
    settings: TreatmentSettings,
  ) {
    const { dialect, namespace, target } = settings;
    const workload = workloadOf(settings);
    this.statements = storeOf(settings).statements(settings);
    this.reader = databaseOf(endpoint).evidence.reader({
      endpoint,
      dialect,
      workload: sampledIn(workload, dialect, namespace),
      isOwnServer: target.kind !== "url",
    });
  }

  get skipped(): readonly SkippedSource[] {
    return this.reader.skipped;
  }

  get foreignPids(): readonly number[] {
    return this.reader.foreignPids;
  }

  async prepare(): Promise<void> {
    await this.reader.open().catch(() => undefined);
  }

  async sample(): Promise<EvidenceReading> {
    return {
      ...(await this.reader.sample()),
      "transactions.control": databaseOf(this.endpoint).server.controlTransactions(),
    };
  }

  openWindow(): Promise<void> {
    return this.reader.openWindow();
  }

  async closeWindow(): Promise<void> {
    this.differences = await this.reader.closeWindow(this.statements);
  }

  summary(window: WindowEvidence): Partial<DatabaseEvidence> {
    const { statements, scans, tableChanges = [] } = this.differences;
    const waits = waitsOf(window);
    return {
      ...(waits.length > 0 && { waits }),
      ...(statements && { statements }),
      // Scan counts are left out if the server's row counts restarted in the window, because scan counts restarted with
      // them.
      ...(scans && window.total("tuples.inserted") !== undefined && { scans }),
      ...(tableChanges.length > 0 && { tableChanges }),
    };
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}
