// Makes a trial's tables and ledgers without worker threads, for tests of the audit: acknowledged, failed and in-doubt
// batches, a preload, passes and archivings, by the workload's own statements and ledger files. It is seeded, so that a
// failing test fails again.
import { audit, type AuditResult, type AuditInputs } from "../../src/workloads/train-events/audit/audit.js";
import type { AdminClient } from "../../src/database/postgres/admin.js";
import { PgConnection } from "../../src/database/postgres/connection.js";
import { eventOperations } from "../../src/workloads/train-events/stores/operations.js";
import { resetNamespace } from "./namespace.js";
import { preloadTrial } from "../../src/workloads/train-events/preload.js";
import { postgres } from "../../src/workloads/train-events/stores/postgres.js";
import type { EventOperations } from "../../src/workloads/train-events/store.js";
import { monotonicMs } from "../../src/foundation/clock.js";
import { Prng } from "../../src/foundation/prng.js";
import type { IdKind } from "../../src/workloads/event-id.js";
import { EventBatch } from "../../src/workloads/train-events/model/event-batch.js";
import type { PreparedEvent } from "../../src/workloads/train-events/model/event.js";
import type { EventPass } from "../../src/workloads/train-events/model/lifecycle.js";
import { valuesText } from "../../src/workloads/train-events/model/sent-values.js";
import { KeySum } from "../../src/workloads/train-events/model/key-sum.js";
import {
  EMPTY_LEDGER,
  documentsOf,
  KeyMaker,
  type BatchOutcome,
  type LedgerTotals,
  type LedgerSource,
} from "../../src/workloads/train-events/model/ledger.js";
import { LedgerFileWriter, ledgerPath } from "../../src/workloads/train-events/audit/ledger-file.js";
import { WorkFileWriter, workPath } from "../../src/workloads/train-events/audit/work-file.js";
import { parseScenario } from "../../src/scenario/loader.js";
import type { TreatmentSettings } from "../../src/scenario/settings.js";
import { scratchDirectory } from "./train-sim.js";
import type { EventTreatment } from "../../src/workloads/train-events/clients/assignment.js";
import type { Payload, StatementShape, Validation } from "../../src/workloads/train-events/settings.js";

const MADE_AT_MS = Date.UTC(2026, 5, 1);
const SEED = 11;
const BATCH_EVENTS = 20;
const PRELOADED_BATCHES = 3;

type AuditedSettings = TreatmentSettings & EventTreatment;

export interface AuditedTrialOptions {
  readonly namespace: string;
  readonly payload: Payload;
  readonly ids?: IdKind;
  readonly statementShape?: StatementShape;
  /** Levels that differ from the scenario's defaults on PostgreSQL. */
  readonly levels?: Partial<
    Pick<
      AuditedSettings,
      | "dialect"
      | "storage"
      | "locking"
      | "isolation"
      | "validate"
      | "documentShape"
      | "documentEvolution"
      | "documentPlace"
    >
  > & { readonly documentSize?: string };
  /** Events of each batch; 20 if left out. */
  readonly batchEvents?: number;
  /** True if events are processed and archived until none is left. */
  readonly isDrained?: boolean;
  /** Called at the end of the load, before a drain. */
  readonly atEnd?: (crew: AuditedCrew) => Promise<void>;
}

/** Clients of a trial. Each call runs one transaction; a roll that is not given comes from a seeded generator. */
export interface AuditedCrew {
  /** Adds a batch that is acknowledged. */
  add(batch: number, fate: "acknowledged"): Promise<void>;
  /** Processes events. Resolves to the committed passes, which are acknowledged. */
  process(limit: number, roll?: number): Promise<readonly EventPass[]>;
  /** Archives events. Resolves to their number. */
  archive(limit: number): Promise<number>;
  /** Clients that change events in the same way but write no log, like another program would. */
  readonly stranger: Pick<AuditedCrew, "process" | "archive">;
}

export interface AuditedTrial {
  readonly settings: AuditedSettings;
  readonly directory: string;
  /** Keys of batches by the outcome of their add: failed, or in doubt and committed (`found`) or not (`absent`). */
  readonly keys: Readonly<Record<"failed" | "found" | "absent", readonly string[]>>;
  /** Events of the batch whose add failed, so that a test can add them. */
  readonly failed: readonly PreparedEvent[];
  audit(
    more?: Pick<AuditInputs, "lockTimeout" | "loss" | "clockStepMs"> & { readonly validate?: Validation },
  ): Promise<AuditResult>;
}

function settingsOf({
  namespace,
  payload,
  ids = "uuidv7",
  statementShape = "set-based",
  levels = {},
  batchEvents = BATCH_EVENTS,
}: AuditedTrialOptions) {
  // Only the caller's connection is used. The URL is needed since train-sim does not start servers of other dialects.
  const target = "postgresql://somebody@elsewhere.invalid/database";
  const others = Object.entries({ target, ...levels }).map(([key, level]) => `${key}: "${level}", `);
  const [treatment] = parseScenario(
    `{ name: audited, seed: ${SEED}, namespace: ${namespace}, payload: ${payload}, ids: ${ids}, ` +
      `${others.join("")}statementShape: ${statementShape}, appDelay: 0, preload: ${PRELOADED_BATCHES * batchEvents}, ` +
      `advance: { claim: 0.7, complete: 0.5, fail: 0.1 } }`,
    "audited.yaml",
  ).treatments;
  if (!treatment) throw new Error("a scenario has a treatment");
  return treatment.settings as AuditedSettings;
}

type Fate = "acknowledged" | "failed" | "found" | "absent";
const OUTCOMES: Readonly<Record<Fate, BatchOutcome>> = {
  ...{ acknowledged: "acknowledged", failed: "failed", found: "in-doubt", absent: "in-doubt" },
};

/** One producer of two clients, one consumer and one archiver, all in one thread. */
class Crew implements AuditedCrew {
  readonly totals: LedgerTotals = { ...EMPTY_LEDGER };
  readonly added: Record<Fate, PreparedEvent[]> = { acknowledged: [], failed: [], found: [], absent: [] };
  private readonly prng = new Prng(SEED);
  private readonly workload: EventOperations;
  private readonly source: LedgerSource;
  private readonly writer: LedgerFileWriter;
  private readonly work: WorkFileWriter;
  private readonly keyMaker: KeyMaker;
  private readonly nextDocument = [0, 0];

  constructor(
    private readonly settings: AuditedSettings,
    private readonly connection: PgConnection,
    directory: string,
    private readonly batchEvents: number,
  ) {
    const { ids, documentBytes, documentShape, documentEvolution } = settings;
    this.workload = eventOperations(settings);
    this.source = {
      ...{ worker: 3, stream: "producers", ids, seed: SEED, documentBytes, documentShape },
      ...(documentEvolution === "new-member" && { documentEvolution }),
    };
    this.writer = new LedgerFileWriter(ledgerPath(directory, this.source.worker), this.source);
    this.work = new WorkFileWriter(workPath(directory, this.source.worker));
    this.keyMaker = new KeyMaker(this.source);
  }

  async add(batch: number, fate: Fate): Promise<void> {
    const client = batch % 2;
    const made = { batch, events: this.batchEvents, madeAtMs: MADE_AT_MS + batch };
    const firstDocument = this.nextDocument[client] ?? 0;
    this.nextDocument[client] = firstDocument + this.batchEvents;
    const generator = documentsOf(this.source, client);
    const ids = this.keyMaker.keysOf(made);
    const events = ids.map((id, i): PreparedEvent => {
      const { json, eventType, authorityId, trainId } = generator.at(firstDocument + i);
      const values = valuesText(generator.valuesAt(firstDocument + i));
      return { id, payload: json, values, eventType, authorityId, trainId };
    });
    if (fate === "acknowledged" || fate === "found")
      await this.workload.add(EventBatch.of(events))(this.connection);
    const outcome = OUTCOMES[fate];
    this.writer.add(
      { ...made, client, firstDocument, keys: new KeySum().addAll(ids) },
      outcome,
      monotonicMs(),
    );
    if (outcome === "acknowledged") this.totals.published += this.batchEvents;
    if (outcome === "in-doubt") this.totals.inDoubt += this.batchEvents;
    this.added[fate].push(...events);
  }

  async process(limit: number, roll?: number): Promise<readonly EventPass[]> {
    const passes = await this.stranger.process(limit, roll);
    this.totals.passes += passes.length;
    this.work.transaction(monotonicMs(), 0);
    for (const pass of passes) this.work.pass(pass);
    return passes;
  }

  async archive(limit: number): Promise<number> {
    const archivedIds = await this.archiveUnrecorded(limit);
    this.totals.archived += archivedIds.length;
    this.work.transaction(monotonicMs(), 0);
    for (const id of archivedIds) this.work.archiving(id);
    return archivedIds.length;
  }

  readonly stranger: AuditedCrew["stranger"] = {
    process: async (limit, roll) => {
      const request = { limit, roll: () => roll ?? this.prng.float(), chances: this.settings.advance };
      return (await this.workload.process(request)(this.connection)).passes;
    },
    archive: async (limit) => (await this.archiveUnrecorded(limit)).length,
  };

  private async archiveUnrecorded(limit: number): Promise<readonly string[]> {
    return (await this.workload.archive(limit)(this.connection)).archivedIds;
  }

  async end(): Promise<void> {
    this.writer.close();
    this.work.close();
    await this.connection.end();
  }
}

/** Makes a trial that an audit can check. Unless it is drained, every table holds events of every status and outcome. */
export async function makeAuditedTrial(
  admin: AdminClient,
  options: AuditedTrialOptions,
): Promise<AuditedTrial> {
  const settings = settingsOf(options);
  const { isDrained = false, batchEvents = BATCH_EVENTS } = options;
  const directory = scratchDirectory();
  await resetNamespace(admin, settings, settings.dialect);
  const inputs = { settings, seed: SEED, directory, mayContinue: () => true };
  const { startedAt, ledger } = await preloadTrial(postgres, admin, inputs);
  const { endpoint } = admin;
  const connection = new PgConnection({ endpoint, applicationName: "train-sim/test", prepared: false });
  await connection.connect();
  const crew = new Crew(settings, connection, directory, batchEvents);
  try {
    for (let batch = 0; batch < 4; batch++) await crew.add(batch, "acknowledged");
    await crew.add(70, "failed");
    await crew.add(71, "found");
    await crew.add(5, "absent");
    for (let pass = 0; pass < 4; pass++) await crew.process(150);
    await crew.archive(40);
    for (let batch = 200; batch < 204; batch++) await crew.add(batch, "acknowledged");
    await options.atEnd?.(crew);
    while (isDrained && (await crew.process(1000)).length + (await crew.archive(1000)) > 0);
  } finally {
    await crew.end();
  }
  const keysOf = (fate: Fate): string[] => crew.added[fate].map(({ id }) => id);
  return {
    settings,
    directory,
    keys: { failed: keysOf("failed"), found: keysOf("found"), absent: keysOf("absent") },
    failed: crew.added.failed,
    audit: ({ validate = settings.validate, ...more } = {}) =>
      audit(postgres, admin, {
        settings: { ...settings, validate },
        directory,
        workerAccounts: [ledger, crew.totals],
        startedAt,
        isDrained,
        ...more,
      }),
  };
}
